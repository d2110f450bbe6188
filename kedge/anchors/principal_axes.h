#pragma once

// PrincipalAxes: deltas as points of a flat space that never overstates a distance.
//
// A delta becomes its features over the metric's scale (a rotation's also over sqrt 2), turned to the
// principal axes of the pool's differences, widest first. For vectors and logarithms that is an isometry; for
// angles and rotations the straight line stands for the arc. Law: for deltas a and b,
//   |project(a) - project(b)| <= distance(a, b) + slack,
// where slack covers the rounding of this and of the exact distance. Beyond `most_axes` axes are left out.

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
  /// A point less the training mean, for linear spaces: the target is the query's less the anchor's.
  void project_point(std::span<const double> point, float* out, size_t stride) const;

  /// How far a distance between projections may exceed the distance of a target of this point and a
  /// difference of the pool.
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
