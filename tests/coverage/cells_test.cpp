#include "kedge/coverage/cells.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

Matrix<double> drawn(size_t rows, size_t cols, double scale = 1) {
  Rng rng(3, Stream::domain);
  Matrix<double> m(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (double& x : m.row(r)) x = scale * rng.normal();
  return m;
}

std::vector<size_t> sizes(const Cells& cells, const Matrix<double>& sample) {
  std::vector<size_t> count(cells.count());
  for (size_t r = 0; r < sample.rows(); ++r) ++count.at(cells.of(sample.row(r)));
  return count;
}

TEST(Cells, have_the_same_mass) {
  for (size_t columns : {1, 2, 5}) {
    const Matrix<double> sample = drawn(800, columns);
    for (int levels : {0, 1, 2, 3}) {
      const Cells cells(sample, levels);
      ASSERT_EQ(cells.count(), size_t{1} << levels);
      for (size_t size : sizes(cells, sample)) EXPECT_EQ(size, 800u >> levels);
    }
  }
}

TEST(Cells, do_not_depend_on_units) {
  const Matrix<double> one = drawn(100, 3);
  Matrix<double> other = one;
  for (size_t r = 0; r < 100; ++r) other(r, 1) *= 1000;
  const Cells a(one, 3), b(other, 3);
  for (size_t r = 0; r < 100; ++r) EXPECT_EQ(a.of(one.row(r)), b.of(other.row(r)));
}

TEST(Cells, never_part_equal_rows_and_have_no_empty_cell) {
  for (size_t zeros : {1, 30, 50, 99, 100}) {
    Matrix<double> sample(100, 1);
    for (size_t r = zeros; r < 100; ++r) sample(r, 0) = static_cast<double>(1 + r % 2);
    const Cells cells(sample, 3);
    const size_t different = zeros == 100 ? 1 : zeros == 99 ? 2 : 3;
    EXPECT_EQ(cells.count(), different) << zeros;
    for (size_t size : sizes(cells, sample)) EXPECT_GT(size, 0u);
  }
}

TEST(Cells, a_row_beyond_the_range_of_the_sample_in_any_column_is_outside) {
  Matrix<double> sample(2, 2, std::vector<double>{0, 5, 10, 5});
  const Cells cells(sample, 1);
  const auto of = [&](double x, double y) {
    const std::vector<double> row = {x, y};
    return cells.of(row);
  };
  EXPECT_NE(of(-0.4, 5), Cells::outside);
  EXPECT_NE(of(10.4, 5), Cells::outside);
  EXPECT_NE(of(0, 5), of(10, 5));
  EXPECT_EQ(of(-0.6, 5), Cells::outside);
  EXPECT_EQ(of(10.6, 5), Cells::outside);
  EXPECT_EQ(of(5, 5.1), Cells::outside);
}

}  // namespace
}  // namespace kedge
