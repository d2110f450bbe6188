#pragma once

// PrincipalAxes: maps deltas, or points, to vectors whose Euclidean distance is never more than the distance
// of the deltas or points.
//
// Features are divided by the metric's scale (for rotations also by sqrt 2) and rotated to the principal axes
// of the pool's differences or of the training points, the axis of greatest variance first. For vectors and
// logarithms distances stay the same. For angles and rotations the distance becomes that of the chord, which
// is at most the arc. Law: for deltas a and b, and for points a and b,
//   |project(a) - project(b)| <= distance(a, b) + slack,
// where slack covers the rounding of both sides. Axes after the first `most_axes` are dropped.

#include <span>
#include <vector>

#include "kedge/anchors/difference_pool.h"

namespace kedge {

class PrincipalAxes {
 public:
  static constexpr size_t most_axes = 128;

  /// Whose principal axes: a choice of speed, not of results.
  enum class Of { differences, points };

  PrincipalAxes() = default;
  explicit PrincipalAxes(const DifferencePool& pool, Of of = Of::differences);

  size_t count() const { return axes_; }
  /// Whether the law holds both ways: distances of projections are at most `slack` less, too.
  bool keeps_distances() const { return curved_ == 0 && axes_ == weight_.size(); }

  /// The target of an anchor.
  void project_delta(const DifferencePool& pool, std::span<const double> delta, float* out,
                     size_t stride) const;
  /// A point, linear coordinates less the training mean. In linear spaces projected query minus projected
  /// anchor is the target.
  void project_point(const DifferencePool& pool, std::span<const double> point, float* out,
                     size_t stride) const;

  /// Every training point, a row each.
  Matrix<float> project_points(const DifferencePool& pool) const;

  /// The slack of the law for this point and a training point, and for targets of this point and differences
  /// of the pool.
  double slack(std::span<const double> point) const;

 private:
  struct Size {
    double centered = 0, absolute = 0;
  };
  Size size(std::span<const double> point) const;
  template <class Features>
  void project(const Features& features, float* out, size_t stride) const;

  size_t axes_ = 0;
  std::vector<double> weight_;   // by feature
  std::vector<double> turn_;     // [feature][axis]; empty where axes are columns
  std::vector<size_t> columns_;  // by axis: the feature that it is; empty where axes are turned
  std::vector<double> center_;   // by point coordinate
  std::vector<double> origin_;   // by feature: center_ where linear, 0 elsewhere
  std::vector<double> inverse_;  // by point coordinate: 1 / scale where linear, 0 elsewhere
  double curved_ = 0;            // greatest length that features of curved groups can have
  Size greatest_;                // over the training points
};

}  // namespace kedge
