#pragma once

// Verdict: what can be said of a query before its true answer is known.
//
//   interpolation  the query itself is in support: no farther from its nearest training row than training
//   rows are
//                  from each other, and no column out of its training range
//   reachable      it is not, but the difference to some anchor is: no farther from its nearest training
//                  difference than training differences are from each other, and no coordinate larger than
//                  any
//   edge           the best difference is within the tolerance of that
//   unreachable    it is not: no combination of what was seen leads to this query
//   undetermined   nothing can be said: too few or degenerate training rows, or anchors that the caller gives
//
// A verdict is about where the query lies, whatever the model. One that reads no anchor, or answers by the
// nearest row, does not use the difference: of its queries `reachable` says only that the difference to some
// training row is like one that was seen. Whether the function carries over (a polynomial does not) is what
// `expected_error` tells.

#include <array>
#include <cstddef>
#include <limits>
#include <string>

namespace kedge {

enum class Verdict { interpolation, reachable, edge, unreachable, undetermined };

inline constexpr std::array<Verdict, 5> all_verdicts = {
    Verdict::interpolation, Verdict::reachable, Verdict::edge, Verdict::unreachable, Verdict::undetermined};

std::string to_text(Verdict verdict);

/// Whether the query lies beyond the differences that were seen.
constexpr bool is_beyond(Verdict verdict) {
  return verdict == Verdict::edge || verdict == Verdict::unreachable;
}

/// In units of the metric. Not positive or not finite means that nothing can be told by it. A larger radius
/// calls more queries fine.
struct Thresholds {
  double support_radius = std::numeric_limits<double>::quiet_NaN();  ///< of interpolation
  double delta_radius = std::numeric_limits<double>::quiet_NaN();    ///< of reachable
  double edge_factor = 2;  ///< the edge ends at this many delta radii; at least 1

  /// Whether anything can be told by them.
  bool is_usable() const;
};

/// Where a query lies.
struct Position {
  double support_distance = std::numeric_limits<double>::quiet_NaN();
  double delta_distance = std::numeric_limits<double>::quiet_NaN();  ///< NaN without an anchor
  bool columns_in_range = false;
  size_t admissible_anchors = 0;
};

Verdict judge(const Position& position, const Thresholds& thresholds);

}  // namespace kedge
