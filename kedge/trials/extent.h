#pragma once

// Extent: how far rows reach. What a rehearsal fits lies closer together than the whole table, and errors out
// of support grow with the width that a model was fitted on: a straight line misses a curve by a share of the
// outputs' deviation that grows with that width, a parabola by one that grows with its square.

#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

/// For each query: the deviation of the fitted rows over that of all rows, in the direction from the middle
/// of the fitted rows to the query, at most 1. Columns count in units of their deviation in `all`.
std::vector<double> relative_extents(MatrixView<const double> all, MatrixView<const double> fitted,
                                     MatrixView<const double> queries);

}  // namespace kedge
