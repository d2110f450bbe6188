#pragma once

// Closed-form fits of programs that are one dense op, over the query or over its quadratic expansion.

#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/stop_check.h"
#include "kedge/models/models.h"

namespace kedge {

/// Parameters (in the program's order) that minimize the squared error over all rows, each times its weight
/// where rows have weights. `least_squares` takes the shortest of the minimizers; `ridge` penalizes the
/// weights, not the bias, by the penalty of least generalized cross-validation error (Golub, Heath and Wahba
/// 1979), which counts (sum w)^2 / sum w^2 rows; `extreme` is solve_extreme, and `none` gives no parameters:
/// these two do not read weights. Throws Error when there are too many features. A stop is heard between
/// products and decompositions, not within them.
std::vector<float> solve_closed_form(const Program& program, Solver solver, MatrixView<const float> features,
                                     MatrixView<const float> outputs, const StopCheck& stop_check = {},
                                     std::span<const double> row_weights = {});

}  // namespace kedge
