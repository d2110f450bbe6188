#pragma once

// The training table that the flags of `kedge fit`, `kedge cv` and `kedge sweep` name.

#include "cli/fit_flags.h"
#include "kedge/table/intake.h"
#include "kedge/table/table.h"

namespace kedge {

struct TrainingTable {
  Table table;
  Intake intake;
  size_t dropped = 0;  ///< rows with missing cells
};

/// Read with the roles of its columns, without those that nobody reads; text and dates become numbers. What
/// was chosen is told on standard error, unless --quiet. Throws Error when two flags claim one column, and
/// when the file or its columns are not what the flags say.
TrainingTable read_training_table(const FitFlags& flags);

/// The same for a fit with these options: without columns that never change. Options that name columns get
/// the columns that these become. Throws Error where they name others.
TrainingTable with_options(TrainingTable read, FitOptions& options);

/// Both; what was left out is told too, unless --quiet.
TrainingTable training_table(const FitFlags& flags, FitOptions& options);

}  // namespace kedge
