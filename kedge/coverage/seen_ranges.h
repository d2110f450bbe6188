#pragma once

// SeenRanges: where the training rows lie, column by column.
//
//   linear columns  from the least to the greatest number; of differences, up to the largest
//   angles          all but unseen arcs: gaps between neighbouring training angles that are wider than 30
//                   degrees and than chance explains, by the median gap. Angles drawn evenly from a circle
//                   have an unseen arc once in a hundred times.
//   rotations       have no range: the distance to the nearest row tells

#include <span>
#include <vector>

#include "kedge/anchors/difference_pool.h"
#include "kedge/coverage/departure.h"

namespace kedge {

/// Part of a circle, in radians: from its beginning counter-clockwise to its end.
struct Arc {
  double begin = 0, width = 0;
};

/// The arcs that these angles leave unseen.
std::vector<Arc> unseen_arcs(std::vector<double> angles);

class SeenRanges {
 public:
  SeenRanges() = default;
  explicit SeenRanges(const DifferencePool& pool);

  bool holds(std::span<const double> point) const;
  /// Whether no linear coordinate is larger than any of the pool.
  bool holds_difference(std::span<const double> delta) const;
  /// Columns that put the point outside, the largest relative amount first; none where it is held.
  std::vector<Departure> departures(std::span<const double> point) const;

 private:
  struct Range {
    size_t column = 0, point = 0, delta = 0;
    bool is_log = false;
    double low = 0, high = 0;       ///< over training points
    double largest_difference = 0;  ///< of the pool, its absolute value
  };
  struct Circle {
    size_t column = 0, point = 0;
    double unit = 1;  ///< radians for each unit of the column
    std::vector<Arc> unseen;
  };
  void measure_differences(const DifferencePool& pool);

  std::vector<Range> ranges_;
  std::vector<Circle> circles_;
};

}  // namespace kedge
