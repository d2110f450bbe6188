#include "kedge/report/thin.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <utility>

namespace kedge {
namespace {

// The directions, seen from one point, of all lines that pass within the tolerance of every point since.
// Angles are kept relative to the first direction, so that none wraps.
class Sleeve {
 public:
  Sleeve(const PixelPoint& from, double tolerance) : from_(from), tolerance_(tolerance) {}

  /// Whether the straight line to `to` still passes all points since, which it then counts among them.
  bool reaches(const PixelPoint& to) {
    const double dx = to.x - from_.x, dy = to.y - from_.y, distance = std::hypot(dx, dy);
    // A path that turns back would lose its tip.
    if (distance < farthest_ - tolerance_) return false;
    if (distance <= tolerance_) return true;
    if (farthest_ == 0) {
      first_ = std::atan2(dy, dx);
      low_ = -std::numbers::pi;
      high_ = std::numbers::pi;
    }
    const double angle = std::remainder(std::atan2(dy, dx) - first_, 2 * std::numbers::pi);
    if (angle < low_ || angle > high_) return false;
    const double margin = std::asin(std::min(1.0, tolerance_ / distance));
    low_ = std::max(low_, angle - margin);
    high_ = std::min(high_, angle + margin);
    farthest_ = std::max(farthest_, distance);
    return true;
  }

 private:
  PixelPoint from_;
  double tolerance_;
  double farthest_ = 0, first_ = 0, low_ = 0, high_ = 0;
};

std::vector<PixelPoint> simplified(const std::vector<PixelPoint>& points, double tolerance) {
  std::vector<PixelPoint> kept;
  if (points.empty()) return kept;
  kept.push_back(points.front());
  Sleeve sleeve(points.front(), tolerance);
  for (size_t i = 1; i < points.size(); ++i) {
    if (sleeve.reaches(points[i])) continue;
    kept.push_back(points[i - 1]);
    sleeve = Sleeve(points[i - 1], tolerance);
    sleeve.reaches(points[i]);
  }
  if (points.size() > 1) kept.push_back(points.back());
  return kept;
}

}  // namespace

std::vector<PixelPoint> thin_line(const std::vector<PixelPoint>& points) {
  std::vector<PixelPoint> kept;
  for (size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x);
    size_t low = begin, high = begin, end = begin;
    for (; end < points.size() && std::floor(points[end].x) == column; ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    size_t last = begin;
    kept.push_back(points[begin]);
    for (size_t index : {std::min(low, high), std::max(low, high), end - 1}) {
      if (index > last) kept.push_back(points[index]);
      last = std::max(last, index);
    }
    begin = end;
  }
  return kept;
}

std::vector<PixelPoint> thin_path(const std::vector<PixelPoint>& points, size_t most) {
  double tolerance = 0.25;
  std::vector<PixelPoint> kept = simplified(points, tolerance);
  // A first point and a last one are always kept, so `most` of 2 or more is reached.
  while (kept.size() > std::max<size_t>(most, 2)) kept = simplified(points, tolerance *= 2);
  return kept;
}

std::vector<size_t> thin_scatter_places(const std::vector<PixelPoint>& points, size_t keep) {
  std::vector<size_t> kept;
  constexpr double cell = 2;
  std::set<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto place = std::make_pair(std::llround(points[i].x / cell), std::llround(points[i].y / cell));
    if (points.size() <= keep || taken.insert(place).second) kept.push_back(i);
  }
  return kept;
}

std::vector<PixelPoint> thin_scatter(const std::vector<PixelPoint>& points, size_t keep) {
  std::vector<PixelPoint> kept;
  for (size_t i : thin_scatter_places(points, keep)) kept.push_back(points[i]);
  return kept;
}

}  // namespace kedge
