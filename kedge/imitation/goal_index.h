#pragma once

// GoalIndex: which demonstration a goal is acted from, and what can be said of the goal before it is tried.
//
// A goal is to demonstrations what a query is to a table's rows: the anchor is the demonstration whose
// difference of goals was seen in training, by the same rules and the same exact search (kedge/anchors), and
// the verdict is the same (kedge/coverage). The result is a pure function of (index, goal, rule).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/core/matrix.h"
#include "kedge/coverage/stored_coverage.h"
#include "kedge/coverage/support.h"
#include "kedge/pairs/encoder.h"

namespace kedge {

/// What can be said of a goal.
struct GoalAnswer {
  std::vector<uint32_t> anchors =
      {};                       ///< demonstrations that it is acted from, best first; none for some models
  Pair analog = {};             ///< the two demonstrations whose goals differ most alike
  double support_distance = 0;  ///< to the nearest demonstrated goal, in units of the metric
  double delta_distance = 0;    ///< between the two differences; NaN without an anchor
  double expected_error = 0;    ///< of the actions (norm over them); NaN if unknown
  Verdict verdict = Verdict::undetermined;
};

class GoalIndex {
 public:
  struct Options {
    Scaling scaling = Scaling::standard;  ///< standard: columns count in units of their deviation
    SelfPairs self = SelfPairs::exclude;
    size_t pool = 10000;  ///< differences of goals that are kept
    uint64_t seed = 0;
  };

  GoalIndex() = default;
  /// `goals` has a row for each demonstration, at least two; `names` are its columns.
  GoalIndex(Matrix<double> goals, const std::vector<std::string>& names, const Options& options);
  /// The same with what a file keeps of coverage.
  GoalIndex(Matrix<double> goals, const std::vector<std::string>& names, const Options& options,
            const StoredCoverage& coverage);

  GoalAnswer answer(std::span<const double> goal, const AnchorOptions& rule) const;

  const Matrix<double>& goals() const { return index_.points(); }
  StoredCoverage coverage() const { return {support_.thresholds(), support_.delta_quantiles(), errors_}; }
  void set_errors(const ErrorModel& errors) { errors_ = errors; }

 private:
  AnchorIndex index_;
  Support support_;
  ErrorModel errors_;
};

}  // namespace kedge
