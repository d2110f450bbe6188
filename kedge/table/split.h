#pragma once

// Splits of the rows of a table into two parts: an outer shell (to rehearse prediction beyond the data) and a
// random one (to rehearse prediction within it).
//
// Laws: every row is in exactly one part, row numbers ascend, and neither part is empty.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct OuterShell {
  std::vector<size_t> inside, outside;
};

/// How far out a row lies is the largest |x - median| / (half range) of its columns; a constant column counts
/// 0. The outermost `fraction` of the rows (to the nearest whole row; of equals, the earlier rows) is
/// outside. Throws Error when there are fewer than two rows, a number is not finite, or `fraction` is not in
/// [0, 1].
OuterShell outer_shell(MatrixView<const double> points, double fraction);

/// One end of the rows' leading axis, the direction in which standardized columns vary most together; its
/// largest part counts upwards.
enum class End { low, high };

/// The `fraction` of the rows at that end is outside (of equals, the earlier rows). Throws as above.
OuterShell outer_end(MatrixView<const double> points, double fraction, End end);

struct RandomSplit {
  std::vector<size_t> kept, held_out;
};

/// Holds out `fraction` of the rows (to the nearest whole row), every choice of rows as likely; the same for
/// the same seed. Throws Error when there are fewer than two rows or `fraction` is not in [0, 1].
RandomSplit random_split(size_t rows, double fraction, uint64_t seed);

}  // namespace kedge
