#include "kedge/core/linear_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-6;
constexpr double rounding = 1e-12;

Matrix<double> random_matrix(size_t rows, size_t cols, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  Matrix<double> m(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (double& x : m.row(r)) x = rng.normal();
  return m;
}

void expect_near(const Matrix<double>& found, const Matrix<double>& wanted) {
  ASSERT_EQ(found.rows(), wanted.rows());
  ASSERT_EQ(found.cols(), wanted.cols());
  for (size_t i = 0; i < wanted.values().size(); ++i)
    EXPECT_NEAR(found.values()[i], wanted.values()[i], rounding);
}

Matrix<double> identity(size_t n) {
  Matrix<double> m(n, n);
  for (size_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}

TEST(LinearAlgebra, products_agree_with_sums_over_entries) {
  const Matrix<double> a = random_matrix(7, 30, 1), b = random_matrix(30, 5, 2);
  Matrix<double> sums(7, 5);
  for (size_t i = 0; i < 7; ++i)
    for (size_t j = 0; j < 5; ++j)
      for (size_t k = 0; k < 30; ++k) sums(i, j) += a(i, k) * b(k, j);
  expect_near(product(a, b), sums);
  expect_near(transposed_product(transposed(a), b), sums);
  expect_near(product_transposed(a, transposed(b)), sums);
}

TEST(LinearAlgebra, eigenvectors_are_orthonormal_and_give_the_matrix_back) {
  const Matrix<double> rows = random_matrix(40, 6, 3), gram = transposed_product(rows, rows);
  const auto [values, vectors] = eigenvectors(gram);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  expect_near(transposed_product(vectors, vectors), identity(6));
  Matrix<double> scaled = vectors;
  scale_columns(scaled, values);
  expect_near(product_transposed(scaled, vectors), gram);
  const std::vector<double> alone = eigenvalues(gram);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(alone[i], values[i], rounding * values[5]);
}

TEST(LinearAlgebra, singular_vectors_are_orthonormal_and_give_the_matrix_back) {
  for (const Matrix<double>& a : {random_matrix(30, 20, 4), random_matrix(4, 9, 5)}) {
    const auto [values, u, v] = singular_vectors(a);
    EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    EXPECT_EQ(values.size(), std::min(a.rows(), a.cols()));
    expect_near(transposed_product(u, u), identity(values.size()));
    expect_near(transposed_product(v, v), identity(values.size()));
    Matrix<double> scaled = u;
    scale_columns(scaled, values);
    expect_near(product_transposed(scaled, v), a);
    const std::vector<double> alone = singular_values(a);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(alone[i], values[i], rounding * values[0]);
  }
}

TEST(LinearAlgebra, least_squares_gives_the_shortest_of_many_solutions) {
  Matrix<double> a(3, 2), b(3, 1);
  for (size_t r = 0; r < 3; ++r) {
    a(r, 0) = a(r, 1) = static_cast<double>(r + 1);
    b(r, 0) = 4 * static_cast<double>(r + 1);
  }
  expect_near(least_squares(a, b), Matrix<double>(2, 1, 2.0));
}

TEST(LinearAlgebra, orthogonal_factor_leaves_a_triangle_with_a_positive_diagonal) {
  const Matrix<double> a = random_matrix(8, 5, 6), q = orthogonal_factor(a);
  expect_near(transposed_product(q, q), identity(5));
  const Matrix<double> r = transposed_product(q, a);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_GT(r(i, i), 0);
    for (size_t j = 0; j < i; ++j) EXPECT_NEAR(r(i, j), 0, rounding);
  }
}

TEST(LinearAlgebra, centered_columns_have_no_mean) {
  Matrix<double> a = random_matrix(50, 2, 7);
  a(3, 1) += 100;
  const Matrix<double> before = a;
  const std::vector<double> means = center_columns(a);
  for (size_t c = 0; c < 2; ++c) {
    double sum = 0;
    for (size_t r = 0; r < 50; ++r) {
      sum += a(r, c);
      EXPECT_EQ(a(r, c), before(r, c) - means[c]);
    }
    EXPECT_NEAR(sum, 0, rounding * 1000);
  }
}

TEST(LinearAlgebra, centered_columns_have_no_weighted_mean) {
  Matrix<double> a(3, 1, std::vector<double>{1, 2, 6});
  const std::vector<double> weights = {2, 1, 1};
  EXPECT_EQ(center_columns(a, weights), std::vector<double>{2.5});
  EXPECT_EQ(a.values(), (std::vector<double>{-1.5, -0.5, 3.5}));
}

TEST(LeadingAxes, are_orthonormal_and_ordered_by_variance) {
  Rng rng(1, Stream::domain);
  // Variance 16 along (1, 1, 0) / sqrt(2), 1 along (1, -1, 0) / sqrt(2), next to none along the third.
  Matrix<double> rows(500, 3);
  for (size_t r = 0; r < rows.rows(); ++r) {
    const double a = 4 * rng.normal() / std::sqrt(2.0), b = rng.normal() / std::sqrt(2.0);
    rows(r, 0) = a + b;
    rows(r, 1) = a - b;
    rows(r, 2) = 0.01 * rng.normal();
  }
  const Matrix<double> axes = leading_axes(rows, 2);
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 2; ++j) {
      double dot = 0;
      for (size_t c = 0; c < 3; ++c) dot += axes(i, c) * axes(j, c);
      EXPECT_NEAR(dot, i == j ? 1 : 0, tolerance);
    }
  constexpr double sampling = 0.05;
  EXPECT_NEAR(axes(0, 0), std::sqrt(0.5), sampling);
  EXPECT_NEAR(axes(0, 1), std::sqrt(0.5), sampling);
  EXPECT_NEAR(std::abs(axes(1, 0)), std::sqrt(0.5), sampling);
  const Matrix<double> places = along(rows, axes);
  double first = 0, second = 0;
  for (size_t r = 0; r < rows.rows(); ++r) {
    first += places(r, 0) * places(r, 0);
    second += places(r, 1) * places(r, 1);
  }
  EXPECT_GT(first, 4 * second);
}

