#include "kedge/domains/grasp/objects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/domains/grasp/features.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-9;

double nearest(const Cloud& cloud, Point to) {
  double least = std::numeric_limits<double>::max();
  for (const Point& point : cloud) least = std::min(least, length(point - to));
  return least;
}

TEST(GraspObjects, stand_on_the_origin_and_have_the_sizes_of_things) {
  for (const GraspObject object : all_grasp_objects) {
    SCOPED_TRACE(name_of(object));
    const GraspShape& shape = shape_of(object);
    ASSERT_EQ(shape.points.size(), grasp_cloud_points);
    std::vector<double> heights;
    double widest = 0;
    for (const Point& point : shape.points) {
      heights.push_back(point.z);
      for (const Point& other : shape.points) widest = std::max(widest, length(point - other));
    }
    std::sort(heights.begin(), heights.end());
    EXPECT_EQ(heights.front(), 0);
    EXPECT_GT(widest, 0.1);
    EXPECT_LT(widest, 0.27);
    Point sum;
    for (const Point& point : shape.points)
      if (point.z <= heights[grasp_cloud_points / 50]) sum = sum + point;
    EXPECT_NEAR(sum.x, 0, tolerance);
    EXPECT_NEAR(sum.y, 0, tolerance);
  }
}

TEST(GraspObjects, grasp_and_key_points_lie_on_the_object_and_the_grasp_point_off_its_middle) {
  const double spacing = 0.01;
  for (const GraspObject object : all_grasp_objects) {
    SCOPED_TRACE(name_of(object));
    const GraspShape& shape = shape_of(object);
    const Point mean = frame_of(shape.points).mean;
    EXPECT_LT(nearest(shape.points, shape.grasp), spacing);
    for (const Point& key : shape.keys) EXPECT_LT(nearest(shape.points, key), spacing);
    EXPECT_GT(std::hypot(shape.grasp.x - mean.x, shape.grasp.y - mean.y), 0.02);
    for (size_t a = 0; a < shape.keys.size(); ++a)
      for (size_t b = 0; b < a; ++b) EXPECT_GT(length(shape.keys[a] - shape.keys[b]), 0.01);
  }
}

TEST(GraspObjects, mirror_in_the_plane_of_the_handle_and_have_three_distinct_axes) {
  for (const GraspObject object : all_grasp_objects) {
    SCOPED_TRACE(name_of(object));
    const Cloud& points = shape_of(object).points;
    for (size_t n = 0; n < points.size() / 2; ++n) {
      const Point mirrored = points[n + points.size() / 2];
      ASSERT_NEAR(length(mirrored - Point{points[n].x, -points[n].y, points[n].z}), 0, tolerance);
    }
    const CloudFrame frame = frame_of(points);
    EXPECT_GT(frame.variances[0], 1.25 * frame.variances[1]);
    EXPECT_GT(frame.variances[1], 1.25 * frame.variances[2]);
  }
}

TEST(GraspObjects, the_upright_axis_tells_the_objects_apart) {
  for (size_t object = 0; object < 3; ++object) {
    const CloudFrame frame = frame_of(shape_of(all_grasp_objects[object]).points);
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(std::abs(frame.axes[k].z) > 0.9, k == object) << object << k;
  }
}

}  // namespace
}  // namespace kedge
