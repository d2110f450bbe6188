#pragma once

// Rehearsal: how well a fit extrapolates, found out inside the training table. The outermost rows are held
// out, the rest is fitted, and the held-out rows are predicted. Random folds cannot tell this: they
// interpolate.

#include <cstdint>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/coverage/error_model.h"
#include "kedge/predictor/options.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"

namespace kedge {

/// Which rows are outermost: those farthest out in any column, or at one end of the leading axis.
enum class Shell { around, low_end, high_end };

struct RehearsalOptions {
  Shell shell = Shell::around;
  double fraction = 0.2;       ///< of the rows, held out as the shell
  double inside_fraction = 0;  ///< of the other rows, held out at random
  double effort = 0.2;         ///< of the training steps, spent on the trial
  size_t queries = 200;        ///< shell rows predicted at most, and rows held out inside
  size_t pool = 1000;          ///< differences kept at most
  size_t replicas = 1;         ///< networks trained at most
};

struct Rehearsal {
  Predictions predictions;    ///< of the held-out rows
  Matrix<double> truth;       ///< their outputs
  std::vector<bool> outside;  ///< whether a row is of the shell
  double output_scale = 1;    ///< deviation of the fitted rows' outputs (norm over outputs)
  double loss = 0;            ///< final, of the trial; NaN for closed forms
  double usual_spread = 0;    ///< mean spread on rows that were fitted
  TrainStatus status = TrainStatus::finished;
};

/// Throws Error when the rows left cannot be fitted. Runs on the calling thread. Labelled pairs count only
/// where both rows are fitted.
Rehearsal rehearse(const Table& table, const FitOptions& options, const RehearsalOptions& rehearsal,
                   const ProgressFn& progress, const PairLabels& labels = {});

/// Steps that a rehearsal reports.
uint64_t rehearsal_steps(const Table& table, const FitOptions& options, double effort);

/// Root mean square error on the shell over the outputs' deviations in the whole table: 1 is no better than a
/// constant. Infinite when training diverged.
double shell_error(const Table& table, const Rehearsal& rehearsal);

/// Steps of the trials that `resolve` runs before the fit itself; 0 when nothing is left to choose.
uint64_t trial_steps(const Table& table, const FitOptions& options);

/// The options with every `automatic` choice made: the Fourier layer is taken when it lowers the shell error.
/// Progress counts from 0 to trial_steps.
FitOptions resolve(const Table& table, const FitOptions& options, const ProgressFn& progress, int threads,
                   const PairLabels& labels = {});

/// Steps of the rehearsals that `calibrate` runs; 0 when there are too few rows or none are wanted.
uint64_t calibration_steps(const Table& table, const FitOptions& options);

/// What errors to expect of a predictor fitted on this table; unknown where calibration_steps is 0 for a
/// model that is trained, where the rehearsals fail, and after a stop. Progress counts to calibration_steps.
ErrorModel calibrate(const Table& table, const Predictor& predictor, const ProgressFn& progress, int threads,
                     const PairLabels& labels = {});

}  // namespace kedge
