#include "kedge/domains/grasp/surface.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace kedge {
namespace {

/// A place u in [0, 1] along `count` stations: the span it falls in, and how far into it.
std::pair<size_t, double> span_at(double u, size_t count) {
  const double along = u * static_cast<double>(count - 1);
  const size_t span = std::min(static_cast<size_t>(along), count - 2);
  return {span, along - static_cast<double>(span)};
}

Joint weighted(const std::array<Joint, 4>& joints, const std::array<double, 4>& weights) {
  Joint sum;
  for (size_t k = 0; k < 4; ++k) {
    sum.x += weights[k] * joints[k].x;
    sum.z += weights[k] * joints[k].z;
    sum.radius += weights[k] * joints[k].radius;
  }
  return sum;
}

struct Cell {
  size_t patch;
  double u, v;       ///< its lower corner
  double area_upto;  ///< of all cells up to and with this one
};

constexpr size_t cells_along = 64;
constexpr double cell_side = 1.0 / static_cast<double>(cells_along);

std::vector<Cell> cells_of(const std::vector<Patch>& patches) {
  std::vector<Cell> cells;
  double area = 0;
  for (size_t patch = 0; patch < patches.size(); ++patch)
    for (size_t i = 0; i < cells_along; ++i)
      for (size_t j = 0; j < cells_along; ++j) {
        const double u = static_cast<double>(i) * cell_side, v = static_cast<double>(j) * cell_side;
        const Point low = patches[patch](u, v), high = patches[patch](u + cell_side, v + cell_side);
        const Point left = patches[patch](u, v + cell_side), right = patches[patch](u + cell_side, v);
        area += 0.5 * length(cross(high - low, right - left));
        cells.push_back({patch, u, v, area});
      }
  return cells;
}

}  // namespace

double length(Point a) { return std::sqrt(dot(a, a)); }

Patch loft(std::vector<Ring> rings) {
  assert(rings.size() >= 2);
  return [rings = std::move(rings)](double u, double v) {
    const auto [span, t] = span_at(u, rings.size());
    const Ring &a = rings[span], &b = rings[span + 1];
    const double angle = 2 * std::numbers::pi * v;
    return Point{std::lerp(a.x, b.x, t) + std::lerp(a.wide, b.wide, t) * std::cos(angle),
                 std::lerp(a.deep, b.deep, t) * std::sin(angle), std::lerp(a.z, b.z, t)};
  };
}

Patch pipe(std::vector<Joint> joints) {
  assert(joints.size() >= 2);
  return [joints = std::move(joints)](double u, double v) {
    const auto [span, t] = span_at(u, joints.size());
    const std::array<Joint, 4> near = {joints[span == 0 ? 0 : span - 1], joints[span], joints[span + 1],
                                       joints[std::min(span + 2, joints.size() - 1)]};
    const double tt = t * t, ttt = tt * t;
    const Joint at = weighted(near, {(-ttt + 2 * tt - t) / 2, (3 * ttt - 5 * tt + 2) / 2,
                                     (-3 * ttt + 4 * tt + t) / 2, (ttt - tt) / 2});
    const Joint slope = weighted(near, {(-3 * tt + 4 * t - 1) / 2, (9 * tt - 10 * t) / 2,
                                        (-9 * tt + 8 * t + 1) / 2, (3 * tt - 2 * t) / 2});
    const double speed = std::hypot(slope.x, slope.z), angle = 2 * std::numbers::pi * v;
    const double across = at.radius * std::cos(angle) / speed;
    return Point{at.x - across * slope.z, at.radius * std::sin(angle), at.z + across * slope.x};
  };
}

Cloud scatter(const std::vector<Patch>& patches, size_t points, Rng& rng) {
  const std::vector<Cell> cells = cells_of(patches);
  const double share = cells.back().area_upto / static_cast<double>(points);
  Cloud cloud;
  for (size_t n = 0; n < points; ++n) {
    const double target = (static_cast<double>(n) + rng.uniform()) * share;
    auto cell = std::lower_bound(cells.begin(), cells.end(), target,
                                 [](const Cell& c, double area) { return c.area_upto < area; });
    if (cell == cells.end()) --cell;
    const double u = cell->u + cell_side * rng.uniform(), v = cell->v + cell_side * rng.uniform();
    cloud.push_back(patches[cell->patch](u, v));
  }
  return cloud;
}

}  // namespace kedge
