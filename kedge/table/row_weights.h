#pragma once

// Row weights: a column of role `weight` says how much each row counts in training, 0 or more.
//
// Laws: a row of weight 0 is as if it were not in the table. Only ratios count: weights that are all equal
// are as if there were no column. A row of weight 2 counts like two rows.

#include <optional>
#include <vector>

#include "kedge/table/table.h"

namespace kedge {

/// The table of the rows that count, without the column where all of them count alike; nothing where that is
/// the given table. Throws Error like row_weights, and where no row counts.
std::optional<Table> counted_rows(const Table& table);

/// By row, in parts of the greatest; empty where the table has no column of weights. Throws Error where it
/// has several, where one holds words, and at the first weight that is negative or not finite.
std::vector<double> row_weights(const Table& table);

}  // namespace kedge
