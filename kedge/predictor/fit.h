#pragma once

// Fitting a model: from a table and options to a predictor, one way. Nothing here is chosen by trial, and no
// expected errors are learned: kedge/trials/fit.h does both around this.
//
// Laws: a fit depends on its request and its device only, not on the number of threads, nor on the fits
// beside it. Those decide about one thing: which device `automatic` takes.

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/nn/device.h"
#include "kedge/nn/train.h"
#include "kedge/predictor/options.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"
#include "kedge/weights/pair_examples.h"

namespace kedge {

/// What is fitted. The table's columns count by their roles: inputs, outputs, a label (pairs by label), a
/// time (pairs by time), a weight (how much a row counts). A row of weight 0 is no training row. The table
/// must outlive the fit.
struct FitRequest {
  const Table& table;
  FitOptions options = preset_options("default", "bilinear");
  PairExamples examples = {};  ///< examples of pairs, for options that learn weights of pairs from them
  /// Rows that the training does not see: the parameters that are kept are those that did best on them (see
  /// kedge/predictor/validation.h). Null: the last ones are kept. Trials around a fit do not look at them.
  /// They need the CPU: `automatic` takes it.
  const Table* validation = nullptr;
};

/// What a job takes: steps of training, and seconds of one core by an estimate.
struct Workload {
  uint64_t steps = 0;
  double work = 0;

  Workload& operator+=(const Workload& other) {
    steps += other.steps;
    work += other.work;
    return *this;
  }
  friend Workload operator+(Workload a, const Workload& b) { return a += b; }
};

/// A part of a longer job: what was done before it, what it takes itself, and what the whole job takes.
struct Phase {
  const char* name = "";  ///< empty: the part has phases with names of their own
  Workload before = {}, own = {}, total = {};
};

/// How it is run.
struct RunOptions {
  /// The same run as a phase of a longer one. The work that it reports is scaled to that of the phase.
  RunOptions as_phase(const Phase& phase) const;

  /// Comes from the threads that work, one call at a time; returning false stops.
  ProgressFn progress = {};
  int threads = 0;  ///< 0: every core
  /// Where networks are trained. Closed forms and weights of pairs are the CPU's.
  Device device = Device::cpu;
};

/// Notes a wish to stop and keeps to it, for work of several phases.
class StopNote {
 public:
  explicit StopNote(const RunOptions& run) : run_(run) {}

  /// The same run, whose reports pass through this note. The note must outlive it.
  RunOptions run();
  bool is_wished() const { return wished_; }
  /// For work that has nothing to report: asks with the last report again, from any thread. Throws Error
  /// ("fit") once a stop is wished.
  void check();
  /// Work without steps is done: this and all later reports have so much more.
  void add_work(double work);

 private:
  bool report(const Progress& progress);
  bool ask(const Progress& progress);

  const RunOptions run_;
  std::mutex mutex_;
  Progress last_;
  double added_ = 0;  // work
  std::atomic<bool> wished_ = false;
};

/// Errors on some of the training pairs, of a model and of a constant in its place: the mean of the training
/// outputs, or no change for a model that predicts the change from the anchor's output. The error of a
/// pair is the root mean square over outputs, in the units of the loss; that of all pairs is the mean for the
/// loss l2, the root mean square for mse.
struct TrainingErrors {
  double model = 0, constant = 0;

  /// Whether training did harm, and more than chance explains.
  bool is_worse_than_constant() const;
};

/// What a trial fit, which saw part of the table, answered for rows that it did not see.
struct RehearsedRows {
  std::string held_out;  ///< which rows, as "the outermost 20 %"
  Matrix<double> truth, predicted;
  std::vector<bool> outside;     ///< by row: whether it is one of these, or was held out at random inside
  std::vector<double> expected;  ///< errors that the whole fit expects of such rows; NaN where not known
};

/// How well a fit did on validation rows: means over replicas of the least error and of its step.
struct ValidationResult {
  double error = 0;
  uint64_t step = 0;
};

struct FitResult {
  Predictor predictor;
  /// Over all replicas: the worst status, the fewest steps, the mean loss. After a stop or a divergence the
  /// predictor holds the best parameters until then.
  TrainOutcome outcome;
  std::vector<TrainOutcome> replicas = {};
  std::optional<TrainingErrors> training_errors = {};  ///< nothing for closed forms and after a stop
  /// A wish to stop came after the training: no expected errors were learned, though they were wanted.
  bool calibration_stopped = false;
  std::vector<RehearsedRows> rehearsed = {};  ///< what the expected errors were learned from; may be none
  std::optional<ValidationResult> validation = {};
  std::optional<UsedDevice> trained_on = {};  ///< nothing for closed forms
};

/// A fit beside others: one that fails does not end the others.
struct FitAttempt {
  std::optional<FitResult> result = {};
  std::optional<Error> error = {};
};

/// What is thrown when a fit is stopped before there is a model.
Error fit_stopped();

/// Throws Error when the table or the options cannot be fitted.
void require_fittable(const FitRequest& request);
/// Throws Error when it cannot be trained there.
void require_trainable(const FitRequest& request, Device device);

/// `options.calibration` is not looked at. Throws Error as require_fittable, and where the options leave a
/// choice open (a Fourier layer `automatic`), and when it was stopped before its training began. Throws Error
/// as require_device where something is trained.
FitResult fit_model(const FitRequest& request, const RunOptions& run = {});

/// Called once with each attempt as it ends, from the thread that ended it, several at once. What it throws
/// reaches the caller of fit_models after the other fits have ended.
using FitDone = std::function<void(size_t request, FitAttempt&& attempt)>;

/// Several fits side by side. Those of the same program are trained as one fleet.
void fit_models(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done);
std::vector<FitAttempt> fit_models(std::span<const FitRequest> requests, const RunOptions& run = {});

}  // namespace kedge
