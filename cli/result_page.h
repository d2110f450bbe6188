#pragma once

// Results of experiments as tables and pages that people read.

#include <string>
#include <vector>

#include "kedge/experiments/result.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"

namespace kedge {

/// One table for each split and preset: a row of the result a line, a column of it a column, and in a cell
/// ours, with the agreement and the published value below it where there is one. The least error of a row is
/// strong.
std::vector<TextTable> tables_of(const Result& result);

/// The same for a terminal: where published values stand beside ours, or columns are many, a line for each
/// cell, which is narrow.
std::vector<TextTable> narrow_tables_of(const Result& result);

/// Everything of the results on one page: a summary, figures, tables. `command` made the page itself.
Page page_of(const std::vector<Result>& results, const std::string& command);

}  // namespace kedge
