#pragma once

// The job that most experiments are made of: a model is fitted on a domain's training rows and asked for its
// rows in support and out of it. Experiments that need the same fit share its result.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kedge/experiments/job.h"
#include "kedge/options.h"

namespace kedge {

struct FitSpec {
  std::string domain;
  FitOptions options;  ///< its seed is also that of the rows
  size_t train_rows = 1000;
  size_t test_rows = 50;       ///< in support, and as many out of it
  std::vector<double> grid{};  ///< places of a one-input domain to predict at, for a curve
  /// Pairs of related rows, and as many of others, that weights of pairs are learned from.
  size_t labelled_pairs = 0;
};

Job fit_job(const FitSpec& spec);

struct FitScores {
  std::vector<double> in, oos;                 ///< of each row the distance of the prediction from the truth
  double in_deviation = 0, oos_deviation = 0;  ///< of the true outputs (norm over outputs)
  std::vector<double> grid;                    ///< predictions at the grid
  std::vector<double> oos_y;                   ///< predictions out of support, row by row
};

/// Reads the result of a fit job.
FitScores scores_of(const std::string& result);

/// The rows of several fits together, their deviations left out.
FitScores pooled(std::span<const std::string> results);

/// A preset's options for an experiment on a domain: columns of one unit scaled together where the preset
/// scales at all, and no calibration, which no table reads.
FitOptions experiment_options(const std::string& domain, const std::string& preset, const std::string& model,
                              uint64_t seed);

/// Few steps, for a quick run.
void shorten(FitOptions& options);

}  // namespace kedge
