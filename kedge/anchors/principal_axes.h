#pragma once

// PrincipalAxes: maps deltas to vectors whose Euclidean distance is never more than the distance of the
// deltas.
//
// A delta's features are divided by the metric's scale (for rotations also by sqrt 2) and rotated to the
// principal axes of the pool's differences, the axis of greatest variance first. For vectors and logarithms
// distances stay the same. For angles and rotations the distance becomes that of the chord, which is at most
// the arc. Law: for deltas a and b,
//   |project(a) - project(b)| <= distance(a, b) + slack,
// where slack covers the rounding of both sides. Axes after the first `most_axes` are dropped.

#include <span>
#include <vector>

#include "kedge/anchors/difference_pool.h"

namespace kedge {

class PrincipalAxes {
 public:
  static constexpr size_t most_axes = 128;

  PrincipalAxes() = default;
  explicit PrincipalAxes(const DifferencePool& pool);

  size_t count() const { return axes_; }

  /// `values` are features of a delta, or of a point for linear spaces.
  void project(std::span<const double> values, std::span<double> sums, float* out, size_t stride) const;
  /// The target of an anchor, for any space.
  void project_delta(const DifferencePool& pool, std::span<const double> delta, float* out,
                     size_t stride) const;
  /// A point minus the training mean, for linear spaces: projected query minus projected anchor is the
  /// target.
  void project_point(std::span<const double> point, float* out, size_t stride) const;

  /// The slack of the law for targets of this point and differences of the pool.
  double slack(std::span<const double> point) const;

 private:
  struct Size {
    double centered = 0, absolute = 0;
  };
  Size size(std::span<const double> point) const;

  size_t axes_ = 0;
  std::vector<double> weight_;   // by feature
  std::vector<double> turn_;     // [feature][axis]
  std::vector<double> center_;   // by point coordinate
  std::vector<double> inverse_;  // by point coordinate: 1 / scale where linear, 0 elsewhere
  double curved_ = 0;            // greatest length that features of curved groups can have
  Size greatest_;                // over the training points
};

}  // namespace kedge
