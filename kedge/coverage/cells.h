#pragma once

// Cells: a coarse partition of rows of numbers into 2^levels cells of about equal mass.
//
// Each cell is halved at the median of its widest column (its variance there over the squared range of the
// whole sample), so units do not matter. A cell whose rows are all equal is not halved. A row beyond the
// sample's range in any column, by more than `margin` of that range, is `outside`: nothing like it was seen.

#include <cstddef>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

class Cells {
 public:
  static constexpr size_t outside = static_cast<size_t>(-1);
  /// A sample rarely holds the extremes of what it was drawn from.
  static constexpr double margin = 0.05;

  /// `sample` has at least one row.
  Cells(MatrixView<const double> sample, int levels);

  size_t count() const { return count_; }
  size_t of(std::span<const double> row) const;

 private:
  struct Node {
    size_t column = 0;
    double threshold = 0;        // rows up to it go left
    size_t left = 0, right = 0;  // nodes; a leaf has none
    size_t cell = 0;             // of a leaf
  };
  size_t grow(MatrixView<const double> sample, std::span<size_t> rows, int levels);

  std::vector<double> low_, high_;  // by column
  std::vector<Node> nodes_;
  size_t root_ = 0, count_ = 0;
};

}  // namespace kedge
