#include "kedge/domains/grasp/surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;

TEST(Surface, points_are_spread_by_area_whatever_the_parametrization) {
  // A disc whose parameter runs through most of its radius in a small part of the square.
  const Patch disc = [](double u, double v) {
    const double radius = std::sqrt(std::sqrt(u)), angle = 2 * std::numbers::pi * v;
    return Point{radius * std::cos(angle), radius * std::sin(angle), 0};
  };
  const Patch far_square = [](double u, double v) { return Point{10 + u, v, 0}; };
  Rng rng(1, Stream::grasp_shape);
  const size_t count = 20000;
  const Cloud cloud = scatter({disc, far_square}, count, rng);
  ASSERT_EQ(cloud.size(), count);
  double inner = 0, on_disc = 0;
  for (const Point& point : cloud) {
    if (point.x > 5) continue;
    ++on_disc;
    if (std::hypot(point.x, point.y) < 0.5) ++inner;
  }
  const double area_of_disc = std::numbers::pi;
  EXPECT_NEAR(on_disc / static_cast<double>(count), area_of_disc / (area_of_disc + 1), 0.005);
  EXPECT_NEAR(inner / on_disc, 0.25, 0.01);
}

TEST(Surface, a_loft_passes_through_its_rings) {
  const Patch wall = loft({{.x = 0, .z = 0, .wide = 2, .deep = 1}, {.x = 1, .z = 3, .wide = 4, .deep = 5}});
  EXPECT_NEAR(length(wall(0, 0) - Point{2, 0, 0}), 0, tolerance);
  EXPECT_NEAR(length(wall(0, 0.25) - Point{0, 1, 0}), 0, tolerance);
  EXPECT_NEAR(length(wall(1, 0.5) - Point{-3, 0, 3}), 0, tolerance);
  EXPECT_NEAR(length(wall(0.5, 0.75) - Point{0.5, -3, 1.5}), 0, tolerance);
}

TEST(Surface, a_pipe_keeps_its_radius_around_each_joint) {
  const std::vector<Joint> joints = {{.x = 0, .z = 0, .radius = 0.1},
                                     {.x = 1, .z = 0.5, .radius = 0.2},
                                     {.x = 1, .z = 2, .radius = 0.3},
                                     {.x = 0, .z = 2, .radius = 0.2}};
  const Patch bent = pipe(joints);
  for (size_t k = 0; k < joints.size(); ++k) {
    const double u = static_cast<double>(k) / 3;
    Point middle;
    for (int turn = 0; turn < 8; ++turn) {
      const Point wall = bent(u, turn / 8.0);
      EXPECT_NEAR(length(wall - Point{joints[k].x, 0, joints[k].z}), joints[k].radius, tolerance) << k;
      middle = middle + 0.125 * wall;
    }
    EXPECT_NEAR(length(middle - Point{joints[k].x, 0, joints[k].z}), 0, tolerance) << k;
  }
  // Across the pipe, not along it: the wall's ring is at right angles to the way on.
  const Point way = bent(0.5 + 1e-6, 0.25) - bent(0.5 - 1e-6, 0.25), across = bent(0.5, 0) - bent(0.5, 0.5);
  EXPECT_NEAR(dot(way, across) / (length(way) * length(across)), 0, 1e-3);
}

}  // namespace
}  // namespace kedge
