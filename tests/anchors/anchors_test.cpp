#include "kedge/anchors/anchors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double distance_tolerance = 1e-8;

Matrix<double> random_points(size_t rows, size_t cols, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<double> points(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (double& x : points.row(r)) x = rng.uniform(-3, 3);
  return points;
}

// Whole numbers on a small grid: most distances are equal to many others.
Matrix<double> grid_points(size_t rows, size_t cols, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<double> points(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (double& x : points.row(r)) x = static_cast<double>(rng.below(3));
  return points;
}

struct Index {
  Index(const Space& space_, Matrix<double> points_, std::vector<double> scale_, size_t pool_size)
      : space(space_),
        points(std::move(points_)),
        scale(std::move(scale_)),
        pool(draw_pool({points.rows(), SelfPairs::exclude}, pool_size, 3)),
        index(space, points, scale, pool) {}

  Space space;
  Matrix<double> points;
  std::vector<double> scale;
  std::vector<Pair> pool;
  AnchorIndex index;
};

// min over the pool, as the header defines it.
std::vector<AnchorMatch> brute_force(const Index& i, std::span<const double> point) {
  std::vector<AnchorMatch> matches;
  std::vector<double> delta(i.scale.size()), other(i.scale.size());
  for (uint32_t a = 0; a < i.points.rows(); ++a) {
    i.space.minus(point, i.points.row(a), delta);
    double least = std::numeric_limits<double>::infinity();
    Pair analog;
    for (const Pair& pair : i.pool) {
      i.space.minus(i.points.row(pair.query), i.points.row(pair.anchor), other);
      const double distance = i.space.squared_distance(delta, other, i.scale);
      if (distance < least) {
        least = distance;
        analog = pair;
      }
    }
    matches.push_back({a, analog, std::sqrt(least)});
  }
  return matches;
}

// What `find` is held to: every anchor by brute force, the closest first, of equals the lowest row.
std::vector<AnchorMatch> sorted(std::vector<AnchorMatch> matches) {
  std::stable_sort(matches.begin(), matches.end(),
                   [](const AnchorMatch& a, const AnchorMatch& b) { return a.distance < b.distance; });
  return matches;
}

void expect_same(const AnchorMatch& found, const AnchorMatch& expected) {
  EXPECT_EQ(found.anchor, expected.anchor);
  EXPECT_EQ(found.analog, expected.analog);
  EXPECT_NEAR(found.distance, expected.distance, distance_tolerance);
}

Space angle_and_vector() { return Space::parse("a=angle", {"a", "b"}); }

// Points and scales whose arithmetic is exact where distances tie.
std::vector<Index> indices() {
  std::vector<Index> all;
  all.emplace_back(Space::euclidean(3), random_points(25, 3, 1), std::vector<double>{1, 0.7, 2.3}, 10000);
  all.emplace_back(Space::euclidean(2), grid_points(30, 2, 2), std::vector<double>{1, 0.5}, 10000);
  all.emplace_back(Space::euclidean(2), grid_points(30, 2, 3), std::vector<double>{1, 1}, 50);
  all.emplace_back(angle_and_vector(), random_points(25, 2, 4), std::vector<double>{1, 2}, 300);
  return all;
}

Matrix<double> queries(const Index& i) {
  const bool whole = i.points(0, 0) == std::floor(i.points(0, 0));
  Matrix<double> points = whole ? grid_points(12, i.points.cols(), 9) : random_points(12, i.points.cols(), 9);
  if (whole)
    for (size_t r = 0; r < points.rows(); ++r) points(r, 0) += 4;
  return points;
}

TEST(AnchorIndex, matches_every_anchor_with_the_nearest_difference_of_the_pool) {
  for (const Index& i : indices()) {
    const Matrix<double> points = queries(i);
    for (size_t q = 0; q < points.rows(); ++q) {
      const auto found = i.index.match_all(points.row(q));
      const auto expected = brute_force(i, points.row(q));
      ASSERT_EQ(found.size(), expected.size());
      for (size_t a = 0; a < found.size(); ++a) expect_same(found[a], expected[a]);
    }
  }
}

TEST(AnchorIndex, nearest_is_the_least_distance_and_among_equals_the_lowest_row) {
  for (const Index& i : indices()) {
    const Matrix<double> points = queries(i);
    for (size_t q = 0; q < points.rows(); ++q) {
      const auto found = i.index.find(points.row(q), {.rule = AnchorRule::nearest});
      ASSERT_EQ(found.size(), 1u);
      expect_same(found[0], sorted(i.index.match_all(points.row(q)))[0]);
    }
  }
}

TEST(AnchorIndex, many_gives_the_closest_in_order_and_all_there_are_when_more_are_asked_for) {
  for (const Index& i : indices()) {
    const Matrix<double> points = queries(i);
    for (size_t q = 0; q < points.rows(); ++q) {
      const auto expected = sorted(i.index.match_all(points.row(q)));
      for (size_t count : {1u, 7u, 1000u}) {
        const auto found = i.index.find(points.row(q), {.rule = AnchorRule::many, .count = count});
        ASSERT_EQ(found.size(), std::min<size_t>(count, i.points.rows()));
        for (size_t m = 0; m < found.size(); ++m) expect_same(found[m], expected[m]);
      }
    }
  }
}

// Anchors that a rule draws over points that differ in the last bits only, so that what is admissible stays.
std::set<uint32_t> drawn(const Index& i, std::span<const double> point, const AnchorOptions& options) {
  std::set<uint32_t> found;
  for (int bit = 0; bit < 600; ++bit) {
    std::vector<double> moved(point.begin(), point.end());
    moved[0] += 1e-13 * bit;
    const auto matches = i.index.find(moved, options);
    EXPECT_EQ(matches.size(), 1u);
    found.insert(matches[0].anchor);
  }
  return found;
}

std::set<uint32_t> anchors_of(const std::vector<AnchorMatch>& matches, size_t count) {
  std::set<uint32_t> anchors;
  for (size_t m = 0; m < count; ++m) anchors.insert(matches[m].anchor);
  return anchors;
}

TEST(AnchorIndex, radius_draws_every_anchor_within_it_and_no_other) {
  const Index i = indices()[0];
  const std::vector<double> point = {5, 1, -1};
  const auto expected = sorted(brute_force(i, point));
  int tested = 0;
  for (size_t inside = 1; inside < 15; ++inside) {
    if (expected[inside].distance - expected[inside - 1].distance < 1e-6) continue;
    ++tested;
    const double radius = (expected[inside - 1].distance + expected[inside].distance) / 2;
    EXPECT_EQ(drawn(i, point, {.rule = AnchorRule::radius, .radius = radius}), anchors_of(expected, inside));
  }
  EXPECT_GT(tested, 2);
}

TEST(AnchorIndex, radius_falls_back_to_the_least_distance_where_none_is_within) {
  const Index i = indices()[0];
  const std::vector<double> point = {9, 1, -1};
  const auto expected = sorted(brute_force(i, point));
  ASSERT_GT(expected[0].distance, 0.5);
  for (double radius : {0.0, 0.5}) {
    const auto found = i.index.find(point, {.rule = AnchorRule::radius, .radius = radius});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].distance, expected[0].distance, distance_tolerance);
  }
}

