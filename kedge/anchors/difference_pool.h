#pragma once

// DifferencePool: training points, the metric, and the pool: pairs of training points. Each pair has a
// difference.
//
// This class defines the distance between a target (query minus anchor) and a difference. Every exact search
// calls it, so that all searches agree to the last bit.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/pairs/sampler.h"
#include "kedge/space/space.h"

namespace kedge {

/// An anchor and the difference of the pool nearest to query minus anchor.
struct NearestDifference {
  uint32_t anchor = 0;  ///< training row
  uint32_t place = 0;   ///< in the pool; of equal distances the first
  double squared = 0;

  double distance() const { return std::sqrt(squared); }
};

/// Whether `a` comes before `b`: by distance, then by training row.
inline bool closer(const NearestDifference& a, const NearestDifference& b) {
  return a.distance() != b.distance() ? a.distance() < b.distance() : a.anchor < b.anchor;
}

struct DifferencePool {
  Space space;
  Matrix<double> points;      ///< canonical points of the space
  std::vector<double> scale;  ///< of each delta coordinate
  std::vector<Pair> pairs;    ///< at least one
  /// Training rows that may serve as anchors, rising; empty: all of them.
  std::vector<uint32_t> anchors = {};

  size_t anchor_count() const { return anchors.empty() ? points.rows() : anchors.size(); }
  uint32_t anchor(size_t number) const {
    return anchors.empty() ? static_cast<uint32_t>(number) : anchors[number];
  }
  size_t delta_size() const { return scale.size(); }
  void target(std::span<const double> point, size_t anchor, std::span<double> delta) const {
    space.minus(point, points.row(anchor), delta);
  }
  double squared_distance(std::span<const double> target, size_t place) const;
  /// Compares with the whole pool.
  NearestDifference nearest(std::span<const double> point, size_t anchor) const;
};

}  // namespace kedge
