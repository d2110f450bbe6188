#pragma once

// What the paper says of its networks for analytic functions (appendix D.2.3 and D.2.4), which differs from
// what it says of other problems.

#include "kedge/predictor/options.h"

namespace kedge {

/// Three layers of 1000 hidden units, a Fourier layer first, 500 epochs, squared error. The rest of the
/// options, those of the preset `paper`, stays.
void take_function_sizes(FitOptions& options);

/// Says so in a result.
extern const char* const paper_functions_note;

}  // namespace kedge
