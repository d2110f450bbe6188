#include "kedge/anchors/difference_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

#include "kedge/anchors/anchors.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

struct Problem {
  std::string name;
  Space space;
  Matrix<double> points, queries;
  std::vector<double> scale;
  std::vector<Pair> pool;

  DifferenceIndex index() const { return DifferenceIndex({space, points, scale, pool}); }
};

// Written apart from the library's own: every anchor against every pair.
std::vector<NearestDifference> brute_force(const Problem& p, std::span<const double> query) {
  std::vector<double> target(p.scale.size()), difference(p.scale.size());
  std::vector<NearestDifference> all;
  for (uint32_t i = 0; i < p.points.rows(); ++i) {
    p.space.minus(query, p.points.row(i), target);
    NearestDifference best{i, 0, 0};
    for (uint32_t k = 0; k < p.pool.size(); ++k) {
      p.space.minus(p.points.row(p.pool[k].query), p.points.row(p.pool[k].anchor), difference);
      const double squared = p.space.squared_distance(target, difference, p.scale);
      if (k == 0 || squared < best.squared) best = {i, k, squared};
    }
    all.push_back(best);
  }
  std::stable_sort(all.begin(), all.end(), [](const NearestDifference& a, const NearestDifference& b) {
    return std::sqrt(a.squared) < std::sqrt(b.squared);
  });
  return all;
}

void expect_same(const std::vector<NearestDifference>& found, std::span<const NearestDifference> wanted,
                 const std::string& what) {
  ASSERT_EQ(found.size(), wanted.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].anchor, wanted[i].anchor) << what << " at " << i;
    ASSERT_EQ(found[i].place, wanted[i].place) << what << " at " << i;
    ASSERT_EQ(found[i].squared, wanted[i].squared) << what << " at " << i;
  }
}

void expect_brute_force(const Problem& p) {
  const DifferenceIndex index = p.index();
  for (size_t q = 0; q < p.queries.rows(); ++q) {
    const std::span<const double> query = p.queries.row(q);
    const std::vector<NearestDifference> all = brute_force(p, query);
    const size_t n = all.size();
    for (size_t count : {size_t{1}, size_t{5}, (n + 9) / 10, n / 2 + 1, n}) {
      count = std::min(count, n);
      expect_same(index.closest(query, count), std::span(all).first(count),
                  fmt::format("{}, query {}, {} closest", p.name, q, count));
    }
    for (double radius : {0.0, all[n / 3].distance(), all[n - 1].distance() * 0.75}) {
      const double farthest = std::max(radius, all[0].distance());
      const size_t count = static_cast<size_t>(
          std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.distance() > farthest; }) -
          all.begin());
      expect_same(index.within(query, radius), std::span(all).first(count),
                  fmt::format("{}, query {}, within {}", p.name, q, radius));
    }
  }
}

enum class Shape { gauss, clustered, grid, equal, constant_column, offset, flat };

double sample(Shape shape, Rng& rng, size_t column, double cluster) {
  switch (shape) {
    case Shape::gauss:
      return rng.normal();
    case Shape::clustered:
      return cluster * (column % 2 == 0 ? 10.0 : -3.0) + 0.01 * rng.normal();
    case Shape::grid:
      return static_cast<double>(rng.below(3));
    case Shape::equal:
      return 0.3;
    case Shape::constant_column:
      return column == 0 ? 7.1 : rng.normal();
    case Shape::offset:
      return 1e6 + rng.normal();
    case Shape::flat:
      return cluster * std::sin(1.0 + static_cast<double>(column)) + 1e-3 * rng.normal();
  }
  return 0;
}

