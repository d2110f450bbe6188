#include "kedge/core/leading_axes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-6;

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

}  // namespace
}  // namespace kedge
