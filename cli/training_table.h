#pragma once

// The training table that the flags of `kedge fit` and `kedge cv` name.

#include "cli/fit_flags.h"
#include "kedge/table/table.h"

namespace kedge {

/// Read with the roles of its columns, without those that nobody reads. Throws Error when two flags claim one
/// column, and when the file, its columns or the space are not what the flags say.
Table training_table(const FitFlags& flags, const FitOptions& options);

}  // namespace kedge
