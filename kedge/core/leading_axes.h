#pragma once

// Leading axes: the orthogonal directions in which rows vary most, for pictures and for finding the ends of a
// table.

#include "kedge/core/matrix.h"

namespace kedge {

/// `count` (at most the number of columns) unit vectors, one a row, of rows whose columns have mean 0. The
/// largest part of each is positive. Found by a fixed number of orthogonal iterations: where two directions
/// vary alike, any mixture of them may come out, always the same one.
Matrix<double> leading_axes(MatrixView<const double> rows, size_t count);

/// Each row's coordinates along the axes.
Matrix<double> along(MatrixView<const double> rows, MatrixView<const double> axes);

}  // namespace kedge