Problem linear_problem(const std::string& name, Shape shape, size_t columns, size_t rows, size_t pairs,
                       uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Problem p{.name = fmt::format("{} {}x{}, {} pairs, seed {}", name, rows, columns, pairs, seed),
            .space = Space::euclidean(static_cast<int>(columns)),
            .points = Matrix<double>(rows, columns),
            .queries = Matrix<double>(3, columns),
            .scale = std::vector<double>(columns),
            .pool = {}};
  const auto fill = [&](Matrix<double>& to) {
    for (size_t r = 0; r < to.rows(); ++r) {
      const double cluster = shape == Shape::flat ? rng.normal() : static_cast<double>(rng.below(4));
      for (size_t c = 0; c < columns; ++c) to(r, c) = sample(shape, rng, c, cluster);
    }
  };
  fill(p.points);
  fill(p.queries);
  // One query is a training row (distances of zero, many ties), one lies far beyond the data.
  std::copy_n(p.points.row(rows / 2).begin(), columns, p.queries.row(1).begin());
  for (size_t c = 0; c < columns; ++c) p.queries(2, c) += 4.0 + static_cast<double>(c);
  for (double& s : p.scale) s = rng.uniform(0.5, 2.0);
  for (size_t k = 0; k < pairs; ++k)
    p.pool.push_back({static_cast<uint32_t>(rng.below(rows)), static_cast<uint32_t>(rng.below(rows))});
  return p;
}

Problem curved_problem(const std::string& groups, const std::vector<std::string>& columns, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  const size_t rows = 10 + rng.below(60);
  Problem p{.name = fmt::format("{}, seed {}", groups, seed),
            .space = Space::parse(groups, columns),
            .points = {},
            .queries = {},
            .scale = {},
            .pool = {}};
  const size_t size = static_cast<size_t>(p.space.point_size());
  // Half of the seeds stay near half a turn, where wrapping happens.
  const double spread = seed % 2 == 0 ? 3.0 : 0.2;
  const auto fill = [&](Matrix<double>& to, size_t count) {
    to = Matrix<double>(count, size);
    std::vector<double> row(columns.size());
    for (size_t r = 0; r < count; ++r) {
      for (size_t c = 0; c < row.size(); ++c)
        row[c] = columns[c].starts_with("q") ? rng.normal() : std::numbers::pi + spread * rng.normal();
      for (double& x : row) x = columns.size() == 1 ? std::round(x * 4) / 4 : x;
      p.space.to_point(row, to.row(r));
    }
  };
  fill(p.points, rows);
  fill(p.queries, 3);
  std::copy_n(p.points.row(rows / 2).begin(), size, p.queries.row(1).begin());
  for (const Group& group : p.space.groups())
    p.scale.insert(p.scale.end(), group.kind == GroupKind::rotation ? 3 : 1, rng.uniform(0.3, 2.0));
  for (size_t k = 0; k < 300; ++k)
    p.pool.push_back({static_cast<uint32_t>(rng.below(rows)), static_cast<uint32_t>(rng.below(rows))});
  return p;
}

struct Named {
  const char* name;
  Shape shape;
};
constexpr Named shapes[] = {{"gauss", Shape::gauss},  {"clustered", Shape::clustered},
                            {"grid", Shape::grid},    {"equal", Shape::equal},
                            {"flat", Shape::flat},    {"constant column", Shape::constant_column},
                            {"offset", Shape::offset}};

TEST(DifferenceIndex, agrees_with_brute_force_on_small_tables_of_every_shape) {
  uint64_t seed = 1;
  for (const Named& shape : shapes)
    for (size_t columns : {1, 2, 5, 16, 20})
      for (auto [rows, pairs] : {std::pair<size_t, size_t>{1, 1}, {1, 40}, {17, 1}, {40, 16}, {33, 300}})
        expect_brute_force(linear_problem(shape.name, shape.shape, columns, rows, pairs, seed++));
}

TEST(DifferenceIndex, agrees_with_brute_force_where_the_tree_has_several_levels) {
  uint64_t seed = 1000;
  for (const Named& shape : shapes)
    if (shape.shape != Shape::equal)
      expect_brute_force(linear_problem(shape.name, shape.shape, 3, 90, 6000, seed++));
}

TEST(DifferenceIndex, agrees_with_brute_force_where_boxes_rule_out_nothing) {
  // Enough blocks of anchors for the search to give up the tree and take the matrix product.
  expect_brute_force(linear_problem("gauss", Shape::gauss, 60, 700, 600, 2000));
  expect_brute_force(linear_problem("grid", Shape::grid, 40, 700, 600, 2001));
  expect_brute_force(linear_problem("offset", Shape::offset, 50, 600, 500, 2002));
}

