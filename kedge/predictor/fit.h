#pragma once

// Fitting a model: from a table and options to a predictor, one way. Nothing here is chosen by trial, and no
// expected errors are learned: kedge/trials/fit.h does both around this.
//
// Laws: a fit depends on its request only, not on the number of threads, nor on the fits beside it.

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/nn/train.h"
#include "kedge/predictor/options.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"
#include "kedge/weights/pair_examples.h"

namespace kedge {

/// What is fitted. The table's columns count by their roles: inputs, outputs, a label (pairs by label), a
/// time (pairs by time). The table must outlive the fit.
struct FitRequest {
  const Table& table;
  FitOptions options = preset_options("default", "bilinear");
  PairExamples examples = {};  ///< examples of pairs, for options that learn weights of pairs from them
};

/// How it is run.
struct RunOptions {
  /// The same run as a phase of a longer one: `before` steps are done, there are `total`.
  RunOptions as_phase(uint64_t before, uint64_t total) const;
  /// The same run, which sets `stopped` at a wish to stop and keeps to it. `stopped` must outlive it.
  RunOptions noting(std::atomic<bool>& stopped) const;

  /// Comes from the threads that work, one call at a time; returning false stops.
  ProgressFn progress = {};
  int threads = 0;  ///< 0: every core
};

struct FitResult {
  Predictor predictor;
  /// Over all replicas: the worst status, the fewest steps, the mean loss. After a stop or a divergence the
  /// predictor holds the best parameters until then.
  TrainOutcome outcome;
  std::vector<TrainOutcome> replicas = {};
};

/// A fit beside others: one that fails does not end the others.
struct FitAttempt {
  std::optional<FitResult> result = {};
  std::optional<Error> error = {};
};

/// Throws Error when the table or the options cannot be fitted.
void require_fittable(const FitRequest& request);

/// Steps that a fit reports: those of its training, and of weights that are learned jointly.
uint64_t fit_steps(const FitRequest& request);

/// `options.calibration` is not looked at. Throws Error as require_fittable, and where the options leave a
/// choice open (a Fourier layer `automatic`).
FitResult fit_model(const FitRequest& request, const RunOptions& run = {});

/// Called once with each attempt as it ends, from the thread that ended it, several at once. What it throws
/// reaches the caller of fit_models after the other fits have ended.
using FitDone = std::function<void(size_t request, FitAttempt&& attempt)>;

/// Several fits side by side. Those of the same program are trained as one fleet.
void fit_models(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done);
std::vector<FitAttempt> fit_models(std::span<const FitRequest> requests, const RunOptions& run = {});

}  // namespace kedge
