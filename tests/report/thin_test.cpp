#include "kedge/report/thin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(Thin, a_line_keeps_the_extremes_of_every_pixel_column_and_its_ends) {
  Rng rng(1, Stream::noise);
  std::vector<PixelPoint> points;
  for (int i = 0; i < 100000; ++i) points.push_back({i * 0.006, 100 * rng.normal()});
  const std::vector<PixelPoint> kept = thin_line(points);
  EXPECT_LE(kept.size(), 4u * 601u);
  EXPECT_EQ(kept.front(), points.front());
  EXPECT_EQ(kept.back(), points.back());

  const auto extremes = [](const std::vector<PixelPoint>& line) {
    std::map<double, std::pair<double, double>> columns;
    for (const PixelPoint& point : line) {
      auto [at, fresh] = columns.try_emplace(std::floor(point.x), point.y, point.y);
      at->second = {std::min(at->second.first, point.y), std::max(at->second.second, point.y)};
    }
    return columns;
  };
  EXPECT_EQ(extremes(kept), extremes(points));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.x < b.x; }));
}

TEST(Thin, a_short_line_is_left_alone) {
  const std::vector<PixelPoint> points = {{0, 1}, {10, 5}, {20, 2}, {15, 7}};
  EXPECT_EQ(thin_line(points), points);
  EXPECT_TRUE(thin_line({}).empty());
}

TEST(Thin, a_scatter_keeps_a_dot_near_every_point) {
  Rng rng(2, Stream::noise);
  std::vector<PixelPoint> points;
  for (int i = 0; i < 20000; ++i) points.push_back({rng.uniform(0, 60), rng.uniform(0, 60)});
  const std::vector<PixelPoint> kept = thin_scatter(points);
  EXPECT_LE(kept.size(), 31u * 31u);
  for (size_t i = 0; i < points.size(); i += 97) {
    const bool near = std::any_of(kept.begin(), kept.end(), [&](const PixelPoint& dot) {
      return std::abs(dot.x - points[i].x) <= 2 && std::abs(dot.y - points[i].y) <= 2;
    });
    EXPECT_TRUE(near) << points[i].x << " " << points[i].y;
  }
  EXPECT_EQ(thin_scatter(points, points.size()), points);
}

}  // namespace
}  // namespace kedge
