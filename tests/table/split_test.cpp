#include "kedge/table/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using Rows = std::vector<size_t>;

void expect_partition(const Rows& first, const Rows& second, size_t rows) {
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_TRUE(std::is_sorted(second.begin(), second.end()));
  EXPECT_FALSE(first.empty());
  EXPECT_FALSE(second.empty());
  std::set<size_t> all(first.begin(), first.end());
  all.insert(second.begin(), second.end());
  EXPECT_EQ(first.size() + second.size(), rows);
  EXPECT_EQ(all.size(), rows);
  EXPECT_EQ(*all.rbegin(), rows - 1);
}

/// The definition, word for word: the median by sorting, the score, and rows taken one by one.
Rows outermost(const Matrix<double>& points, size_t count) {
  std::vector<double> scores(points.rows(), 0);
  for (size_t c = 0; c < points.cols(); ++c) {
    std::vector<double> sorted;
    for (size_t r = 0; r < points.rows(); ++r) sorted.push_back(points(r, c));
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    const double half_range = (sorted.back() - sorted.front()) / 2;
    for (size_t r = 0; r < points.rows() && half_range > 0; ++r) {
      scores[r] = std::max(scores[r], std::abs(points(r, c) - median) / half_range);
    }
  }
  Rows result;
  while (result.size() < count) {
    const auto most = std::max_element(scores.begin(), scores.end());
    result.push_back(static_cast<size_t>(most - scores.begin()));
    *most = -1;
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(OuterShell, is_what_the_definition_says_on_random_points) {
  Rng rng(41, Stream::noise);
  for (int trial = 0; trial < 300; ++trial) {
    Matrix<double> points(2 + rng.below(40), 1 + rng.below(4));
    // Small whole numbers, so that ties are many and arithmetic is exact enough to keep them.
    for (size_t r = 0; r < points.rows(); ++r) {
      for (double& x : points.row(r)) x = static_cast<double>(rng.below(9)) - 4;
    }
    const double fraction = rng.uniform();
    const auto [inside, outside] = outer_shell(points, fraction);
    expect_partition(inside, outside, points.rows());
    EXPECT_NEAR(static_cast<double>(outside.size()), fraction * static_cast<double>(points.rows()), 1.0);
    EXPECT_EQ(outside, outermost(points, outside.size()));
  }
}

TEST(OuterShell, takes_both_ends_of_a_line_and_of_equals_the_earlier_row) {
  const Matrix<double> line(5, 1, {2, 0, 1, 4, 3});
  EXPECT_EQ(outer_shell(line, 0.4).outside, (Rows{1, 3}));
  EXPECT_EQ(outer_shell(line, 0.2).outside, Rows{1});
  EXPECT_EQ(outer_shell(Matrix<double>(4, 2, 7.0), 0.5).outside, (Rows{0, 1}));
}

TEST(OuterShell, leaves_one_row_on_either_side) {
  const Matrix<double> points(3, 1, {0, 5, 6});
  EXPECT_EQ(outer_shell(points, 0).outside, Rows{0});
  EXPECT_EQ(outer_shell(points, 1).inside, Rows{1});
}

TEST(OuterShell, is_the_same_when_a_column_is_moved_and_scaled) {
  Rng rng(42, Stream::noise);
  Matrix<double> points(200, 2), moved(200, 2);
  for (size_t r = 0; r < points.rows(); ++r) {
    for (size_t c = 0; c < 2; ++c) points(r, c) = rng.normal();
    moved(r, 0) = 1000 * points(r, 0) - 70;
    moved(r, 1) = points(r, 1) / 64;
  }
  EXPECT_EQ(outer_shell(points, 0.2).outside, outer_shell(moved, 0.2).outside);
}

TEST(OuterShell, stays_in_range_where_differences_overflow) {
  const Matrix<double> points(4, 1, {-1.7e308, 0, 1e307, 1.6e308});
  EXPECT_EQ(outer_shell(points, 0.5).outside, (Rows{0, 3}));
}

TEST(OuterShell, refuses_too_few_rows_fractions_out_of_range_and_numbers_not_finite) {
  EXPECT_NE(error_text([] { outer_shell(Matrix<double>(1, 1), 0.5); }).find("at least 2 rows; found 1"),
            std::string::npos);
  for (const double fraction : {-0.1, 1.1, std::nan("")}) {
    EXPECT_NE(error_text([&] { outer_shell(Matrix<double>(3, 1), fraction); }).find("from 0 to 1"),
              std::string::npos);
  }
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(error_text([&] {
                outer_shell(Matrix<double>(2, 1, {0, value}), 0.5);
              }).find("row 1, column 0"),
              std::string::npos);
  }
}

TEST(RandomSplit, parts_the_rows_and_is_named_by_its_seed) {
  for (size_t rows : {2u, 3u, 10u, 1000u}) {
    for (double fraction : {0.0, 0.2, 0.5, 1.0}) {
      const auto [kept, held_out] = random_split(rows, fraction, 7);
      expect_partition(kept, held_out, rows);
      const double wanted =
          std::clamp(fraction * static_cast<double>(rows), 1.0, static_cast<double>(rows) - 1);
      EXPECT_NEAR(static_cast<double>(held_out.size()), wanted, 0.5);
    }
  }
  EXPECT_EQ(random_split(1000, 0.2, 7).held_out, random_split(1000, 0.2, 7).held_out);
  EXPECT_NE(random_split(1000, 0.2, 7).held_out, random_split(1000, 0.2, 8).held_out);
}

TEST(RandomSplit, holds_out_every_row_and_every_pair_equally_often) {
  const int draws = 20000;
  std::vector<int> single(5), pair(25);
  for (int seed = 0; seed < draws; ++seed) {
    const Rows held_out = random_split(5, 0.4, static_cast<uint64_t>(seed)).held_out;
    for (const size_t row : held_out) ++single[row];
    ++pair[held_out[0] * 5 + held_out[1]];
  }
  const double slack = 250;  // more than five deviations of either count
  for (const int count : single) EXPECT_NEAR(count, draws * 2 / 5, slack * 2);
  for (size_t a = 0; a < 5; ++a) {
    for (size_t b = a + 1; b < 5; ++b) EXPECT_NEAR(pair[a * 5 + b], draws / 10, slack);
  }
}

TEST(RandomSplit, refuses_too_few_rows_and_fractions_out_of_range) {
  EXPECT_NE(error_text([] { random_split(1, 0.5, 0); }), "");
  EXPECT_NE(error_text([] { random_split(9, 1.5, 0); }), "");
}

TEST(OuterEnd, is_the_end_of_the_direction_in_which_the_columns_vary_together) {
  Rng rng(43, Stream::noise);
  Matrix<double> points(100, 3);
  std::vector<double> along(100);
  for (size_t r = 0; r < 100; ++r) {
    along[r] = rng.uniform(-1, 1);
    points(r, 0) = 10 * along[r];
    points(r, 1) = 5 - 1e-3 * along[r];
    points(r, 2) = rng.uniform(-1, 1);
  }
  for (End end : {End::low, End::high}) {
    const auto [inside, outside] = outer_end(points, 0.3, end);
    expect_partition(inside, outside, 100);
    ASSERT_EQ(outside.size(), 30u);
    for (size_t row : outside) EXPECT_GT(end == End::high ? along[row] : -along[row], 0);
  }
}

TEST(OuterEnd, of_one_column_is_its_largest_or_smallest_values_with_equals_by_row) {
  const Matrix<double> line(5, 1, {3, 9, 1, 9, 1});
  EXPECT_EQ(outer_end(line, 0.2, End::high).outside, Rows{1});
  EXPECT_EQ(outer_end(line, 0.4, End::high).outside, (Rows{1, 3}));
  EXPECT_EQ(outer_end(line, 0.2, End::low).outside, Rows{2});
  EXPECT_NE(error_text([] { outer_end(Matrix<double>(2, 1, {0, NAN}), 0.5, End::low); }), "");
}

}  // namespace
}  // namespace kedge
