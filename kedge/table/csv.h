#pragma once

// CSV: RFC 4180 with a header line; also CRLF, a UTF-8 byte order mark, blank lines at the end, scientific
// notation, `nan`, `inf` in any case, and white space around numbers. Every malformed file is an Error that
// names file, line and column.

#include <ostream>
#include <string>
#include <vector>

#include "kedge/table/table.h"

namespace kedge {

struct CsvOptions {
  std::vector<std::string> text;  ///< columns whose cells are words, not numbers
  std::vector<std::string> only;  ///< when not empty, the only columns to parse; each must exist
  std::vector<std::string> skip;  ///< columns not to parse; each must exist
};

/// Reads a whole file ("-" is standard input). Throws Error.
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `source` is what errors call it.
Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

/// Writes header and rows, numbers in the shortest form that reads back to the same double.
void write_csv(std::ostream& out, const Table& table);

/// The shortest text that reads back to the same double ("nan" for NaN).
std::string shortest(double value);

}  // namespace kedge
