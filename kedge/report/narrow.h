#pragma once

// Narrow tables: cells broken into lines, so that a table fits the columns of a terminal.

#include <cstddef>
#include <vector>

#include "kedge/report/tables.h"

namespace kedge {

/// Widths of the table's columns, the widest made narrower until all stand in `columns` with two blanks
/// between them. No column gets narrower than its longest word, so a table may stay too wide. 0 columns are
/// any number.
std::vector<size_t> fitting_widths(const TextTable& table, size_t columns);

/// The table, or two of them where its last column holds sentences that would stand in too few columns: the
/// table without that column, and the first column beside the last.
std::vector<TextTable> parts_that_fit(const TextTable& table, size_t columns);

/// The row as lines of cells no wider than `widths`, broken between words; of a longer word the cell is as
/// wide. A cell that fits stays as it is.
std::vector<std::vector<TextCell>> broken(const std::vector<TextCell>& row,
                                          const std::vector<size_t>& widths);

}  // namespace kedge
