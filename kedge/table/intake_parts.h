#pragma once

// What learning an intake is made of.

#include <functional>
#include <string>
#include <vector>

#include "kedge/table/intake.h"

namespace kedge {

/// Whether a cell of the column, which must outlive this, is missing.
using RowTest = std::function<bool(size_t row)>;
RowTest missing_test(const Column& column);

/// False where no cell of the column is missing, which is quick to see.
bool may_have_missing(const Column& column);

/// The table without the rows that have missing cells, or as it is, as the options say. Throws Error where
/// they are refused, and where a target is missing that is not to be dropped.
Table with_whole_rows(Table table, Missing missing);

/// Gives columns their cycles, as "date=week+year,hour=24". Throws Error.
void add_cycles(std::vector<IntakeColumn>& columns, const std::string& text);

}  // namespace kedge
