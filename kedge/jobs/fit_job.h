#pragma once

// The job that most experiments are made of: a model is fitted on a domain's training rows and asked for its
// rows in support and out of it. Experiments that need the same fit share it, whatever they ask.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kedge/jobs/job.h"
#include "kedge/predictor/options.h"

namespace kedge {

struct FitSpec {
  // What is fitted.
  std::string domain;
  FitOptions options;  ///< its seed is also that of the rows
  size_t train_rows = 1000;
  /// Of a function: train rows from this range instead of its own, oos rows from half a width on either side.
  std::optional<std::array<double, 2>> train_range = {};
  /// Pairs of related rows, and as many of others, that weights of pairs are learned from.
  size_t example_pairs = 0;

  // What is asked.
  size_t test_rows = 50;          ///< in support, and as many out of it
  std::vector<double> grid{};     ///< places of a one-input domain to predict at, for a curve
  bool keep_predictions = false;  ///< of the rows out of support, for a picture
};

/// The fit alone, for other questions than those of `fit_job`.
Fit fit_of(const FitSpec& spec);

Job fit_job(const FitSpec& spec);

struct FitScores {
  size_t failed = 0;            ///< fits that diverged or whose predictions are not finite; they have no rows
  std::vector<double> in, oos;  ///< of each row the distance of the prediction from the truth
  double in_deviation = 0, oos_deviation = 0;  ///< of the true outputs (norm over outputs)
  std::vector<double> grid;                    ///< predictions at the grid
  std::vector<double> oos_y;                   ///< predictions out of support, row by row

  /// Root mean square error over the deviation of the outputs.
  double in_error() const;
  double oos_error() const;

  /// The rows of another fit too; deviations and predictions stay.
  void add(const FitScores& other);
};

/// Reads the result of a fit job, or of another job that writes the same.
FitScores scores_from_json(const std::string& text);

/// Of one of the fits that were run.
FitScores scores_of(const FitSpec& fit, const JobResults& results);

/// The rows of several fits together, their deviations left out.
FitScores joined(const std::vector<FitSpec>& fits, const JobResults& results);

/// Of the mean of the training outputs as the prediction of every row. Reads the spec's domain, rows and
/// seed.
FitScores training_mean_scores(const FitSpec& spec);
inline constexpr const char* training_mean_name = "training mean";

/// A job for each fit.
std::vector<Job> fit_jobs(const std::vector<FitSpec>& fits);

/// A preset's options for an experiment on a domain: its space, columns of one unit scaled together where the
/// preset scales at all, and no calibration, which no table reads.
FitOptions experiment_options(const std::string& domain, const std::string& preset, const std::string& model,
                              uint64_t seed);

/// Few steps, for a quick run.
void shorten(FitOptions& options);

}  // namespace kedge