TEST(AnchorIndex, radius_zero_draws_among_all_anchors_of_the_least_distance) {
  const Index i(Space::euclidean(1), Matrix<double>(5, 1, std::vector<double>{0, 0, 1, 0, 2}), {1}, 100);
  // Half a unit lies between the whole differences of the pool, whatever the anchor.
  std::set<uint32_t> found;
  for (int bit = 0; bit < 300; ++bit) {
    // The draw is keyed by content: shifting points and query alike by whole numbers keeps distances exact.
    Matrix<double> points = i.points;
    for (size_t r = 0; r < 5; ++r) points(r, 0) += bit;
    const AnchorIndex shifted(i.space, points, i.scale, i.pool);
    const std::vector<double> query = {0.5 + bit};
    const auto one = shifted.find(query, {.rule = AnchorRule::radius});
    EXPECT_EQ(one[0].distance, 0.5);
    found.insert(one[0].anchor);
  }
  EXPECT_EQ(found, (std::set<uint32_t>{0, 1, 2, 3, 4}));
}

TEST(AnchorIndex, percentile_draws_over_the_closest_share_rounded_up) {
  const Index i = indices()[0];
  const std::vector<double> point = {5, 1, -1};
  const auto expected = sorted(brute_force(i, point));
  // 25 rows: 1% and 4% are one row, 5% are two, 20% five, 100% all.
  const std::vector<std::pair<double, size_t>> shares = {{1, 1}, {4, 1}, {5, 2}, {20, 5}, {100, 25}};
  for (const auto& [percent, count] : shares)
    EXPECT_EQ(drawn(i, point, {.rule = AnchorRule::percentile, .percentile = percent}),
              anchors_of(expected, count));
}

