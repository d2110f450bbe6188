#include "kedge/core/leading_axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kedge {
namespace {

constexpr int rounds = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void orthonormalize(Matrix<double>& axes) {
  for (size_t k = 0; k < axes.rows(); ++k) {
    const auto axis = axes.row(k);
    for (size_t other = 0; other < k; ++other) {
      const double part = dot(axis, axes.row(other));
      for (size_t c = 0; c < axis.size(); ++c) axis[c] -= part * axes(other, c);
    }
    const double length = std::sqrt(dot(axis, axis));
    if (length > 0)
      for (double& part : axis) part /= length;
  }
}

}  // namespace

Matrix<double> along(MatrixView<const double> rows, MatrixView<const double> axes) {
  Matrix<double> places(rows.rows(), axes.rows());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t k = 0; k < axes.rows(); ++k) places(r, k) = dot(rows.row(r), axes.row(k));
  return places;
}

Matrix<double> leading_axes(MatrixView<const double> rows, size_t count) {
  const size_t columns = rows.cols();
  Matrix<double> axes(std::min(count, columns), columns);
  // Any start that is orthogonal to no direction will do.
  for (size_t k = 0; k < axes.rows(); ++k)
    for (size_t c = 0; c < columns; ++c) axes(k, c) = std::cos(static_cast<double>((k + 1) * (c + 1)));
  orthonormalize(axes);
  for (int round = 0; round < rounds; ++round) {
    const Matrix<double> places = along(rows, axes.view());
    Matrix<double> next(axes.rows(), columns);
    for (size_t r = 0; r < rows.rows(); ++r)
      for (size_t k = 0; k < axes.rows(); ++k)
        for (size_t c = 0; c < columns; ++c) next(k, c) += places(r, k) * rows(r, c);
    orthonormalize(next);
    // A direction without variance keeps what it had.
    for (size_t k = 0; k < axes.rows(); ++k)
      if (dot(next.row(k), next.row(k)) > 0) std::copy_n(next.row(k).begin(), columns, axes.row(k).begin());
  }
  for (size_t k = 0; k < axes.rows(); ++k) {
    const auto axis = axes.row(k);
    const auto largest = std::max_element(axis.begin(), axis.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (*largest < 0)
      for (double& part : axis) part = -part;
  }
  return axes;
}

}  // namespace kedge
