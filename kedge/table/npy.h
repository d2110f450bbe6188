#pragma once

// NPY: the array files of NumPy, versions 1 to 3, as matrices.
//
// Read: little-endian f4, f8, i4, i8 and u1, in C or Fortran order, of one dimension (a matrix of one column)
// or two. Whole numbers beyond 2^53 are rounded to the nearest double. Nothing is executed, and nothing is
// allocated that the bytes there do not fill. Law: reading what write_npy wrote gives the same matrix, bit
// for bit.

#include <ostream>
#include <string>
#include <string_view>

#include "kedge/core/matrix.h"

namespace kedge {

/// Reads a whole file ("-" is standard input). Throws Error, also on an array without rows or columns. With
/// `table_from_matrix` it becomes a Table.
Matrix<double> read_npy(const std::string& path);

/// The same from memory; `source` is what errors call it.
Matrix<double> parse_npy(std::string_view bytes, const std::string& source);

/// Version 1, f8, two dimensions, C order. Throws Error when the stream fails.
void write_npy(std::ostream& out, MatrixView<const double> matrix);

}  // namespace kedge
