#pragma once

// The terminal that standard output goes to: whether it shows styles, and how wide it is.

#include <cstddef>

#include "kedge/report/tables.h"

namespace kedge {

/// Plain unless standard output is a terminal that knows styles: not with TERM=dumb, and not where NO_COLOR
/// holds anything.
TerminalStyle output_style();

/// Columns to print in: as COLUMNS says, else those of the terminal, else 80; 40 at least.
size_t output_columns();

/// Prints a table in the style and within the columns of standard output.
void print_table(const TextTable& table);

}  // namespace kedge
