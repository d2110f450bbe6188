#include "kedge/coverage/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

DifferencePool pool_of(Space space, Matrix<double> points, size_t pairs) {
  const PairSampler sampler(points.rows(), SelfPairs::exclude);
  std::vector<double> scale(static_cast<size_t>(space.delta_size()), 1.0);
  return {std::move(space), std::move(points), std::move(scale), draw_pool(sampler, pairs, 0)};
}

DifferencePool line(size_t rows, double low, double high, size_t pairs = 2000) {
  Rng rng(1, Stream::domain);
  Matrix<double> points(rows, 1);
  for (size_t r = 0; r < points.rows(); ++r)
    for (double& x : points.row(r)) x = rng.uniform(low, high);
  return pool_of(Space::euclidean(1), std::move(points), pairs);
}

Support measured(const DifferencePool& pool) {
  return {pool, PairSampler(pool.points.rows(), SelfPairs::exclude), 0};
}

Verdict verdict_at(const Support& support, const DifferencePool& pool, std::vector<double> point) {
  const AnchorIndex index(pool.space, pool.points, pool.scale, pool.pairs);
  const auto matches = index.find(point, {.rule = AnchorRule::many, .count = 20});
  const Position position =
      support.locate(pool, point, support.distance(pool, point), matches, support.thresholds());
  return judge(position, support.thresholds());
}

TEST(Support, of_a_line_ends_at_its_ends_and_its_reach_one_width_further) {
  const DifferencePool pool = line(500, 20, 40);
  const Support support = measured(pool);
  EXPECT_EQ(verdict_at(support, pool, {30}), Verdict::interpolation);
  for (double x : {19.0, 10.0, 2.0, 41.0, 50.0, 58.0})
    EXPECT_EQ(verdict_at(support, pool, {x}), Verdict::reachable) << x;
  for (double x : {-2.0, -40.0, 62.0, 100.0})
    EXPECT_EQ(verdict_at(support, pool, {x}), Verdict::unreachable) << x;
}

TEST(Support, calls_nearly_all_fresh_points_among_the_rows_interpolation) {
  const DifferencePool pool = line(500, 0, 1);
  const Support support = measured(pool);
  Rng rng(2, Stream::domain);
  int inside = 0;
  constexpr int tries = 300, enough = 280;
  for (int i = 0; i < tries; ++i)
    inside += verdict_at(support, pool, {rng.uniform()}) == Verdict::interpolation;
  EXPECT_GT(inside, enough);
}

TEST(Support, of_many_columns_does_not_call_a_column_out_of_range_interpolation) {
  Rng rng(3, Stream::domain);
  Matrix<double> points(400, 10);
  for (size_t r = 0; r < points.rows(); ++r)
    for (double& x : points.row(r)) x = rng.uniform(-1, 1);
  const DifferencePool pool = pool_of(Space::euclidean(10), std::move(points), 2000);
  const Support support = measured(pool);
  std::vector<double> query(10, 0.0);
  query[4] = 1.2;
  EXPECT_LT(support.distance(pool, query), support.thresholds().support_radius);
  EXPECT_EQ(verdict_at(support, pool, query), Verdict::reachable);
  query[4] = 3.5;
  EXPECT_NE(verdict_at(support, pool, query), Verdict::reachable);
  query[4] = 30;
  EXPECT_EQ(verdict_at(support, pool, query), Verdict::unreachable);
}

TEST(Support, of_rows_measured_several_times_or_on_a_grid_is_still_told) {
  Matrix<double> points(60, 1);
  for (size_t r = 0; r < 60; ++r) points(r, 0) = static_cast<double>(r / 3);
  const DifferencePool pool = pool_of(Space::euclidean(1), std::move(points), 2000);
  const Support support = measured(pool);
  EXPECT_EQ(support.thresholds().support_radius, 1);
  EXPECT_EQ(support.thresholds().delta_radius, 1);
  EXPECT_EQ(verdict_at(support, pool, {7.5}), Verdict::interpolation);
  EXPECT_EQ(verdict_at(support, pool, {30}), Verdict::reachable);
  EXPECT_EQ(verdict_at(support, pool, {60}), Verdict::unreachable);
}

TEST(Support, of_degenerate_rows_never_reads_as_fine) {
  const DifferencePool equal = pool_of(Space::euclidean(2), Matrix<double>(50, 2, 3.0), 200);
  EXPECT_EQ(verdict_at(measured(equal), equal, {3, 3}), Verdict::undetermined);
  const DifferencePool few = line(9, 0, 1, 200);
  EXPECT_EQ(verdict_at(measured(few), few, {0.5}), Verdict::undetermined);
}

TEST(Support, of_rows_with_an_outlier_does_not_take_the_gap_for_support) {
  Rng rng(6, Stream::domain);
  Matrix<double> points(61, 1);
  for (size_t r = 0; r < 60; ++r) points(r, 0) = rng.uniform();
  points(60, 0) = 100;
  const DifferencePool pool = pool_of(Space::euclidean(1), std::move(points), 4000);
  const Support support = measured(pool);
  EXPECT_EQ(verdict_at(support, pool, {0.5}), Verdict::interpolation);
  for (double x : {5.0, 30.0, 50.0, 130.0, 150.0})
    EXPECT_EQ(verdict_at(support, pool, {x}), Verdict::unreachable) << x;
}

