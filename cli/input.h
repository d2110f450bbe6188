#pragma once

// Input: what users write on the command line and the tables they name there.

#include <string>
#include <vector>

#include "kedge/table/csv.h"
#include "kedge/table/table.h"

namespace kedge {

/// Names, mostly of columns, with commas between, as kedge/table/column_text.h reads them. Throws Error,
/// naming `option`, on an empty name and on one given twice.
std::vector<std::string> split_names(const std::string& text, const std::string& option);

/// Throws Error when the two are swapped: the queries are a model, and the model is none.
void check_order(const std::string& model, const std::string& queries);

/// A table out of a CSV file, or of an NPY file with the columns x0, x1, ...; the first bytes tell which.
/// "-" is standard input. `unnamed`, when it has as many names as an NPY file has columns, names them
/// instead. An NPY file has no text, so its label is one of its columns of numbers.
Table read_table(const std::string& path, const CsvOptions& options,
                 const std::vector<std::string>& unnamed = {});

}  // namespace kedge
