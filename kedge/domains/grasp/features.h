#pragma once

// Features of a cloud, as the paper reduces it (appendix D.1): its mean and its three principal axes, as unit
// vectors, by falling variance. The size of the cloud is not among them.
//
// Laws: the axes are orthonormal and right-handed; turning the cloud turns the axes with it, moving it or
// scaling it by a positive factor leaves them as they are; the order of the points does not matter.
//
// An eigenvector has no sign. Here it comes from the points: the mean of |p|^6 p over the centred points p is
// a vector that turns with the cloud and points to its farthest parts, a neck or a handle. The two axes along
// which it is longest point its way; the remaining one, across which the objects here are symmetric,
// completes a right-handed frame. A rule on an axis' own coordinates would flip the axis as the object turns.
// The sixth power, because under the noise of the grasp domains a plain third moment leaves the sign along
// the mug's handle to chance (2.4 standard deviations from zero at the smallest scale; 6.3 with the sixth
// power).

#include <array>

#include "kedge/domains/grasp/surface.h"

namespace kedge {

struct CloudFrame {
  Point mean;
  std::array<Point, 3> axes;          ///< by falling variance
  std::array<double, 3> variances{};  ///< along the axes
  std::array<double, 3> reach{};      ///< that mean along the axes, over (sum of variances)^(7/2)
};

/// Of two points or more.
CloudFrame frame_of(const Cloud& cloud);

/// The twelve numbers: mean, first, second, third axis.
std::array<double, 12> features_of(const CloudFrame& frame);

}  // namespace kedge
