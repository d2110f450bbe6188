#include "kedge/coverage/seen_ranges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kedge/core/rng.h"
#include "kedge/pairs/sampler.h"

namespace kedge {
namespace {

constexpr double pi = std::numbers::pi, rounding = 1e-12;

std::vector<double> angles_between(double low, double high, size_t count, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  std::vector<double> angles;
  for (size_t i = 0; i < count; ++i) angles.push_back(std::remainder(rng.uniform(low, high), 2 * pi));
  return angles;
}

DifferencePool pool_of(const Space& space, const Matrix<double>& points) {
  const PairSampler sampler(points.rows(), SelfPairs::exclude);
  return {space, points, std::vector<double>(static_cast<size_t>(space.delta_size()), 1.0),
          draw_pool(sampler, 500, 0)};
}

TEST(UnseenArcs, of_angles_from_all_around_are_rare_however_few_there_are) {
  for (size_t count : {5, 20, 40, 100, 1000}) {
    int circles_with_some = 0;
    constexpr int tries = 200, most = 12;
    for (uint64_t seed = 0; seed < tries; ++seed)
      circles_with_some += !unseen_arcs(angles_between(-pi, pi, count, seed)).empty();
    EXPECT_LE(circles_with_some, most) << count;
  }
}

TEST(UnseenArcs, are_found_between_what_was_seen_also_across_the_half_turn) {
  for (double centre : {0.0, 1.0, 3.0}) {
    const std::vector<Arc> arcs = unseen_arcs(angles_between(centre - 1, centre + 1, 100, 1));
    ASSERT_EQ(arcs.size(), 1u) << centre;
    EXPECT_NEAR(arcs[0].width, 2 * pi - 2, 0.1);
    EXPECT_NEAR(std::remainder(arcs[0].begin - (centre + 1), 2 * pi), 0, 0.1);
  }
  std::vector<double> grid;
  for (int degrees = 0; degrees < 180; degrees += 15)
    for (int repeat = 0; repeat < 3; ++repeat) grid.push_back(degrees * pi / 180);
  ASSERT_EQ(unseen_arcs(grid).size(), 1u);
  EXPECT_NEAR(unseen_arcs(grid)[0].width, 195 * pi / 180, rounding);
}

TEST(UnseenArcs, of_a_coarse_grid_or_of_one_angle_are_none) {
  EXPECT_TRUE(unseen_arcs({-pi / 2, 0, pi / 2, pi}).empty());
  EXPECT_TRUE(unseen_arcs({1, 1, 1}).empty());
  EXPECT_TRUE(unseen_arcs({}).empty());
}

TEST(SeenRanges, hold_exactly_the_points_without_departures) {
  const Space space({{.kind = GroupKind::vector, .columns = {0}},
                     {.kind = GroupKind::angle, .columns = {1}, .unit = pi / 180},
                     {.kind = GroupKind::log, .columns = {2}}});
  Rng rng(1, Stream::domain);
  Matrix<double> points(200, 3);
  for (size_t r = 0; r < points.rows(); ++r) {
    points(r, 0) = rng.uniform(10, 20);
    points(r, 1) = rng.uniform(-0.5, 1.5);
    points(r, 2) = rng.uniform(0, 3);
  }
  const SeenRanges ranges(pool_of(space, points));
  for (int i = 0; i < 300; ++i) {
    const std::vector<double> point = {rng.uniform(5, 25), rng.uniform(-pi, pi), rng.uniform(-1, 4)};
    EXPECT_EQ(ranges.holds(point), ranges.departures(point).empty());
  }
  const std::vector<double> middle = {15, 0.5, 1};
  EXPECT_TRUE(ranges.holds(middle));
}

TEST(SeenRanges, measure_an_angle_from_the_nearer_end_of_what_was_seen_in_its_own_unit) {
  const Space space({{.kind = GroupKind::angle, .columns = {0}, .unit = pi / 180}});
  Matrix<double> points(91, 1);
  for (size_t r = 0; r < points.rows(); ++r) points(r, 0) = static_cast<double>(r) * pi / 180;
  const SeenRanges ranges(pool_of(space, points));
  const auto amount = [&](double degrees) {
    const std::vector<double> point = {std::remainder(degrees * pi / 180, 2 * pi)};
    const std::vector<Departure> found = ranges.departures(point);
    return found.empty() ? 0 : found[0].amount;
  };
  constexpr double tolerance = 1e-9;
  EXPECT_EQ(amount(45), 0);
  EXPECT_NEAR(amount(100), 10, tolerance);
  EXPECT_NEAR(amount(200), 110, tolerance);
  EXPECT_NEAR(amount(-20), -20, tolerance);
}

TEST(SeenRanges, of_one_value_call_every_other_infinitely_far_relative_to_nothing) {
  const SeenRanges ranges(pool_of(Space::euclidean(2), Matrix<double>(20, 2, 3.0)));
  const std::vector<double> point = {3, 4};
  const std::vector<Departure> found = ranges.departures(point);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].column, 1u);
  EXPECT_EQ(found[0].amount, 1);
  EXPECT_TRUE(std::isinf(found[0].relative));
}

}  // namespace
}  // namespace kedge
