#pragma once

// The closed form of bilinear transduction: ridge regression of changes of the outputs on terms of pairs.
//
// Several forms (terms up to some degree, each further factor penalized more) and penalties are tried on rows
// that are held out, some at random and the outermost (pair_trials.h). The weights are a mean of all that
// were tried, in which those that answered best count most. A mean of weights is a mean of answers, because
// all are of one program.

#include <vector>

#include "kedge/core/stop_check.h"
#include "kedge/models/pair_terms.h"
#include "kedge/pairs/sampler.h"

namespace kedge {

/// Parameters of a program as PairTerms describes it, with the anchor's output added. Of many pairs some are
/// taken, always the same. A pair counts by the product of its rows' weights,
/// and a row that is held out by its own. Throws Error when there are too
/// many terms.
std::vector<float> solve_pair_ridge(const Program& program, const EncodedRows& rows,
                                    const PairSampler& sampler, const StopCheck& stop_check = {});

/// About how many numbers such a fit multiplies.
double pair_ridge_products(const Program& program);

/// Weights of the ridge regression of `changes` on the rows of `design`: those of least
/// |design w - changes|^2 / rows + penalty |w|^2, the penalty in parts of the mean squared length of a row.
Matrix<double> pair_ridge_weights(MatrixView<const double> design, MatrixView<const double> changes,
                                  double penalty);

}  // namespace kedge
