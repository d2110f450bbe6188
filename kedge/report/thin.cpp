#include "kedge/report/thin.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace kedge {

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

std::vector<PixelPoint> thin_scatter(const std::vector<PixelPoint>& points, size_t keep) {
  if (points.size() <= keep) return points;
  constexpr double cell = 2;
  std::vector<PixelPoint> kept;
  std::set<std::pair<int64_t, int64_t>> taken;
  for (const PixelPoint& point : points) {
    const auto place = std::make_pair(std::llround(point.x / cell), std::llround(point.y / cell));
    if (taken.insert(place).second) kept.push_back(point);
  }
  return kept;
}

}  // namespace kedge
