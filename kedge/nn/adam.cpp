#include "kedge/nn/adam.h"

#include <cmath>
#include <numbers>

namespace kedge {

double learning_rate(const AdamOptions& options, uint64_t t, uint64_t steps) {
  if (options.schedule == Schedule::constant) return options.learning_rate;
  const double progress = static_cast<double>(t) / static_cast<double>(steps);
  return options.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

AdamConstants<double> adam_constants(const AdamOptions& options, uint64_t t, uint64_t steps) {
  const double n = static_cast<double>(t + 1), rate = learning_rate(options, t, steps);
  return {.beta1 = options.beta1,
          .beta2 = options.beta2,
          .rate = rate / (1 - std::pow(options.beta1, n)),
          .root_scale = 1 / std::sqrt(1 - std::pow(options.beta2, n)),
          .epsilon = options.epsilon,
          .decay = rate * options.weight_decay};
}

}  // namespace kedge
