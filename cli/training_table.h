#pragma once

// The training table that the flags of `kedge fit` and `kedge cv` name.

#include "cli/fit_flags.h"
#include "kedge/table/intake.h"
#include "kedge/table/table.h"

namespace kedge {

struct TrainingTable {
  Table table;
  Intake intake;
  size_t dropped = 0;  ///< rows with missing cells
};

/// Read with the roles of its columns, without those that nobody reads and those that never change; text and
/// dates become numbers. Options that name columns get the columns that these become. What was chosen is told
/// on standard error, unless --quiet. Throws Error when two flags claim one column, and when the file, its
/// columns or the space are not what the flags say.
TrainingTable training_table(const FitFlags& flags, FitOptions& options);

}  // namespace kedge
