#pragma once

// A model over a base: a closed form of the query first, and over it, by a share, what a trained model makes
// of the rest:
//
//   base(x) + share * rest(x, x'),     rest trained on (y - base) / scale
//
// All of it is one program. Where the trained model predicts the change from the anchor's output, it reads
// what the base leaves of that output.

#include <span>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/stop_check.h"
#include "kedge/nn/program.h"
#include "kedge/pairs/pair_features.h"

namespace kedge {

/// Models that may be a base, the simplest first.
const std::vector<std::string>& base_models();
bool can_be_base(const std::string& model);

/// A base fitted to rows, and what it leaves of their outputs.
struct FittedBase {
  Program program{0, 0};
  std::vector<float> parameters;
  std::vector<float> scale;  ///< deviation of what is left, by output; 1 where nothing is
  Matrix<float> rest;        ///< of each row, over `scale`
};

/// Throws Error where there are too many features. `row_weights` as for solve_closed_form.
FittedBase fit_base(const std::string& model, const EncodedRows& rows, const StopCheck& stop_check,
                    std::span<const double> row_weights = {});

/// The base's program with a share of another's over it, which was trained on FittedBase::rest.
Program over_base(const Program& base, const Program& trained);
/// Its parameters.
std::vector<float> parameters_over(const FittedBase& base, const Program& trained,
                                   const std::vector<float>& parameters, double share);

}  // namespace kedge
