#pragma once

// Clouds and rigid motions that the tests of the tensor field network share.

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {

using Cloud6 = std::vector<double>;

inline Cloud6 random_cloud(uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Cloud6 cloud(18);
  std::generate(cloud.begin(), cloud.end(), [&] { return rng.uniform(-1, 1); });
  return cloud;
}

/// A rotation about any axis by any angle.
inline Eigen::Matrix3d random_rotation(uint64_t seed) {
  Rng rng(seed, Stream::noise);
  const double w = rng.normal(), x = rng.normal(), y = rng.normal(), z = rng.normal();
  return Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
}

inline Cloud6 moved(const Cloud6& cloud, const Eigen::Matrix3d& turn, const Eigen::Vector3d& shift) {
  Cloud6 out(cloud.size());
  for (size_t p = 0; p < cloud.size(); p += 3) {
    const Eigen::Vector3d point(cloud[p], cloud[p + 1], cloud[p + 2]), image = turn * point + shift;
    std::copy_n(image.data(), 3, &out[p]);
  }
  return out;
}

/// The same points, the last one first.
inline Cloud6 reversed(const Cloud6& cloud) {
  Cloud6 out;
  for (size_t p = cloud.size(); p > 0; p -= 3)
    out.insert(out.end(), {cloud[p - 3], cloud[p - 2], cloud[p - 1]});
  return out;
}

}  // namespace kedge
