#include "kedge/nn/adam.h"

#include <cmath>
#include <numbers>

namespace kedge {

double learning_rate(const AdamOptions& options, uint64_t t, uint64_t steps) {
  if (options.schedule == Schedule::constant) return options.learning_rate;
  const double progress = static_cast<double>(t) / static_cast<double>(steps);
  return options.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace kedge
