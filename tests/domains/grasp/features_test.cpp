#include "kedge/domains/grasp/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kedge/domains/grasp/grasp.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-9;

Point turned(Point p, double angle) {
  return {std::cos(angle) * p.x - std::sin(angle) * p.y, std::sin(angle) * p.x + std::cos(angle) * p.y, p.z};
}

void expect_right_handed(const CloudFrame& frame) {
  for (size_t a = 0; a < 3; ++a)
    for (size_t b = 0; b < 3; ++b) EXPECT_NEAR(dot(frame.axes[a], frame.axes[b]), a == b ? 1 : 0, tolerance);
  EXPECT_NEAR(dot(cross(frame.axes[0], frame.axes[1]), frame.axes[2]), 1, tolerance);
}

TEST(CloudFeatures, axes_are_orthonormal_right_handed_and_fall_in_variance) {
  for (const GraspObject object : all_grasp_objects) {
    const Cloud& cloud = shape_of(object).points;
    const CloudFrame frame = frame_of(cloud);
    expect_right_handed(frame);
    EXPECT_GT(frame.variances[0], frame.variances[1]);
    EXPECT_GT(frame.variances[1], frame.variances[2]);
    for (size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (const Point& point : cloud) sum += std::pow(dot(point - frame.mean, frame.axes[k]), 2);
      EXPECT_NEAR(sum / static_cast<double>(cloud.size()), frame.variances[k], tolerance);
    }
  }
}

TEST(CloudFeatures, axes_turn_with_the_cloud_by_any_angle_wherever_it_stands) {
  Rng rng(3, Stream::grasp);
  for (const GraspObject object : all_grasp_objects) {
    const Cloud& cloud = shape_of(object).points;
    const CloudFrame still = frame_of(cloud);
    for (int trial = 0; trial < 60; ++trial) {
      const double angle = rng.uniform(-std::numbers::pi, std::numbers::pi), scale = rng.uniform(0.5, 2);
      const Point move = {rng.normal(), rng.normal(), rng.normal()};
      Cloud changed;
      for (const Point& point : cloud) changed.push_back(scale * (turned(point, angle) + move));
      const CloudFrame frame = frame_of(changed);
      EXPECT_NEAR(length(frame.mean - scale * (turned(still.mean, angle) + move)), 0, tolerance);
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(length(frame.axes[k] - turned(still.axes[k], angle)), 0, tolerance)
            << name_of(object) << " axis " << k << " angle " << angle;
        EXPECT_NEAR(frame.variances[k], scale * scale * still.variances[k], tolerance);
      }
    }
  }
}

TEST(CloudFeatures, noise_never_turns_an_axis_round) {
  const double worst_allowed = 0.3;  // an axis turned round would be 2 away
  for (const char* name : {"grasp-bottle", "grasp-mug", "grasp-teapot"}) {
    const GraspTask& task = find_grasp_task(name);
    const CloudFrame still = frame_of(shape_of(task.objects.front()).points);
    for (const Split split : {Split::train, Split::oos})
      for (size_t row = 0; row < 500; ++row) {
        const GraspScene scene = grasp_scene(task, {split, row, 21});
        const CloudFrame frame = frame_of(scene.cloud);
        for (size_t k = 0; k < 3; ++k)
          ASSERT_LT(length(frame.axes[k] - turned(still.axes[k], scene.pose.angle)), worst_allowed)
              << name << " row " << row << " axis " << k;
      }
  }
}

TEST(CloudFeatures, the_order_of_the_points_does_not_matter) {
  Cloud cloud = grasp_scene(find_grasp_task("grasp-mug"), {}).cloud;
  const std::array<double, 12> before = features_of(frame_of(cloud));
  std::reverse(cloud.begin(), cloud.end());
  const std::array<double, 12> after = features_of(frame_of(cloud));
  for (size_t k = 0; k < 12; ++k) EXPECT_NEAR(before[k], after[k], tolerance);
}

TEST(CloudFeatures, are_the_mean_and_then_the_axes) {
  const CloudFrame frame = frame_of(shape_of(GraspObject::teapot).points);
  const std::array<double, 12> features = features_of(frame);
  const std::array<Point, 4> parts = {frame.mean, frame.axes[0], frame.axes[1], frame.axes[2]};
  for (size_t k = 0; k < 4; ++k)
    EXPECT_EQ(parts[k], (Point{features[3 * k], features[3 * k + 1], features[3 * k + 2]}));
}

}  // namespace
}  // namespace kedge
