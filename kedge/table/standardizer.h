#pragma once

// Standardizer: each column moved and scaled to mean 0 and standard deviation 1, as networks like their
// inputs.
//
// Laws: on the rows it was fitted to, every column of `redo` has mean 0 and population deviation 1, also
// where a column stands on a large offset (times since 1970), or several columns together have mean square
// 1; a column, or several, constant up to rounding have scale 1; undo(c, redo(c, v)) = v and redo(c, undo(c,
// v)) = v up to rounding. A row of weight 2 counts like two rows.

#include <cstddef>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct Standardizer {
  std::vector<double> mean, scale;  ///< one each per column; scales are positive

  /// Of finite numbers. Columns of one set of `together` share a scale, the root mean square of their
  /// deviations. `weights` are positive, one a row; none: rows count alike. Throws Error when there are no
  /// rows.
  static Standardizer fit(MatrixView<const double> rows, std::span<const std::vector<size_t>> together = {},
                          std::span<const double> weights = {});
  /// Changes nothing: mean 0, scale 1.
  static Standardizer identity(size_t columns);

  size_t columns() const { return mean.size(); }

  /// A whole row, redone in double and rounded once.
  void apply(std::span<const double> row, std::span<float> out) const;

  /// From the table's units to standard ones, and back.
  double redo(size_t column, double value) const { return (value - mean[column]) / scale[column]; }
  double undo(size_t column, double value) const { return value * scale[column] + mean[column]; }

  bool operator==(const Standardizer&) const = default;
};

}  // namespace kedge