TEST(DifferenceIndex, agrees_with_brute_force_with_many_blocks_of_anchors) {
  uint64_t seed = 2100;
  for (const size_t columns : {2, 3, 18})
    for (const Shape shape : {Shape::gauss, Shape::clustered, Shape::flat})
      expect_brute_force(linear_problem("many blocks", shape, columns, 330, 5000, seed++));
  expect_brute_force(linear_problem("many blocks on a grid", Shape::grid, 3, 330, 5000, seed++));
}

TEST(DifferenceIndex, agrees_with_brute_force_on_small_pools_of_4_to_16_columns) {
  uint64_t seed = 2200;
  for (const size_t columns : {4, 7, 12, 16})
    for (const Shape shape : {Shape::gauss, Shape::grid, Shape::constant_column, Shape::offset})
      expect_brute_force(linear_problem("small pool", shape, columns, 210, 1100, seed++));
}

/// Queries that are searched together, some of them far out.
Matrix<double> many_queries(const Problem& p, size_t count) {
  Rng rng(77, Stream::domain);
  Matrix<double> queries(count, p.points.cols());
  for (size_t q = 0; q < count; ++q)
    for (size_t c = 0; c < queries.cols(); ++c)
      queries(q, c) = p.points(rng.below(p.points.rows()), c) * (q % 3 == 0 ? 2 : 1) + 0.1 * rng.normal();
  std::ranges::copy(p.points.row(3), queries.row(1).begin());
  for (double& x : queries.row(2)) x = 1e12;
  return queries;
}

TEST(DifferenceIndex, finds_for_many_points_together_what_it_finds_for_each) {
  uint64_t seed = 2300;
  for (const size_t columns : {1, 6, 12, 40, 158})
    for (const Shape shape : {Shape::gauss, Shape::grid, Shape::offset, Shape::flat}) {
      const Problem p = linear_problem("together", shape, columns, 300, 900, seed++);
      const DifferenceIndex index = p.index();
      const Matrix<double> queries = many_queries(p, 30);
      const auto closest = index.closest(queries, 7), within = index.within(queries, 0.8);
      for (size_t q = 0; q < queries.rows(); ++q) {
        const std::string what = fmt::format("{}, query {}", p.name, q);
        expect_same(closest[q], index.closest(queries.row(q), 7), what);
        expect_same(within[q], index.within(queries.row(q), 0.8), what);
      }
    }
}

TEST(DifferenceIndex, takes_anchors_only_of_the_rows_that_serve) {
  uint64_t seed = 2400;
  for (const size_t columns : {2, 20}) {
    Problem p = linear_problem("some serve", Shape::gauss, columns, 400, 700, seed++);
    std::vector<uint32_t> anchors;
    for (uint32_t r = 1; r < 400; r += 3) anchors.push_back(r);
    const DifferenceIndex index({p.space, p.points, p.scale, p.pool, anchors});
    const Matrix<double> queries = many_queries(p, 20);
    const auto together = index.closest(queries, 9);
    for (size_t q = 0; q < queries.rows(); ++q) {
      std::vector<NearestDifference> wanted = brute_force(p, queries.row(q));
      std::erase_if(wanted, [](const NearestDifference& found) { return found.anchor % 3 != 1; });
      const auto nine = std::span(wanted).first(9);
      expect_same(together[q], nine, fmt::format("together {}", q));
      expect_same(index.closest(queries.row(q), 9), nine, fmt::format("alone {}", q));
    }
    EXPECT_EQ(index.closest(queries.row(0), 400).size(), anchors.size());
  }
}

TEST(DifferenceIndex, agrees_with_brute_force_beyond_the_number_of_axes_it_keeps) {
  expect_brute_force(linear_problem("wide", Shape::gauss, PrincipalAxes::most_axes + 30, 60, 200, 3000));
}

