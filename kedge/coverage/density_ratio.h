#pragma once

// DensityRatio: kappa of the paper's assumption 3.1 (bounded combinatorial density ratio), over finite cells;
// and the plain ratio of its definition B.1.
//
// The assumption asks for distributions D1, D2 of differences and E1, E2 of anchors such that
//
//     D1 E1 + D1 E2 + D2 E1 <= kappa Train        Test <= kappa (D1 E1 + D1 E2 + D2 E1 + D2 E2)
//
// where Train and Test are joint distributions of (difference, anchor): the corner D2 E2 may be new in test,
// the other three blocks may not. Over cells of differences (rows) and of anchors (columns) they are chosen
// like this:
//
//   rows 1     those that training saw with every column of the test; columns 1 likewise with every row;
//              where one of rows 1 was not seen with one of columns 1, whichever lacks most is left out
//   rows 2     the other rows of the test; columns 2 likewise
//   D1, E1     the training marginals on rows 1 and columns 1
//   D2, E2     the test marginals on rows 2 and columns 2; D1 (E1) where there are none
//
// and kappa is the greatest ratio of the two lines over all cells. It is infinite when rows 1 or columns 1
// are empty, or when a difference or anchor of the test was never seen at all. Any choice of D and E gives a
// valid kappa at the resolution of the cells, so this one need not be the least; but cells hide whatever is
// finer than they are, and the true ratio may be greater.
//
// The plain ratio asks Test <= kappa Train itself: nothing of the test may be new, not even together.

#include <array>
#include <limits>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct DensityRatio {
  double kappa = std::numeric_limits<double>::infinity();
  double unseen = 0;        ///< share of the test whose difference or anchor was never seen
  double new_together = 0;  ///< share of the test in cells that hold no training pair
  /// D1, D2 over the rows, E1, E2 over the columns; the training marginals where kappa is infinite for want
  /// of rows 1 or columns 1.
  std::array<std::vector<double>, 2> differences, anchors;
};

/// `train` and `test` hold masses or counts, not all zero; of the test a share `unseen` is in no cell.
DensityRatio density_ratio(MatrixView<const double> train, MatrixView<const double> test, double unseen);

/// The least kappa for which Test <= kappa Train in every cell, of normalized masses; infinite when a share
/// `unseen` of the test is in no cell, or some of it in a cell that holds no training pair. 1 is its least
/// value, for equal distributions.
double plain_density_ratio(MatrixView<const double> train, MatrixView<const double> test, double unseen);

/// What a model can be asked without naming queries: independent differences and anchors (the product of the
/// training marginals), limited to the cells that a bound can speak of.
struct CoveredCells {
  Matrix<double> test;
  double share = 0;  ///< of the product of the marginals
};

/// What the combinatorial ratio can speak of. Of all pairs of a row and a column seen together, the pair that
/// maximizes the share of the block (rows seen with that column) x (columns seen with that row): the first of
/// equals.
CoveredCells widest_block(MatrixView<const double> train);

/// What the plain ratio can speak of: the cells that hold training pairs.
CoveredCells seen_together(MatrixView<const double> train);

}  // namespace kedge
