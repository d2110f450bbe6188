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

double distance_to_segment(const PixelPoint& p, const PixelPoint& a, const PixelPoint& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

double distance_to_path(const PixelPoint& p, const std::vector<PixelPoint>& path) {
  double least = std::hypot(p.x - path[0].x, p.y - path[0].y);
  for (size_t i = 1; i < path.size(); ++i)
    least = std::min(least, distance_to_segment(p, path[i - 1], path[i]));
  return least;
}

TEST(Thin, a_path_that_turns_back_keeps_its_corners_and_drops_what_is_straight) {
  std::vector<PixelPoint> points;
  const std::vector<PixelPoint> corners = {{0, 0}, {100, 40}, {20, 8}, {20, 90}, {60, 90}, {60, 30}};
  for (size_t c = 0; c + 1 < corners.size(); ++c)
    for (int i = 0; i < 200; ++i)
      points.push_back({corners[c].x + i / 200.0 * (corners[c + 1].x - corners[c].x),
                        corners[c].y + i / 200.0 * (corners[c + 1].y - corners[c].y)});
  points.push_back(corners.back());
  const std::vector<PixelPoint> kept = thin_path(points);
  EXPECT_LE(kept.size(), 2 * corners.size());
  for (const PixelPoint& corner : corners)
    EXPECT_TRUE(
        std::any_of(kept.begin(), kept.end(),
                    [&](const PixelPoint& p) { return std::hypot(p.x - corner.x, p.y - corner.y) < 0.5; }))
        << corner.x << " " << corner.y;
}

TEST(Thin, a_path_stays_within_half_a_pixel_of_what_was_left_out) {
  constexpr double most_off = 0.5;  // the tolerance is half of it; beyond a corner two of them add up
  Rng rng(3, Stream::noise);
  std::vector<PixelPoint> points = {{300, 200}};
  double heading = 0;
  for (int i = 0; i < 4000; ++i) {
    heading += 0.1 * rng.normal();
    points.push_back({points.back().x + std::cos(heading), points.back().y + std::sin(heading)});
  }
  const std::vector<PixelPoint> kept = thin_path(points);
  EXPECT_LT(kept.size(), points.size() / 2);
  EXPECT_EQ(kept.front(), points.front());
  EXPECT_EQ(kept.back(), points.back());
  for (const PixelPoint& point : points) ASSERT_LT(distance_to_path(point, kept), most_off);
}

TEST(Thin, a_path_never_has_more_points_than_asked_for) {
  Rng rng(4, Stream::noise);
  std::vector<PixelPoint> points;
  for (int i = 0; i < 20000; ++i) points.push_back({rng.uniform(0, 600), rng.uniform(0, 400)});
  EXPECT_LE(thin_path(points).size(), 3000u);
  EXPECT_EQ(thin_path(points, 2), (std::vector<PixelPoint>{points.front(), points.back()}));
  EXPECT_TRUE(thin_path({}).empty());
  EXPECT_EQ(thin_path({{1, 2}}), (std::vector<PixelPoint>{{1, 2}}));
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
  const std::vector<size_t> places = thin_scatter_places(points);
  ASSERT_EQ(places.size(), kept.size());
  for (size_t i = 0; i < places.size(); ++i) EXPECT_EQ(points[places[i]], kept[i]);
}

}  // namespace
}  // namespace kedge