TEST(DifferenceIndex, agrees_with_brute_force_on_angles_and_rotations) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    expect_brute_force(curved_problem("t=angle", {"t"}, seed));
    expect_brute_force(curved_problem("t=angle,u=angle", {"t", "u", "x"}, seed));
    expect_brute_force(curved_problem("qw+qx+qy+qz=rotation", {"qw", "qx", "qy", "qz"}, seed));
    expect_brute_force(
        curved_problem("qw+qx+qy+qz=rotation,t=degrees", {"t", "qw", "qx", "qy", "qz", "x"}, seed));
  }
}

TEST(DifferenceIndex, agrees_with_brute_force_for_queries_beyond_single_precision) {
  Problem p = linear_problem("remote", Shape::gauss, 4, 40, 200, 4000);
  for (size_t c = 0; c < 4; ++c) {
    p.queries(0, c) = 1e7;
    p.queries(1, c) = -1e15;
    p.queries(2, c) = 1e60;
  }
  expect_brute_force(p);
}

TEST(DifferenceIndex, answers_the_same_whichever_of_many_threads_searches_first) {
  const Problem p = linear_problem("threads", Shape::clustered, 6, 200, 3000, 5000);
  const auto wanted = p.index().closest(p.queries.row(0), 20);
  const std::vector<NearestDifference> all = brute_force(p, p.queries.row(0));
  expect_same(wanted, std::span(all).first(20), "one thread");
  for (const size_t count : {2, 3, 8}) {
    // The tree is not built yet: any of the threads may build it.
    const DifferenceIndex index = p.index();
    std::vector<std::vector<NearestDifference>> found(count);
    std::vector<std::thread> threads;
    for (auto& f : found) threads.emplace_back([&] { f = index.closest(p.queries.row(0), 20); });
    for (std::thread& t : threads) t.join();
    for (const auto& f : found) expect_same(f, wanted, fmt::format("one of {} threads", count));
  }
}

TEST(DifferenceIndex, answers_the_same_once_copied_or_moved_before_or_after_its_first_search) {
  const Problem p = linear_problem("moved", Shape::gauss, 4, 60, 400, 5001);
  const auto wanted = p.index().closest(p.queries.row(0), 7);
  DifferenceIndex first = p.index();
  const DifferenceIndex copied_before = first;
  DifferenceIndex moved = std::move(first);
  expect_same(moved.closest(p.queries.row(0), 7), wanted, "moved before");
  expect_same(copied_before.closest(p.queries.row(0), 7), wanted, "copied before");
  const DifferenceIndex copied_after = moved;
  DifferenceIndex assigned;
  assigned = std::move(moved);
  expect_same(assigned.closest(p.queries.row(0), 7), wanted, "moved after");
  expect_same(copied_after.closest(p.queries.row(0), 7), wanted, "copied after");
}

TEST(AnchorIndex, finds_what_going_through_everything_finds) {
  const Problem p = linear_problem("anchors", Shape::grid, 4, 120, 500, 6000);
  const AnchorIndex index(p.space, p.points, p.scale, p.pool);
  for (size_t q = 0; q < p.queries.rows(); ++q) {
    std::vector<AnchorMatch> all = index.match_all(p.queries.row(q));
    std::stable_sort(all.begin(), all.end(),
                     [](const AnchorMatch& a, const AnchorMatch& b) { return a.distance < b.distance; });
    const auto found = index.find(p.queries.row(q), {.rule = AnchorRule::many, .count = 20});
    ASSERT_EQ(found.size(), 20u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].anchor, all[i].anchor);
      EXPECT_EQ(found[i].analog, all[i].analog);
      EXPECT_EQ(found[i].distance, all[i].distance);
    }
    EXPECT_EQ(index.find(p.queries.row(q), {.rule = AnchorRule::nearest}).front().anchor, all[0].anchor);
    const auto drawn = index.find(p.queries.row(q), {.rule = AnchorRule::percentile, .percentile = 10});
    ASSERT_EQ(drawn.size(), 1u);
    EXPECT_TRUE(std::any_of(all.begin(), all.begin() + 12,
                            [&](const AnchorMatch& a) { return a.anchor == drawn[0].anchor; }));
    EXPECT_TRUE(index.find(p.queries.row(q), {.rule = AnchorRule::none}).empty());
  }
}

}  // namespace
}  // namespace kedge
