#pragma once

// Hints about columns, printed on standard error before the work begins.

#include <string>

#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"

namespace kedge {

/// A line for each hint about the inputs of a training table that the file had as numbers, with what to do
/// about it. `space` is the text of the options.
void print_hints(const Table& table, const std::string& space, const Intake& intake);

/// The same of the rows that a model was fitted on.
void print_hints(const Predictor& predictor);

}  // namespace kedge
