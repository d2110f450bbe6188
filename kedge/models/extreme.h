#pragma once

// The parameters of `extreme`: the constant that bets on a trend going on. Out of support the most extreme
// output seen is a guess that learned models often fail to beat, so it is what they are held to.

#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/nn/program.h"

namespace kedge {

/// The outermost part of the rows (see outer_shell) that tells which end of the outputs a query is nearer to.
inline constexpr double extreme_shell = 0.2;

/// Zero weights; the bias of an output is the largest or the smallest in the rows, whichever is nearer to its
/// mean over the outermost fifth of them (at a tie the largest). `program` is one dense op of the query.
std::vector<float> solve_extreme(const Program& program, MatrixView<const float> features,
                                 MatrixView<const float> outputs);

}  // namespace kedge
