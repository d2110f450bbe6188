#pragma once

// Rehearsal: how well a fit extrapolates, found out inside the training table. The outermost rows are held
// out, the rest is fitted, and the held-out rows are predicted. Random folds cannot tell this: they
// interpolate. There are two kinds of outermost: by inputs, and by outputs, for those who look for an output
// larger or smaller than any seen.
//
// What is rehearsed is the whole way from a table to a predictor. Options that leave a choice open
// (kedge/trials/choice.h) have it made on the rows that are fitted, of which the choice holds out an outer
// shell of its own.
//
// Of a large table a rehearsal takes some thousand rows, drawn at random: shells are parts of the rows, so
// they mean the same. It then fits fewer rows than the whole fit does, so the errors that it finds are rather
// too large than too small.
//
// Laws: choice and fit depend on the fitted rows alone, never on a held-out one; the result is the same for
// any number of threads.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/predictor/fit.h"
#include "kedge/table/table.h"

namespace kedge {

/// Which rows are outermost: those farthest out in any input, those at one end of the inputs' leading axis,
/// or those at one end of the outputs' leading axis (of one output: the smallest, the largest).
enum class Shell { around, low_end, high_end, smallest, largest };

/// Whether a shell is one of outputs.
constexpr bool is_of_outputs(Shell shell) { return shell == Shell::smallest || shell == Shell::largest; }

struct RehearsalOptions {
  Shell shell = Shell::around;
  double fraction = 0.2;                ///< of the rows, held out as the shell
  double inside_fraction = 0;           ///< of the other rows, held out at random
  double effort = 0.2;                  ///< of the training steps, spent on the trial
  size_t queries = 200;                 ///< shell rows predicted at most, and rows held out inside
  size_t pool = 1000;                   ///< differences kept at most
  size_t replicas = 1;                  ///< networks trained at most
  Judging judging = Judging::verdicts;  ///< of the predictions
  std::vector<AnchorOptions> anchors =
      {};  ///< rules to answer by as well; models without anchors ignore them
};

/// Rows of a larger table that a rehearsal uses.
inline constexpr size_t most_rehearsal_rows = 10000;

/// The rows of a table that a rehearsal with these options uses, rising: all, or about most_rehearsal_rows.
/// Where rows are paired by label or time, all rows that share one are taken or none, as long as that leaves
/// no more than twice as many.
std::vector<size_t> rehearsal_rows(const Table& table, const FitOptions& options);

/// Rows of a rehearsal by their numbers.
struct HeldOut {
  std::vector<size_t> fitted, queries;
  std::vector<bool> outside;  ///< by query: whether it is of the shell
};

/// Which rows are held out, by their inputs or their outputs. Rows with the inputs of one outside go outside
/// too: repeated measurements would give a held-out row away. Throws Error when fewer than two different rows
/// are left.
HeldOut hold_out(MatrixView<const double> points, const RehearsalOptions& rehearsal, uint64_t seed,
                 MatrixView<const double> outputs = {});

/// After a stop only the status tells something.
struct Rehearsal {
  Predictions predictions;              ///< of the held-out rows
  std::vector<Matrix<double>> by_rule;  ///< the same answers by each of RehearsalOptions::anchors; or none
  Matrix<double> fitted_outputs;        ///< of the fitted rows
  Matrix<double> truth;                 ///< their outputs
  std::vector<bool> outside;            ///< whether a row is of the shell
  std::vector<bool> in_support;    ///< of each row, see Predictor; empty without RehearsalOptions::anchors
  std::vector<double> gap;         ///< of each answer, see OutputRange::gap
  std::vector<double> excess;      ///< of each answer, see OutputRange::excess
  std::vector<double> extent;      ///< of each, see relative_extents; empty without verdicts
  double output_scale = 1;         ///< deviation of the fitted rows' outputs (norm over outputs)
  std::vector<double> scale;       ///< of each answer, see answer_scales
  double loss = 0;                 ///< final, of the trial; NaN for closed forms
  double usual_spread = 0;         ///< mean spread on rows that were fitted
  Fourier fourier = Fourier::off;  ///< as it was fitted
  std::optional<UsedDevice> trained_on = {};  ///< as FitResult::trained_on
  TrainStatus status = TrainStatus::finished;
};

/// What is rehearsed. The table must outlive the rehearsal.
struct RehearsalRequest {
  const Table& table;
  FitOptions options;  ///< of the whole fit; the nested choice has the effort that `choose` has for it
  RehearsalOptions rehearsal = {};
  PairExamples examples = {};  ///< they count only where both rows are fitted
};

/// A rehearsal beside others; an error where the rows that are left cannot be fitted.
struct RehearsalAttempt {
  std::optional<Rehearsal> result = {};
  std::optional<Error> error = {};
};

/// Several rehearsals side by side: first all choices, then all fits. Progress counts the sum of their
/// rehearsal_load. After a wish to stop those that could be fitted are all `stopped`.
std::vector<RehearsalAttempt> rehearse(std::span<const RehearsalRequest> requests, const RunOptions& run);

/// What a rehearsal takes: its choice, its fit and its predictions.
Workload rehearsal_load(const RehearsalRequest& request);

/// Root mean square error on the shell over the outputs' deviations in the whole table: 1 is no better than a
/// constant. Infinite when training diverged.
double shell_error(const Table& table, const Rehearsal& rehearsal);

/// Deviation of the outputs, norm over outputs; 0 where none varies.
double output_scale(const Table& table);

/// Of each answer, the deviation of outputs near it over that of all outputs; 1 where every output is plain.
std::vector<double> answer_scales(const Predictor& predictor, const Predictions& answers,
                                  double output_scale);

/// Mean spread of a predictor on rows it was fitted on, each over the scale of its answer. `predicting` says
/// how they are predicted.
double usual_spread(const Predictor& predictor, const Table& fitted, const PredictOptions& predicting);

/// With fewer rows a shell says nothing.
inline constexpr size_t fewest_rehearsal_rows = 20;

}  // namespace kedge
