#include "kedge/nn/train.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kedge {
namespace {

// A finite loss can have a gradient that overflows: the parameters show it one chunk before the loss does.
bool is_finite(const std::vector<std::vector<float>>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const std::vector<float>& one) {
    return std::all_of(one.begin(), one.end(), [](float p) { return std::isfinite(p); });
  });
}

// However long the run, whoever wants to stop it waits for no more than this.
constexpr uint64_t most_steps_between_reports = 500;

}  // namespace

uint64_t steps_of(const TrainOptions& options, double epochs, size_t rows) {
  if (!(epochs > 0)) return options.steps;
  return static_cast<uint64_t>(
      std::ceil(epochs * static_cast<double>(std::max<size_t>(1, rows / options.batch))));
}

TrainOutcome train(Engine& engine, const PairSource& source, const TrainOptions& options, Pool& pool,
                   const ProgressFn& progress) {
  TrainOutcome outcome;
  const uint64_t chunk = std::clamp<uint64_t>(options.steps / 200, 1, most_steps_between_reports);
  double best = std::numeric_limits<double>::infinity();
  const auto current = [&] {
    std::vector<std::vector<float>> parameters(engine.replicas());
    for (size_t r = 0; r < parameters.size(); ++r) parameters[r] = engine.read(r);
    return parameters;
  };
  std::vector<std::vector<float>> kept = current();
  auto restore = [&](TrainStatus status) {
    for (size_t r = 0; r < kept.size(); ++r) engine.write(r, kept[r]);
    outcome.status = status;
    if (std::isfinite(best)) outcome.loss = best;
    return outcome;
  };
  for (uint64_t t = 0; t < options.steps; t += chunk) {
    const uint64_t count = std::min(chunk, options.steps - t);
    double loss = 0;
    for (double l : engine.train(source, options, t, count, pool)) loss += l;
    loss /= static_cast<double>(engine.replicas());
    std::vector<std::vector<float>> parameters = current();
    if (!std::isfinite(loss) || !is_finite(parameters)) return restore(TrainStatus::diverged);
    outcome.steps = t + count;
    outcome.losses.push_back(loss);
    outcome.loss = loss;
    if (loss < best) {
      best = loss;
      kept = std::move(parameters);
    }
    if (progress && !progress({outcome.steps, options.steps, loss})) return restore(TrainStatus::stopped);
  }
  return outcome;
}

}  // namespace kedge