TEST(AnchorIndex, a_draw_is_keyed_by_the_content_of_the_point) {
  const Index i = indices()[0], same = indices()[0];
  const Matrix<double> points = random_points(50, 3, 9);
  const AnchorOptions options{.rule = AnchorRule::percentile, .percentile = 60};
  for (size_t q = 0; q < points.rows(); ++q) {
    const uint32_t anchor = i.index.find(points.row(q), options)[0].anchor;
    EXPECT_EQ(i.index.find(points.row(q), options)[0].anchor, anchor);
    EXPECT_EQ(same.index.find(points.row(q), options)[0].anchor, anchor);
  }
  const std::vector<double> zero = {0, 1, 1}, negative_zero = {-0.0, 1, 1};
  EXPECT_EQ(i.index.find(zero, options)[0].anchor, i.index.find(negative_zero, options)[0].anchor);
}

TEST(AnchorIndex, neighbour_is_the_row_nearest_to_the_query_and_among_equals_the_lowest) {
  for (const Index& i : indices()) {
    const Matrix<double> points = queries(i);
    const std::vector<double> origin(i.scale.size(), 0.0);
    std::vector<double> delta(i.scale.size());
    for (size_t q = 0; q < points.rows(); ++q) {
      std::vector<double> distances;
      for (uint32_t row = 0; row < i.points.rows(); ++row) {
        i.space.minus(points.row(q), i.points.row(row), delta);
        distances.push_back(std::sqrt(i.space.squared_distance(delta, origin, i.scale)));
      }
      const auto least = std::min_element(distances.begin(), distances.end());
      const auto row = static_cast<uint32_t>(least - distances.begin());
      const auto found = i.index.find(points.row(q), {.rule = AnchorRule::neighbour});
      ASSERT_EQ(found.size(), 1u);
      expect_same(found[0], {row, {row, row}, *least});
    }
    for (uint32_t row = 0; row < i.points.rows(); ++row)
      EXPECT_EQ(i.index.find(i.points.row(row), {.rule = AnchorRule::neighbour})[0].distance, 0);
  }
}

TEST(AnchorIndex, near_are_the_rows_nearest_to_the_query_and_all_are_all_nearest_first) {
  for (const Index& i : indices()) {
    const Matrix<double> points = queries(i);
    const std::vector<double> origin(i.scale.size(), 0.0);
    std::vector<double> delta(i.scale.size());
    for (size_t q = 0; q < points.rows(); ++q) {
      std::vector<std::pair<double, uint32_t>> wanted;
      for (uint32_t row = 0; row < i.points.rows(); ++row) {
        i.space.minus(points.row(q), i.points.row(row), delta);
        wanted.emplace_back(std::sqrt(i.space.squared_distance(delta, origin, i.scale)), row);
      }
      std::stable_sort(wanted.begin(), wanted.end());
      for (const AnchorOptions& rule : {AnchorOptions{.rule = AnchorRule::near, .count = 1},
                                        {.rule = AnchorRule::near, .count = 7},
                                        {.rule = AnchorRule::near, .count = 10000},
                                        {.rule = AnchorRule::all, .count = 10000}}) {
        const auto found = i.index.find(points.row(q), rule);
        ASSERT_EQ(found.size(), std::min(rule.count, i.points.rows()));
        for (size_t a = 0; a < found.size(); ++a) {
          const auto [distance, row] = wanted[a];
          expect_same(found[a], {row, {row, row}, distance});
        }
      }
    }
  }
}