TEST(Support, of_two_points_with_jitter_never_reads_as_fine) {
  Rng rng(7, Stream::domain);
  Matrix<double> points(50, 1);
  for (size_t r = 0; r < 50; ++r) points(r, 0) = static_cast<double>(r % 2) + 1e-9 * rng.uniform();
  const DifferencePool pool = pool_of(Space::euclidean(1), std::move(points), 2000);
  for (double x : {0.0, 0.5, 2.0})
    EXPECT_EQ(verdict_at(measured(pool), pool, {x}), Verdict::undetermined) << x;
}

TEST(Support, of_angles_has_no_ends) {
  Rng rng(4, Stream::domain);
  Matrix<double> points(300, 1);
  for (size_t r = 0; r < points.rows(); ++r)
    for (double& x : points.row(r)) x = rng.uniform(-3.14159, 3.14159);
  const DifferencePool pool =
      pool_of(Space({{.kind = GroupKind::angle, .columns = {0}}}), std::move(points), 2000);
  const Support support = measured(pool);
  for (double angle : {-3.14, -1.0, 0.0, 3.14})
    EXPECT_EQ(verdict_at(support, pool, {angle}), Verdict::interpolation) << angle;
}

TEST(Support, of_half_a_circle_ends_where_the_half_ends) {
  Rng rng(8, Stream::domain);
  Matrix<double> points(300, 1);
  for (size_t r = 0; r < points.rows(); ++r) points(r, 0) = rng.uniform(0, 3.14159);
  const DifferencePool pool =
      pool_of(Space({{.kind = GroupKind::angle, .columns = {0}}}), std::move(points), 2000);
  const Support support = measured(pool);
  EXPECT_EQ(verdict_at(support, pool, {1.5}), Verdict::interpolation);
  for (double angle : {-0.05, -1.5, -3.0})
    EXPECT_NE(verdict_at(support, pool, {angle}), Verdict::interpolation) << angle;
}

TEST(Support, names_the_combination_where_no_column_is_out_of_range_and_no_row_is_near) {
  Rng rng(9, Stream::domain);
  Matrix<double> points(200, 2);
  for (size_t r = 0; r < points.rows(); ++r) points(r, 0) = points(r, 1) = rng.uniform();
  const DifferencePool pool = pool_of(Space::euclidean(2), std::move(points), 2000);
  const Support support = measured(pool);
  const auto departures = [&](std::vector<double> point, const Thresholds& thresholds) {
    return support.departures(point, support.distance(pool, point), thresholds);
  };
  const std::vector<Departure> corner = departures({0.1, 0.9}, support.thresholds());
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_TRUE(corner[0].is_combination());
  EXPECT_GT(corner[0].relative, 1);
  const std::vector<Departure> beyond = departures({0.1, 1.9}, support.thresholds());
  ASSERT_EQ(beyond.size(), 1u);
  EXPECT_EQ(beyond[0].column, 1u);
  EXPECT_TRUE(departures({0.1, 0.9}, Thresholds{}).empty()) << "no radius, no combination";
}

TEST(Support, counts_percentiles_from_0_to_100_and_never_down) {
  const DifferencePool pool = line(100, 0, 1);
  const Support support = measured(pool);
  EXPECT_EQ(support.delta_percentile(0), 0);
  EXPECT_EQ(support.delta_percentile(1e9), 100);
  double last = 0;
  for (double distance = 0; distance < 0.1; distance += 1e-5) {
    const double percentile = support.delta_percentile(distance);
    EXPECT_GE(percentile, last);
    last = percentile;
  }
  EXPECT_TRUE(std::isnan(Support().delta_percentile(1)));
}

TEST(Support, distance_is_that_to_the_nearest_row) {
  const DifferencePool pool = line(100, 0, 1);
  const Support support = measured(pool);
  for (double x : {-3.0, 0.2, 0.77, 5.0}) {
    double nearest = HUGE_VAL;
    for (double other : pool.points.values()) nearest = std::min(nearest, std::abs(x - other));
    EXPECT_DOUBLE_EQ(support.distance(pool, std::vector<double>{x}), nearest);
  }
}

TEST(Support, can_be_stopped_while_it_is_measured) {
  const DifferencePool pool = line(200, 0, 1);
  const PairSampler sampler(200, SelfPairs::exclude);
  int asked = 0;
  Support(pool, sampler, 0, {}, [&] { ++asked; });
  ASSERT_GT(asked, 100);
  for (int last : {1, asked / 2, asked}) {
    int calls = 0;
    const StopCheck stop = [&] {
      if (++calls == last) throw std::runtime_error("stop");
    };
    EXPECT_THROW(Support(pool, sampler, 0, {}, stop), std::runtime_error);
    EXPECT_EQ(calls, last);
  }
}

}  // namespace
}  // namespace kedge
