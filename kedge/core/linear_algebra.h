#pragma once

// Linear algebra: the products and decompositions that fits and bounds need, over our own matrices. Each is
// compiled once, in linear_algebra.cpp: nothing else includes the library that does the work, which takes
// longer to compile than all of ours.
//
// All are pure functions of finite numbers, the same on every machine of one instruction set and for any
// number of threads.

#include <span>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

/// a b
Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b);
/// a^T b
Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b);
/// a b^T
Matrix<double> product_transposed(MatrixView<const double> a, MatrixView<const double> b);
/// a^T
Matrix<double> transposed(MatrixView<const double> a);
/// The first `count` columns.
Matrix<double> first_columns(MatrixView<const double> a, size_t count);

/// Multiplies each row, or each column, by its factor.
void scale_rows(MatrixView<double> a, std::span<const double> factors);
void scale_columns(MatrixView<double> a, std::span<const double> factors);
/// Takes each column's mean off, and gives the means. `weights` say how much each row counts; none: alike.
std::vector<double> center_columns(MatrixView<double> a, std::span<const double> weights = {});

/// a = vectors diag(values) vectors^T, values from the least to the greatest, each vector a column.
struct Eigenvectors {
  std::vector<double> values;
  Matrix<double> vectors;
};
/// Of a symmetric matrix; its upper half is not looked at.
Eigenvectors eigenvectors(MatrixView<const double> symmetric);
std::vector<double> eigenvalues(MatrixView<const double> symmetric);

/// a = u diag(values) v^T, values from the greatest to the least, as many as the shorter side of a.
struct SingularVectors {
  std::vector<double> values;
  Matrix<double> u, v;
};
SingularVectors singular_vectors(MatrixView<const double> a);
std::vector<double> singular_values(MatrixView<const double> a);

/// Of the x that minimize |a x - b|, the shortest; column by column of b.
Matrix<double> least_squares(MatrixView<const double> a, MatrixView<const double> b);

/// The Q of a = Q R with R's diagonal not negative, which makes it unique; a may not be wider than tall.
Matrix<double> orthogonal_factor(MatrixView<const double> a);

/// The `count` (at most the number of columns) orthogonal directions in which rows vary most, one a row, of
/// rows whose columns have mean 0. The largest part of each is positive. Where two directions vary alike, any
/// mixture of them may come out. Of tables of many columns some of the rows decide.
Matrix<double> leading_axes(MatrixView<const double> rows, size_t count);

/// Each row's coordinates along the axes. Those of a row do not depend on the rows beside it.
Matrix<double> along(MatrixView<const double> rows, MatrixView<const double> axes);

}  // namespace kedge
