#pragma once

// Engine: runs a program on R replicas, parameter sets of the same program.
//
// Each replica is trained by a run of its own: its data, options and seed. A *fleet* is an engine whose
// replicas belong to several fits of the same program.
//
// Laws: what a replica's training gives depends on its run and its starting parameters only, not on the other
// replicas nor on the number of threads; one that diverges ends alone. `forward` is const and safe from many
// threads, each with its own scratch; the output of a row does not depend on the other rows of the call.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/nn/adam.h"
#include "kedge/nn/device.h"
#include "kedge/nn/program.h"
#include "kedge/pairs/pair_features.h"

namespace kedge {

struct TrainOptions {
  AdamOptions adam = {};
  Loss loss = Loss::l2;
  size_t batch = 32;
  uint64_t steps = 10000;  ///< of the whole run: what the schedule is relative to
};

/// What one replica is trained on, and how. The arrays that `data` shows must outlive the training.
struct TrainingRun {
  TrainingData data;
  TrainOptions options;
  uint64_t seed = 0;  ///< names the pairs of every step
};

struct Progress {
  uint64_t step = 0, steps = 0;
  double loss = 0;  ///< mean over the last steps
  /// How far the whole job is, in seconds of one core by an estimate made before; 0 where there is none and
  /// steps alone tell. It counts what has no steps too.
  double work = 0, total_work = 0;
  const char* phase =
      "";  ///< "choosing", "training", "rehearsing", "measuring"; empty where there is one only
};

/// Returning false stops. Who calls it says from which thread.
using ProgressFn = std::function<bool(const Progress&)>;

/// finished: all steps were run; the parameters are the last. stopped: somebody asked for it; the parameters
/// are the best so far. diverged: the loss is no longer finite; the parameters are the best before that.
enum class TrainStatus { finished, stopped, diverged };

struct TrainOutcome {
  TrainStatus status = TrainStatus::finished;
  uint64_t steps = 0;
  /// finished: mean over the last steps. Otherwise that of the parameters the replica is left with, measured
  /// on a fixed set of pairs; NaN when none were measured.
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> losses;  ///< means over each two-hundredth of the steps, but at most 500 of them
  size_t at_once = 0;          ///< how many runs were trained side by side where memory held no more; else 0
};

/// Called between chunks of steps from the thread that trains; `run` counts from the first one of the call.
/// Returning false stops that run.
using RunReport = std::function<bool(size_t run, const Progress&)>;

class Engine {
 public:
  /// Memory of forward passes, so that they allocate none. Used by one thread at a time.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Engine() = default;

  virtual size_t replicas() const = 0;
  virtual const Program& program() const = 0;

  /// How many replicas are best trained by one call of `train`: 1 where each has a thread, all of them where
  /// a device trains them side by side.
  virtual size_t replicas_at_once() const = 0;

  /// Trains replicas first, first + 1, ..., one for each run, from their present parameters. Calls for
  /// different replicas may run at the same time. `outcomes` is as long as `runs`.
  virtual void train(size_t first, std::span<const TrainingRun> runs, const RunReport& report,
                     std::span<TrainOutcome> outcomes) = 0;

  /// For up to `rows` rows at a time; more rows take several passes.
  virtual std::unique_ptr<Scratch> make_scratch(size_t rows) const = 0;
  /// Predictions of one replica, out.rows() == inputs.rows. `scratch` is of this engine.
  virtual void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out,
                       Scratch& scratch) const = 0;
  void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out) const {
    forward(replica, inputs, out, *make_scratch(inputs.rows));
  }

  /// Parameters in the order of Program::parameters().
  virtual std::vector<float> read(size_t replica) const = 0;
  virtual void write(size_t replica, const std::vector<float>& parameters) = 0;
};

/// Starting parameters by each dense op's `init`.
std::vector<float> initial_parameters(const Program& program, uint64_t seed);

/// The one place where engines are made: a replica for each set of parameters. `device` is not automatic: see
/// device_for. Throws Error on a program that is not lawful, and where there is no such device.
std::unique_ptr<Engine> make_engine(const Program& program, const std::vector<std::vector<float>>& parameters,
                                    Device device = Device::cpu);

}  // namespace kedge
