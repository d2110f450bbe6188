#pragma once

// The training loop: runs an engine in chunks, reports progress, stops when asked to, and remembers the best
// parameters so that an interrupted run still leaves a model.

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "kedge/nn/engine.h"

namespace kedge {

struct Progress {
  uint64_t step = 0, steps = 0;
  double loss = 0;  ///< mean over replicas and over the steps since the last report
};

/// Called between chunks of steps, from the thread that trains; returning false stops the training.
using ProgressFn = std::function<bool(const Progress&)>;

/// finished: all steps were run. stopped: the callback said so; the parameters are the best so far. diverged:
/// the loss is no longer finite; the parameters are the best before that.
enum class TrainStatus { finished, stopped, diverged };

struct TrainOutcome {
  TrainStatus status = TrainStatus::finished;
  uint64_t steps = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< of the parameters the engine is left with
  std::vector<double> losses;                              ///< of each chunk, mean over replicas
};

/// Steps of a training that is counted in passes over `rows`: each takes as many batches as fill it, at least
/// one. Without epochs, `options.steps`.
uint64_t steps_of(const TrainOptions& options, double epochs, size_t rows);

TrainOutcome train(Engine& engine, const PairSource& source, const TrainOptions& options, Pool& pool,
                   const ProgressFn& progress);

}  // namespace kedge
