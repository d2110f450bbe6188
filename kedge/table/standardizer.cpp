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

/// How much each row counts.
class RowCounts {
 public:
  RowCounts(size_t rows, std::span<const double> weights) : weights_(weights) {
    for (size_t r = 0; r < rows; ++r) total_ += (*this)[r];
  }

  double operator[](size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  double total() const { return total_; }

 private:
  std::span<const double> weights_;
  double total_ = 0;
};

// The functions below go through the rows once for all columns: memory is read in its order.

/// Sums differences to the first row: exactly zero for a constant column, and small where the offset is
/// large.
std::vector<double> means_of(MatrixView<const double> rows, const RowCounts& counts) {
  std::vector<double> sums(rows.cols());
  const std::span<const double> origin = rows.row(0);
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += counts[r] * (rows(r, c) - origin[c]);
  for (size_t c = 0; c < sums.size(); ++c) sums[c] = origin[c] + sums[c] / counts.total();
  return sums;
}

std::vector<double> deviations_of(MatrixView<const double> rows, const RowCounts& counts,
                                  const std::vector<double>& means) {
  const size_t columns = rows.cols();
  std::vector<double> largest(columns), sums(columns), squares(columns), deviations(columns);
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < columns; ++c) largest[c] = std::max(largest[c], std::abs(rows(r, c) - means[c]));
  // Squares of numbers up to 1, so that neither 1e200 nor 1e-200 leaves the range of doubles.
  for (size_t r = 0; r < rows.rows(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const double d = (rows(r, c) - means[c]) / largest[c];
      sums[c] += counts[r] * d;
      squares[c] += counts[r] * (d * d);
    }
  }
  const double count = counts.total();
  for (size_t c = 0; c < columns; ++c) {
    if (largest[c] == 0) continue;
    // The sum is what rounding of the mean left over; it would be zero in exact arithmetic.
    deviations[c] = largest[c] * std::sqrt(std::max(0.0, squares[c] - sums[c] * sums[c] / count) / count);
  }
  return deviations;
}

}  // namespace

Standardizer Standardizer::fit(MatrixView<const double> rows, std::span<const std::vector<size_t>> together,
                               std::span<const double> weights) {
  assert(weights.empty() || weights.size() == rows.rows());
  if (rows.rows() == 0) throw Error("standardize", "needed at least one row; found none; check the table");
  Standardizer result = identity(rows.cols());
  const RowCounts counts(rows.rows(), weights);
  result.mean = means_of(rows, counts);
  result.scale = deviations_of(rows, counts, result.mean);
  for (size_t c = 0; c < rows.cols(); ++c) {
    const double rounding =
        rounding_units * std::numeric_limits<double>::epsilon() * std::abs(result.mean[c]);
    if (result.scale[c] <= rounding) result.scale[c] = 0;
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
