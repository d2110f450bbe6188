#pragma once

// Input: what users write on the command line and the tables they name there.

#include <string>
#include <vector>

#include "cli/command.h"
#include "kedge/core/input_stream.h"
#include "kedge/table/csv.h"
#include "kedge/table/intake.h"
#include "kedge/table/table.h"

namespace kedge {

/// Names, mostly of columns, with commas between, as kedge/table/column_text.h reads them. Throws Error,
/// naming `option`, on an empty name and on one given twice.
std::vector<std::string> split_names(const std::string& text, const std::string& option);

/// Throws Error when the two are swapped: the queries are a model, and the model is none.
void check_order(const std::string& model, const std::string& queries);

/// How a CSV file is written, where a user tells.
struct FormatFlags {
  std::string separator, decimal, header;
};

void declare(const Command& sub, FormatFlags& flags, const std::string& group);
CsvSigns signs_of(const FormatFlags& flags);

/// A line on standard error for whoever watches.
void say(const std::string& text);
/// Says in which ways a file is written unlike others.
void say_format(const std::string& source, const CsvFormat& format, const CsvFormat& usual = {});

/// Whether the file is an array of NumPy. Throws Error where it is no table at all.
bool holds_npy(InputStream& input);

/// A table out of a CSV file, or of an NPY file with the columns x0, x1, ...; the first bytes tell which, and
/// how the CSV is written. "-" is standard input. `unnamed`, when it has as many names as a file without
/// names has columns, names them instead. An NPY file has no text, so its label is one of its columns of
/// numbers.
Table read_table(const std::string& path, const CsvOptions& options,
                 const std::vector<std::string>& unnamed = {});
/// The same of an NPY file that was opened.
Table read_npy_table(InputStream& input, const CsvOptions& options,
                     const std::vector<std::string>& unnamed = {});

struct OpenTable {
  Table table;
  CsvFormat format = {};
};

/// A table whose columns may hold anything: numbers with NaN for missing cells, or words where fewer than
/// half of the cells are numbers. Throws Error at a cell that is no number in a column of numbers.
OpenTable read_open_table(const std::string& path, CsvOptions options, const CsvSigns& told);

}  // namespace kedge