TEST(LeadingAxes, of_rows_that_do_not_vary_are_still_unit_vectors) {
  const Matrix<double> axes = leading_axes(Matrix<double>(5, 4), 2);
  for (size_t k = 0; k < 2; ++k) {
    double square = 0;
    for (double part : axes.row(k)) square += part * part;
    EXPECT_NEAR(square, 1, tolerance);
  }
  EXPECT_EQ(leading_axes(Matrix<double>(5, 1), 2).rows(), 1u);
}

TEST(LeadingAxes, have_a_positive_largest_part_and_no_part_in_a_column_that_does_not_vary) {
  Matrix<double> rows = random_matrix(60, 5, 8);
  for (size_t r = 0; r < rows.rows(); ++r) rows(r, 2) = 0;
  const Matrix<double> axes = leading_axes(rows, 4);
  for (size_t k = 0; k < axes.rows(); ++k) {
    double largest = 0;
    for (double part : axes.row(k))
      if (std::abs(part) > std::abs(largest)) largest = part;
    EXPECT_GT(largest, 0);
    EXPECT_NEAR(axes(k, 2), 0, rounding);
  }
}

TEST(LeadingAxes, of_tables_of_very_many_columns_are_found_too) {
  // One direction, of which all 700 columns have a part, and little else.
  Rng rng(9, Stream::domain);
  for (const size_t count : {1, 3, 600}) {
    Matrix<double> rows(count, 700);
    for (size_t r = 0; r < count; ++r) {
      const double place = 1 + rng.uniform();
      for (double& x : rows.row(r)) x = place + 1e-4 * rng.normal();
    }
    const Matrix<double> axes = leading_axes(rows, 2);
    ASSERT_EQ(axes.rows(), 2u);
    for (double part : axes.row(0)) EXPECT_NEAR(part, 1 / std::sqrt(700.0), 1e-4);
    double square = 0;
    for (double part : axes.row(1)) square += part * part;
    EXPECT_NEAR(square, 1, tolerance);
  }
}

}  // namespace
}  // namespace kedge