TEST(AnchorIndex, all_but_many_are_the_same_rows_for_every_query) {
  const Index i = indices()[0];
  const auto rows_for = [&](size_t row) {
    std::vector<uint32_t> rows;
    for (const AnchorMatch& match : i.index.find(i.points.row(row), {.rule = AnchorRule::all, .count = 5}))
      rows.push_back(match.anchor);
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  const std::vector<uint32_t> rows = rows_for(0);
  EXPECT_EQ(rows.size(), 5u);
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  for (size_t r = 1; r < i.points.rows(); ++r) EXPECT_EQ(rows_for(r), rows);
}

TEST(AnchorIndex, none_finds_none) {
  const Index i = indices()[0];
  EXPECT_TRUE(i.index.find(i.points.row(0), {.rule = AnchorRule::none}).empty());
}

TEST(AnchorIndex, angles_are_compared_the_short_way_round) {
  const double pi = std::numbers::pi;
  // Rows at +-170 degrees: their difference is 20 degrees across the cut, not 340.
  const Matrix<double> points(2, 1, std::vector<double>{pi * 17 / 18, -pi * 17 / 18});
  const Space space = Space::parse("a=angle", {"a"});
  const AnchorIndex index(space, points, {1}, {{1, 0}});
  const std::vector<double> query = {-pi * 15 / 18};
  const auto found = index.find(query, {.rule = AnchorRule::nearest});
  EXPECT_EQ(found[0].anchor, 1u);
  EXPECT_NEAR(found[0].distance, 0, distance_tolerance);
}

TEST(AnchorIndex, refuses_rules_whose_numbers_mean_nothing) {
  const Index i = indices()[0];
  const double nan = std::nan("");
  const std::vector<AnchorOptions> faults = {{.rule = AnchorRule::many, .count = 0},
                                             {.rule = AnchorRule::percentile, .percentile = 0},
                                             {.rule = AnchorRule::percentile, .percentile = 100.5},
                                             {.rule = AnchorRule::percentile, .percentile = nan},
                                             {.rule = AnchorRule::radius, .radius = -1},
                                             {.rule = AnchorRule::radius, .radius = nan}};
  for (const AnchorOptions& options : faults)
    EXPECT_NE(error_text([&] { i.index.find(i.points.row(0), options); }), "") << to_text(options);
}

TEST(DrawPool, takes_all_pairs_when_they_fit_and_draws_from_its_own_stream_otherwise) {
  const PairSampler sampler(20, SelfPairs::exclude);
  EXPECT_EQ(draw_pool(sampler, 380, 1), sampler.all_pairs(380));
  const std::vector<Pair> some = draw_pool(sampler, 379, 1);
  ASSERT_EQ(some.size(), 379u);
  for (uint32_t p = 0; p < some.size(); ++p) EXPECT_EQ(some[p], sampler.draw(1, Stream::pool, 0, p));
  EXPECT_NE(draw_pool(sampler, 379, 2), some);
}

TEST(AnchorOptions, are_read_from_the_text_they_write) {
  for (const char* text : {"nearest", "none", "radius", "radius=0.125", "radius=1e-09", "percentile=10",
                           "percentile=0.1", "many=20", "many=1", "neighbour"})
    EXPECT_EQ(to_text(parse_anchors(text)), text);
  EXPECT_EQ(to_text(parse_anchors("percentile")), "percentile=10");
  EXPECT_EQ(to_text(parse_anchors("many")), "many=20");
  EXPECT_EQ(to_text(parse_anchors("radius=0")), "radius");
}

TEST(AnchorOptions, refuse_other_texts_in_one_line_that_shows_the_rules) {
  for (const char* text :
       {"", "closest", "nearest=1", "none=0", "neighbour=1", "radius=-1", "radius=x", "radius=", "radius=inf",
        "radius=nan", "radius=1=2", "percentile=0", "percentile=101", "percentile=-5", "many=0", "many=1.5",
        "many=-3", "many=1000001", "many=20 "}) {
    const std::string error = error_text([&] { parse_anchors(text); });
    EXPECT_NE(error.find("percentile=P"), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  for (const char* text : {" many=20", "MANY"})
    EXPECT_NE(error_text([&] { parse_anchors(text); }).find("did you mean \"many\"?"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace kedge
