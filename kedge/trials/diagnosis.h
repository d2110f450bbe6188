#pragma once

// Diagnosis: where a set of queries lies against what a predictor was fitted on, and what that means for its
// answers. What `kedge diagnose` shows.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"

namespace kedge {

/// All queries of one verdict. Means are NaN when there is none, or nothing to average.
struct VerdictSummary {
  Verdict verdict = Verdict::undetermined;
  size_t count = 0;
  double support_distance = 0, delta_distance = 0, spread = 0, expected_error = 0;
  double error = 0;  ///< over the queries that hold the true outputs
};

/// An input column's values in training and in the queries, in the table's units.
struct ColumnRange {
  std::string name;
  double training_low = 0, training_high = 0;
  double query_low = 0, query_high = 0;
  bool has_range = true;  ///< false for angles and rotations
  size_t outside = 0;     ///< queries that this column takes out: of its range, or of the arcs that were seen
  /// The largest amount by which one is out, in units of the table and relative; see Departure. 0 when none.
  double furthest = 0, furthest_relative = 0;
};

struct Diagnosis {
  Predictions predictions;
  /// Queries beside these that have no answer: their rows are no points. Set by who left them out.
  size_t unanswered = 0;
  std::vector<VerdictSummary> verdicts;  ///< in the order of all_verdicts
  std::vector<ColumnRange> columns;
  /// Queries that are outside though each of their columns is in range: no training row is near them.
  size_t combinations = 0;
  /// Places along the leading axes of the standardized training features: two, or one of a single feature.
  Matrix<double> training_map, query_map;
  std::optional<Matrix<double>> truth;  ///< the queries' outputs, when they have every output column
  /// Answers of which some output lies beyond all training outputs, and the mean of what they expect then.
  size_t beyond_outputs = 0;
  double expected_error_beyond = std::numeric_limits<double>::quiet_NaN();
  /// How well the answers put the queries in order, means over outputs; NaN where that is not known.
  double rank_correlation = std::numeric_limits<double>::quiet_NaN();
  double top_share = std::numeric_limits<double>::quiet_NaN();
  /// Distance of each prediction from the truth (norm over outputs), where that is known.
  std::optional<std::vector<double>> errors;
};

/// Errors of some queries; NaN where there is nothing to average.
struct GroupErrors {
  size_t count = 0, known = 0;  ///< all, and those whose true outputs are known
  double expected = 0;          ///< mean of those that are known
  double mean = 0, rmse = 0, r_squared = 0;

  /// Whether the true errors are as large as expected, or much larger; both false where one is not known.
  bool is_as_expected() const;
  bool is_worse_than_expected() const;
};

/// Of the queries whose verdict is chosen.
GroupErrors errors_of(const Diagnosis& diagnosis, const std::function<bool(Verdict)>& chosen);
GroupErrors errors_of(const Diagnosis& diagnosis, Verdict verdict);

/// Throws Error as `predict` does.
Diagnosis diagnose(const Predictor& predictor, const Table& queries, const PredictOptions& options = {});

}  // namespace kedge
