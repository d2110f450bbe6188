#pragma once

// Training: fleets on threads, and what every engine keeps of a run while it trains.

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kedge/core/thread_pool.h"
#include "kedge/nn/engine.h"

namespace kedge {

/// Steps of a training that is counted in passes over `rows`: each takes as many batches as fill it, at least
/// one. Without epochs, `options.steps`.
uint64_t steps_of(const TrainOptions& options, double epochs, size_t rows);

/// Runs of one program that are trained together: run r trains replica r of the engine.
struct Fleet {
  Engine* engine = nullptr;
  std::vector<TrainingRun> runs;
  std::vector<TrainOutcome> outcomes = {};  ///< by run, after the training
};

struct FleetWatch {
  /// May come from several threads at once; returning false stops that run. Comes for the first time at step
  /// 0; a run that is stopped then is left as it was.
  std::function<bool(size_t fleet, size_t run, const Progress&)> progress = {};
  /// A run has ended and its outcome is there; from the thread that trained it.
  std::function<void(size_t fleet, size_t run)> ended = {};
};

/// Trains every run of every fleet, as many at a time as there are threads.
void train(std::span<Fleet> fleets, ThreadPool& pool, const FleetWatch& watch = {});

/// Trains one replica on this thread; progress comes from it.
TrainOutcome train(Engine& engine, size_t replica, const TrainingRun& run, const ProgressFn& progress = {});

/// How many fixed batches parameters are measured on.
inline constexpr uint64_t evaluation_batches = 8;

/// One run as an engine trains it: how many steps come next, when parameters are measured, and which of them
/// the replica is left with; the engine holds them. Parameters are measured at every twentieth of the run, at
/// least 250 steps apart, and at a stop. However wide the program, the steps between two reports are about a
/// quarter of a second of arithmetic of a core, or a single step where that takes longer.
class TrainingRecord {
 public:
  /// However long the run.
  static constexpr uint64_t most_steps_between_reports = 500;

  TrainingRecord(const TrainOptions& options, size_t parameters);

  /// Steps done so far, and steps to do before the next `add`; 0 when the run is over.
  uint64_t done() const { return outcome_.steps; }
  bool is_over() const { return over_ || done() == steps_; }
  uint64_t next() const;
  /// The same for a device, which gains by many: no further than the next checkpoint. The one that is reached
  /// has to be measured before.
  uint64_t next_on_device() const;
  /// The losses of those steps.
  void add(std::span<const double> losses);
  /// Whether the parameters are to be measured now.
  bool is_checkpoint() const;
  /// The present parameters' loss on a fixed set of pairs, and whether all of them are finite. True: they are
  /// the best so far and are to be kept.
  bool measure(double loss, bool is_finite);
  void stop();
  bool has_diverged() const { return outcome_.status == TrainStatus::diverged; }

  Progress progress() const;
  /// To be called once at the end: what happened. The replica is left with the last parameters where the run
  /// is finished, otherwise with those that were kept last, or that it began with.
  TrainOutcome finish(bool is_finite);

 private:
  void add_to_chunk(std::span<const double> losses);
  void diverge();

  // A chunk is what a loss is the mean of; its parts are what is reported.
  uint64_t steps_, chunk_, part_, next_checkpoint_ = 0;
  uint64_t steps_of_chunk_ = 0;
  double sum_of_chunk_ = 0, loss_ = 0;
  bool over_ = false;
  double best_ = std::numeric_limits<double>::infinity();
  TrainOutcome outcome_;
};

}  // namespace kedge
