#include "kedge/anchors/row_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

struct Problem {
  std::string name;
  DifferencePool pool;
  Matrix<double> queries;
};

// Written apart from the library's own: every row, by the space's own functions.
NearestRow brute_force(const DifferencePool& pool, std::span<const double> query, double least) {
  std::vector<double> delta(pool.delta_size());
  const std::vector<double> origin(pool.delta_size(), 0.0);
  NearestRow best{0, HUGE_VAL};
  for (uint32_t row = 0; row < pool.points.rows(); ++row) {
    pool.space.minus(query, pool.points.row(row), delta);
    const double squared = pool.space.squared_distance(delta, origin, pool.scale);
    if (squared < best.squared && std::sqrt(squared) >= least) best = {row, squared};
  }
  return best;
}

std::vector<NearestRow> closest_by_brute_force(const DifferencePool& pool, std::span<const double> query,
                                               size_t count) {
  std::vector<double> delta(pool.delta_size());
  const std::vector<double> origin(pool.delta_size(), 0.0);
  std::vector<NearestRow> all;
  for (uint32_t row = 0; row < pool.points.rows(); ++row) {
    pool.space.minus(query, pool.points.row(row), delta);
    all.push_back({row, pool.space.squared_distance(delta, origin, pool.scale)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const NearestRow& a, const NearestRow& b) { return a.squared < b.squared; });
  all.resize(std::min(count, all.size()));
  return all;
}

void expect_brute_force(const Problem& p) {
  const RowIndex index;
  ThreadPool one(1), three(3);
  for (double least : {0.0, 1e-6, 0.5}) {
    const std::vector<NearestRow> found = index.nearest(p.pool, p.queries, one, least);
    ASSERT_EQ(index.nearest(p.pool, p.queries, three, least), found) << p.name;
    for (size_t q = 0; q < p.queries.rows(); ++q) {
      const NearestRow wanted = brute_force(p.pool, p.queries.row(q), least);
      ASSERT_EQ(found[q].row, wanted.row) << p.name << ", query " << q << ", from " << least;
      ASSERT_EQ(found[q].squared, wanted.squared) << p.name << ", query " << q << ", from " << least;
      ASSERT_EQ(index.nearest(p.pool, p.queries.row(q), least), wanted) << p.name << ", query " << q;
    }
  }
  const auto several = index.closest(p.pool, p.queries, 20, one);
  ASSERT_EQ(index.closest(p.pool, p.queries, 20, three), several) << p.name;
  for (size_t q = 0; q < p.queries.rows(); ++q)
    ASSERT_EQ(several[q], closest_by_brute_force(p.pool, p.queries.row(q), 20)) << p.name << ", query " << q;
}

/// Table values that `space` takes as points: `draw` gives each.
template <class Draw>
Problem problem(const std::string& name, const Space& space, size_t rows, size_t queries, const Draw& draw) {
  const auto columns = static_cast<size_t>(space.columns());
  const auto points_of = [&](size_t count, size_t first) {
    Matrix<double> points(count, static_cast<size_t>(space.point_size()));
    std::vector<double> row(columns);
    for (size_t r = 0; r < count; ++r) {
      for (size_t c = 0; c < columns; ++c) row[c] = draw(first + r, c);
      space.to_point(row, points.row(r));
    }
    return points;
  };
  std::vector<double> scale(static_cast<size_t>(space.delta_size()));
  Rng rng(7, Stream::noise);
  for (double& s : scale) s = 0.5 + rng.uniform();
  for (const Group& group : space.groups())
    if (group.kind == GroupKind::rotation)
      for (int j : space.deltas_of(group.columns[0]))
        scale[static_cast<size_t>(j)] = scale[static_cast<size_t>(space.deltas_of(group.columns[0])[0])];
  Problem p{fmt::format("{}, {} rows", name, rows),
            {space, points_of(rows, 0), std::move(scale), {{0, 0}}},
            points_of(queries, rows)};
  // One query is a training row.
  const std::span<const double> first = p.pool.points.row(rows / 2);
  std::copy(first.begin(), first.end(), p.queries.row(0).begin());
  return p;
}

TEST(RowIndex, finds_what_brute_force_finds_in_linear_spaces) {
  for (size_t columns : {1, 2, 5, 20, 40}) {
    for (size_t rows : {1, 17, 300, 3000}) {
      Rng rng(columns, Stream::domain, rows);
      const Space space = Space::euclidean(static_cast<int>(columns));
      const auto name = [&](const char* kind) { return fmt::format("{} {} columns", kind, columns); };
      expect_brute_force(
          problem(name("isotropic"), space, rows, 40, [&](size_t, size_t) { return rng.normal(); }));
      expect_brute_force(
          problem(name("offset"), space, rows, 20, [&](size_t, size_t) { return 1e9 + rng.normal(); }));
      double along = 0;
      expect_brute_force(problem(name("flat"), space, rows, 20, [&](size_t, size_t c) {
        if (c == 0) along = rng.normal();
        return along * static_cast<double>(c + 1) + 1e-3 * rng.normal();
      }));
      expect_brute_force(problem(name("grid"), space, rows, 20,
                                 [&](size_t, size_t) { return static_cast<double>(rng.below(3)); }));
    }
  }
}

TEST(RowIndex, finds_what_brute_force_finds_with_angles_rotations_and_logarithms) {
  const std::vector<std::string> names = {"a", "b", "w", "x", "y", "z", "s", "v"};
  for (const char* text :
       {"w+x+y+z=rotation,a=angle,b=degrees,s=log", "w+x+y+z=rotation", "v=angle", "s=log"}) {
    for (size_t rows : {20, 2500}) {
      Rng rng(3, Stream::domain, rows);
      expect_brute_force(problem(text, Space::parse(text, names), rows, 40, [&](size_t, size_t c) {
        if (c == 1) return rng.uniform(-400, 400);
        return c == 6 ? std::exp(3 * rng.normal()) : 2 * rng.normal();
      }));
    }
  }
}

TEST(RowIndex, finds_what_brute_force_finds_for_far_queries_and_equal_rows) {
  Rng rng(5, Stream::domain);
  constexpr size_t rows = 3000;
  for (double far : {10.0, 1e4, 1e9, 1e160})
    expect_brute_force(problem(fmt::format("far {}", far), Space::euclidean(6), rows, 10,
                               [&](size_t r, size_t) { return rng.normal() * (r < rows ? 1.0 : far); }));
  expect_brute_force(problem("equal", Space::euclidean(6), rows, 10,
                             [](size_t, size_t c) { return 0.1 * static_cast<double>(c); }));
  expect_brute_force(
      problem("tiny", Space::euclidean(6), rows, 10, [&](size_t, size_t) { return 1e-200 * rng.normal(); }));
  expect_brute_force(
      problem("many columns", Space::euclidean(300), 300, 10, [&](size_t, size_t) { return rng.normal(); }));
}

TEST(RowIndex, is_built_once_by_whichever_thread_searches_first) {
  Rng rng(9, Stream::domain);
  const Problem p =
      problem("threads", Space::euclidean(4), 5000, 8, [&](size_t, size_t) { return rng.normal(); });
  const RowIndex index;
  std::vector<std::vector<NearestRow>> found(4);
  std::vector<std::thread> threads;
  for (auto& own : found) {
    threads.emplace_back([&] {
      const RowIndex copy = index;
      for (size_t q = 0; q < p.queries.rows(); ++q) own.push_back(copy.nearest(p.pool, p.queries.row(q)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t q = 0; q < p.queries.rows(); ++q)
    for (const auto& own : found) EXPECT_EQ(own[q], brute_force(p.pool, p.queries.row(q), 0));
}

}  // namespace
}  // namespace kedge
