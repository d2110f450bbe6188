#include "kedge/table/standardizer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"

namespace kedge {
namespace {

/// A spread of this many units in the last place of the mean is rounding, not information.
constexpr double rounding_units = 2;

/// Sums differences to the first row: exactly zero for a constant column, and small where the offset is
/// large.
double mean_of(MatrixView<const double> rows, size_t column) {
  const double origin = rows(0, column);
  double sum = 0;
  for (size_t r = 0; r < rows.rows(); ++r) sum += rows(r, column) - origin;
  return origin + sum / static_cast<double>(rows.rows());
}

double deviation_of(MatrixView<const double> rows, size_t column, double mean) {
  double largest = 0;
  for (size_t r = 0; r < rows.rows(); ++r) largest = std::max(largest, std::abs(rows(r, column) - mean));
  if (largest == 0) return 0;
  // Squares of numbers up to 1, so that neither 1e200 nor 1e-200 leaves the range of doubles.
  double sum = 0, squares = 0;
  for (size_t r = 0; r < rows.rows(); ++r) {
    const double d = (rows(r, column) - mean) / largest;
    sum += d;
    squares += d * d;
  }
  const auto count = static_cast<double>(rows.rows());
  // The sum is what rounding of the mean left over; it would be zero in exact arithmetic.
  return largest * std::sqrt(std::max(0.0, squares - sum * sum / count) / count);
}

}  // namespace

Standardizer Standardizer::fit(MatrixView<const double> rows, std::span<const std::vector<size_t>> together) {
  if (rows.rows() == 0) throw Error("standardize", "needed at least one row; found none; check the table");
  Standardizer result = identity(rows.cols());
  for (size_t c = 0; c < rows.cols(); ++c) {
    const double mean = mean_of(rows, c);
    const double deviation = deviation_of(rows, c, mean);
    result.mean[c] = mean;
    const bool constant =
        deviation <= rounding_units * std::numeric_limits<double>::epsilon() * std::abs(mean);
    result.scale[c] = constant ? 0 : deviation;
  }
  for (const std::vector<size_t>& set : together) {
    // As in a single column: relative to the largest, so that no square leaves the range of doubles.
    double largest = 0, squares = 0;
    for (size_t c : set) largest = std::max(largest, result.scale[c]);
    if (largest == 0) continue;
    for (size_t c : set) squares += (result.scale[c] / largest) * (result.scale[c] / largest);
    for (size_t c : set) result.scale[c] = largest * std::sqrt(squares / static_cast<double>(set.size()));
  }
  for (double& scale : result.scale)
    if (scale == 0) scale = 1;
  return result;
}

Standardizer Standardizer::identity(size_t columns) {
  return {.mean = std::vector<double>(columns, 0.0), .scale = std::vector<double>(columns, 1.0)};
}

void Standardizer::apply(std::span<const double> row, std::span<float> out) const {
  assert(row.size() == columns() && out.size() == columns());
  for (size_t c = 0; c < row.size(); ++c) out[c] = static_cast<float>(redo(c, row[c]));
}

}  // namespace kedge
