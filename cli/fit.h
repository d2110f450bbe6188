#pragma once

// A fit as `kedge fit` makes it.

#include "cli/fit_flags.h"

namespace kedge {

/// Fits, writes the model and prints what became of it. Throws Error, or says that the usage is wrong.
void fit_and_save(const FitFlags& flags);

}  // namespace kedge
