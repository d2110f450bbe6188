#pragma once

// Errors of trials as tables show them.

#include <string>

#include "kedge/trials/cross_validation.h"

namespace kedge {

/// "0.123"; a large one "1.2e+03".
std::string number_text(double value);

/// "0.123 ± 0.045"; "-" where there is none.
std::string estimate_text(const Estimate& estimate);

}  // namespace kedge
