#include "kedge/nn/train.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kedge {

namespace {

// However long the run, whoever wants to stop it waits for no more than this.
constexpr uint64_t most_steps_between_reports = 500;

}  // namespace

TrainOutcome train(Engine& engine, const PairSource& source, const TrainOptions& options, Pool& pool,
                   const ProgressFn& progress) {
  TrainOutcome outcome;
  const uint64_t chunk = std::clamp<uint64_t>(options.steps / 200, 1, most_steps_between_reports);
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::vector<float>> kept(engine.replicas());
  auto keep = [&] {
    for (size_t r = 0; r < kept.size(); ++r) kept[r] = engine.read(r);
  };
  auto restore = [&](TrainStatus status) {
    for (size_t r = 0; r < kept.size(); ++r) engine.write(r, kept[r]);
    outcome.status = status;
    return outcome;
  };
  keep();
  for (uint64_t t = 0; t < options.steps; t += chunk) {
    const uint64_t count = std::min(chunk, options.steps - t);
    double loss = 0;
    for (double l : engine.train(source, options, t, count, pool)) loss += l;
    loss /= static_cast<double>(engine.replicas());
    if (!std::isfinite(loss)) return restore(TrainStatus::diverged);
    outcome.steps = t + count;
    outcome.losses.push_back(loss);
    if (loss < best) {
      best = loss;
      keep();
    }
    if (progress && !progress({outcome.steps, options.steps, loss})) return restore(TrainStatus::stopped);
  }
  return outcome;
}

}  // namespace kedge
