#pragma once

// Shell trials: how well a fit extrapolates, rehearsed inside the training table. The outermost rows are held
// out, the rest is fitted, and the held-out rows are predicted. Random folds cannot tell this: they
// interpolate.

#include "kedge/options.h"
#include "kedge/predictor.h"
#include "kedge/table/table.h"

namespace kedge {

struct ShellOptions {
  double fraction = 0.2;  ///< of the rows, held out
  double effort = 0.2;    ///< of the training steps, spent on the trial
  size_t queries = 200;   ///< held-out rows predicted at most
  size_t pool = 1000;     ///< differences kept at most
};

/// Root mean square error on the held-out rows over the outputs' deviations: 1 is no better than a constant.
double shell_error(const Table& table, const FitOptions& options, const ShellOptions& shell,
                   const ProgressFn& progress);

/// Steps of the trials that `resolve` runs before the fit itself; 0 when nothing is left to choose.
uint64_t trial_steps(const Table& table, const FitOptions& options);

/// The options with every `automatic` choice made: the Fourier layer is taken when it lowers the shell error.
/// Progress counts from 0 to trial_steps.
FitOptions resolve(const Table& table, const FitOptions& options, const ProgressFn& progress, int threads);

}  // namespace kedge
