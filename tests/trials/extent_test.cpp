#include "kedge/trials/extent.h"

#include <gtest/gtest.h>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

Matrix<double> evenly(size_t rows, double low, double high) {
  Matrix<double> points(rows, 1);
  for (size_t r = 0; r < rows; ++r)
    points(r, 0) = low + (high - low) * static_cast<double>(r) / static_cast<double>(rows - 1);
  return points;
}

TEST(Extent, of_a_part_of_a_line_is_its_share_of_it_whatever_the_unit) {
  constexpr double tolerance = 0.01;
  for (double unit : {1.0, 1e6}) {
    const std::vector<double> found =
        relative_extents(evenly(200, 0, 10 * unit), evenly(80, 0, 4 * unit), evenly(3, 5 * unit, 9 * unit));
    ASSERT_EQ(found.size(), 3u);
    for (double extent : found) EXPECT_NEAR(extent, 0.4, tolerance);
  }
}

TEST(Extent, counts_in_the_direction_of_the_query_alone) {
  Rng rng(1, Stream::domain);
  Matrix<double> all(4000, 2), fitted(4000, 2);
  for (size_t r = 0; r < all.rows(); ++r) {
    fitted(r, 0) = 0.5 * (all(r, 0) = rng.uniform(-1, 1));
    fitted(r, 1) = all(r, 1) = rng.uniform(-1, 1);
  }
  const Matrix<double> queries(2, 2, {0.9, 0, 0, 0.9});
  const std::vector<double> found = relative_extents(all, fitted, queries);
  constexpr double tolerance = 0.02;
  EXPECT_NEAR(found[0], 0.5, tolerance);
  EXPECT_NEAR(found[1], 1, tolerance);
}

TEST(Extent, is_never_above_1_and_1_where_nothing_varies) {
  const Matrix<double> same(10, 1, 3.0);
  EXPECT_EQ(relative_extents(same, same, same), std::vector<double>(10, 1.0));
  EXPECT_EQ(relative_extents(evenly(100, 4, 6), evenly(2, 4, 6), evenly(1, 5, 7))[0], 1);
}

}  // namespace
}  // namespace kedge
