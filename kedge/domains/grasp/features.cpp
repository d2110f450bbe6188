#include "kedge/domains/grasp/features.h"

#include <Eigen/Eigenvalues>
#include <cassert>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

Point mean_of(const Cloud& cloud) {
  Point sum;
  for (const Point& point : cloud) sum = sum + point;
  return 1.0 / static_cast<double>(cloud.size()) * sum;
}

Eigen::Matrix3d covariance_of(const Cloud& cloud, Point mean) {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (const Point& point : cloud) {
    const Point p = point - mean;
    xx += p.x * p.x, xy += p.x * p.y, xz += p.x * p.z;
    yy += p.y * p.y, yz += p.y * p.z, zz += p.z * p.z;
  }
  Eigen::Matrix3d covariance;
  covariance << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return covariance / static_cast<double>(cloud.size());
}

/// The mean of |p|^4 p, which turns with the cloud and points to where the cloud reaches farthest.
Point reach_of(const Cloud& cloud, Point mean) {
  Point sum;
  for (const Point& point : cloud) {
    const Point p = point - mean;
    const double square = dot(p, p);
    sum = sum + square * square * p;
  }
  return 1.0 / static_cast<double>(cloud.size()) * sum;
}

/// Gives the axes their signs, as the header says.
void orient(std::array<Point, 3>& axes, Point reach) {
  size_t upright = 0;
  for (size_t k = 1; k < 3; ++k)
    if (std::abs(axes[k].z) > std::abs(axes[upright].z)) upright = k;
  size_t far = (upright + 1) % 3, last = (upright + 2) % 3;
  if (std::abs(dot(reach, axes[far])) < std::abs(dot(reach, axes[last]))) std::swap(far, last);
  if (axes[upright].z < 0) axes[upright] = -1.0 * axes[upright];
  if (dot(reach, axes[far]) < 0) axes[far] = -1.0 * axes[far];
  const Point completing = cross(axes[upright], axes[far]);
  axes[last] = far == (upright + 1) % 3 ? completing : -1.0 * completing;
}

}  // namespace

CloudFrame frame_of(const Cloud& cloud) {
  assert(cloud.size() >= 2);
  CloudFrame frame;
  frame.mean = mean_of(cloud);
  // The iterative solver: the closed form loses half the digits of close eigenvalues.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance_of(cloud, frame.mean));
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d axis = solver.eigenvectors().col(2 - k);
    frame.axes[static_cast<size_t>(k)] = {axis.x(), axis.y(), axis.z()};
    frame.variances[static_cast<size_t>(k)] = solver.eigenvalues()[2 - k];
  }
  orient(frame.axes, reach_of(cloud, frame.mean));
  return frame;
}

std::array<double, 12> features_of(const CloudFrame& frame) {
  const auto& [mean, axes, variances] = frame;
  return {mean.x,    mean.y,    mean.z,    axes[0].x, axes[0].y, axes[0].z,
          axes[1].x, axes[1].y, axes[1].z, axes[2].x, axes[2].y, axes[2].z};
}

}  // namespace kedge
