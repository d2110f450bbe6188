#include "kedge/domains/grasp/ply.h"

#include <cmath>
#include <numbers>

#include "kedge/core/format.h"

namespace kedge {
namespace {

/// Even on a sphere: turned by the golden angle from each to the next, at equal steps of height.
void add_ball(std::vector<ColouredPoint>& points, const ColouredPoint& centre) {
  const int count = 80;
  const double radius = 0.004, golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int k = 0; k < count; ++k) {
    const double height = 1 - (2 * k + 1.0) / count, across = std::sqrt(1 - height * height);
    ColouredPoint at = centre;
    at.point =
        at.point + radius * Point{across * std::cos(golden * k), across * std::sin(golden * k), height};
    points.push_back(at);
  }
}

}  // namespace

void write_ply(std::ostream& out, const std::vector<ColouredPoint>& points) {
  out << fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
      points.size());
  for (const auto& [point, red, green, blue] : points)
    out << fmt::format("{:.6f} {:.6f} {:.6f} {} {} {}\n", point.x, point.y, point.z, red, green, blue);
}

std::vector<ColouredPoint> coloured(const GraspScene& scene) {
  std::vector<ColouredPoint> points;
  for (const Point& point : scene.cloud)
    points.push_back({.point = point, .red = 150, .green = 150, .blue = 150});
  points.push_back({.point = scene.grasp, .red = 220, .green = 30, .blue = 30});
  for (const Point& key : scene.keys) points.push_back({.point = key, .red = 30, .green = 80, .blue = 220});
  for (size_t k = 0; k <= scene.keys.size(); ++k)
    add_ball(points, ColouredPoint(points[scene.cloud.size() + k]));
  return points;
}

}  // namespace kedge
