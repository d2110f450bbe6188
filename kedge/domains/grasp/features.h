#pragma once

// Features of a cloud, as the paper reduces it (appendix D.1): its mean and its three principal axes, as unit
// vectors, by falling variance. The size of the cloud is not among them.
//
// Laws: the axes are orthonormal and right-handed; turning the cloud about z turns the axes with it, moving
// it or scaling it by a positive factor leaves them as they are; the order of the points does not matter.
//
// An eigenvector has no sign. A rule on an axis' own x and y would flip the axis as the object turns; here
// the sign comes from what turns with the object. The axis nearest to the vertical points up. The mean of
// |p|^4 p over the centred points p points to the farthest parts, a neck or a handle: of the other two axes,
// that along which it is longer points its way, and the last, across which the objects here are symmetric,
// completes a right-handed frame. The fourth power, because a plain third moment (|p|^2 p) is too close to
// zero along the teapot, 4.5 standard deviations of what the noise of the grasp domains does to it at the
// smallest scale against 6.5.

#include <array>

#include "kedge/domains/grasp/surface.h"

namespace kedge {

struct CloudFrame {
  Point mean;
  std::array<Point, 3> axes;          ///< by falling variance
  std::array<double, 3> variances{};  ///< along the axes
};

/// Of two points or more.
CloudFrame frame_of(const Cloud& cloud);

/// The twelve numbers: mean, first, second, third axis.
std::array<double, 12> features_of(const CloudFrame& frame);

}  // namespace kedge
