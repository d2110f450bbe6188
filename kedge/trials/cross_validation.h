#pragma once

// Cross-validation by outer shells: which model is right for a table, and whether any of them carries over
// beyond it. Random folds cannot tell: they interpolate.
//
// Every candidate model is rehearsed (kedge/trials/rehearsal.h) on several shells: the outermost rows
// (around, at the low end, at the high end of the inputs; the smallest, the largest outputs) are held out,
// and some of the rest at random; what is left is fitted, and the held-out rows are predicted. What the
// options leave open is chosen anew on the fitted rows of each shell: a score is that of the whole procedure,
// and no row that it was measured on took part in it. The exception are a few numbers that are settled on the
// answers themselves (kedge/trials/tuning.h).
//
// The closed form that does best of those that may be a base (kedge/models/base.h) is tried as one: bilinear
// over it is a candidate of its own.
//
// Errors are root mean squares over rows and outputs, each output in units of its deviation in the whole
// table: 0 is perfect, 1 is what the table's mean as the answer to every row of the table would score.
//
// Laws: the result is the same for any number of threads; a model that fails on a shell is reported with the
// reason and stops nothing.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kedge/predictor/options.h"
#include "kedge/table/table.h"
#include "kedge/trials/rehearsal.h"
#include "kedge/trials/tuning.h"

namespace kedge {

struct CrossValidationOptions {
  std::vector<std::string> models = {};  ///< empty: default_candidates
  std::vector<Shell> shells = {Shell::around, Shell::low_end, Shell::high_end, Shell::smallest,
                               Shell::largest};
  double fraction = 0.2;         ///< of the rows, held out as a shell of inputs
  double output_fraction = 0.1;  ///< of the rows, held out as a shell of outputs
  double inside_fraction = 0.1;  ///< of the other rows, held out at random
  /// Of the training steps, spent on each trial; on one of bilinear twice as much, at most all of them. It
  /// loses most by short training, and a closed form nothing.
  double effort = 0.5;
  Beyond beyond = Beyond::both;  ///< what counts
  bool tuned = true;             ///< whether anchors, shares and ends of outputs are tuned
};

/// Shells shown to users: "around", "low end", "high end".
std::string to_text(Shell shell);

/// How one model did on one shell. NaN where there is no number.
struct ShellScore {
  Shell shell = Shell::around;
  double in = std::numeric_limits<double>::quiet_NaN();    ///< error on rows held out at random
  double out = std::numeric_limits<double>::quiet_NaN();   ///< error on the shell
  double rank = std::numeric_limits<double>::quiet_NaN();  ///< Spearman's, on the shell, mean over outputs
  /// Of a shell of outputs: as many rows as it has are taken that are predicted to be the farthest out, of
  /// all that were held out; the part of them that are of the shell.
  double found = std::numeric_limits<double>::quiet_NaN();
  /// Mean absolute errors, on rows held out at random and on the shell: choices go by them.
  double in_absolute = std::numeric_limits<double>::quiet_NaN();
  double out_absolute = std::numeric_limits<double>::quiet_NaN();
  Fourier fourier = Fourier::off;             ///< as it was chosen for this shell
  std::optional<UsedDevice> trained_on = {};  ///< as FitResult::trained_on
  std::string failure = {};                   ///< why there are none; empty when there are
};

/// Mean and deviation over shells; NaN where there are none.
struct Estimate {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

struct ModelScore {
  FitOptions options = {};              ///< what a fit of this model takes, open choices left open
  std::vector<ShellScore> shells = {};  ///< empty for a model that was skipped
  Estimate in = {};                     ///< over all shells
  Estimate out = {}, rank = {};         ///< over shells of inputs
  Estimate beyond = {}, beyond_rank = {}, found = {};  ///< over shells of outputs
  TrialErrors errors = {};                             ///< what it is judged by
  std::string failure = {};                            ///< why the model has no estimates; empty when it has

  const std::string& model() const { return options.model; }
  /// "bilinear", or "quadratic+bilinear" over a base.
  std::string name() const { return options.base.empty() ? model() : options.base + "+" + model(); }
};

/// Fills in what the scores of shells tell: estimates and errors, or the failure.
void summarize(ModelScore& score);
/// What shells are judged by; those that failed are left out.
TrialErrors errors_of(const std::vector<ShellScore>& shells);

/// When a model is said to carry over. It explains the table: its error in support is at most `inside`. Half
/// a deviation is half the error of the mean of the outputs: three quarters of the variance are explained (R²
/// = 0.75). What is known so badly where rows are has nothing to carry outward. Its error out of support is
/// at most `most`, and small, at most `small`, or little more than in support, at most `growth` times as much
/// (noise costs the same everywhere).
struct CarryThresholds {
  double inside = 0.5;
  double most = 0.7;
  double small = 0.15;
  double growth = 2;
};

/// Of a model: `over`: its errors stay small beyond the data; `not_over`: they do not; `unexplained`: they
/// are large even inside; `unknown`: it could not be scored. Of a table: `over`: those of the recommended
/// model do; `not_over`: no model's do, the best one is named all the same; `unexplained`: no model explains
/// the table, even inside; `unknown`: no model could be scored.
enum class Carries { over, not_over, unexplained, unknown };

Carries carries(const ModelScore& score, const CarryThresholds& thresholds = {});

struct Recommendation {
  Carries carries = Carries::unknown;
  std::string model = {};   ///< the name of a score; empty when unknown
  std::string reason = {};  ///< one or two sentences for people
};

/// The model of least `weighed` error, that of an unstructured network (see Model) out of support
/// counted 1.25 times; among those within 2 % or 0.0001 of it the simplest, by Model::complexity. Models
/// without estimates do not count, nor does a constant where outputs alone are sought: it puts nothing in
/// order.
Recommendation recommend(const std::vector<ModelScore>& scores, Beyond beyond = Beyond::both,
                         const CarryThresholds& thresholds = {});

struct CrossValidation {
  std::vector<ModelScore> models;  ///< in the order of the candidates
  Recommendation recommendation;
  TrainStatus status = TrainStatus::finished;  ///< `stopped`: the rest says nothing

  /// Throws Error on a name that is no candidate.
  const ModelScore& score(const std::string& name) const;
};

/// The base of a fit as a fit of its own.
FitOptions base_alone(const FitOptions& options);

/// Every model that these options can be fitted with: those that need context only when some is given.
std::vector<std::string> default_candidates(const FitOptions& base);

/// Why this fit is left out where nobody named its model: it would take long. Empty where it would not.
std::string reason_to_skip(const Table& table, const FitOptions& fit);

/// Throws Error where the table cannot be cross-validated with any model.
void require_rows(const Table& table, const FitOptions& base);

/// What scoring a fit with these options takes.
Workload trial_load(const Table& table, const FitOptions& fit, const CrossValidationOptions& options);

/// Scores each of these by its own options, but for those that have a score or a failure already. `stopped`:
/// nothing was scored.
TrainStatus score_all(const Table& table, std::vector<ModelScore>& scores,
                      const CrossValidationOptions& options, const RunOptions& run);

/// Scores every candidate with the options of `base`. Throws Error when the table cannot be fitted by any
/// model, has too few rows, or a name is unknown.
CrossValidation cross_validate(const Table& table, const FitOptions& base,
                               const CrossValidationOptions& options = {}, const RunOptions& run = {});

}  // namespace kedge
