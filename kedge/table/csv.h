#pragma once

// CSV: RFC 4180 with a header line, or another format that is named; also LF alone, a UTF-8 byte order mark,
// blank lines at the end, scientific notation, a leading plus, and `nan`, `inf`, `infinity` in any case.
// White space around a cell is dropped, inside quotes it is kept. Names and words that a spreadsheet would
// compute are written with an apostrophe in front, which the reader takes off (kedge/table/formula.h). Every
// malformed file is an Error that names file, line and column.
//
// Law: parsing what write_csv wrote gives the same table (a NaN stays some NaN), text columns named in the
// options.

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/table/csv_format.h"
#include "kedge/table/table.h"

namespace kedge {

/// A name that is in no column of the file is an Error.
struct CsvOptions {
  std::vector<std::string> text;  ///< columns whose cells are words, not numbers; they get the role `label`
  std::vector<std::string>
      only;  ///< when not empty, the only columns of the table; other cells are not parsed
  std::vector<std::string> skip;  ///< columns left out of the table, their cells not parsed
  CsvFormat format = {};          ///< see recognise_csv
};

/// Reads a whole file ("-" is standard input), also one that gzip compressed. Throws Error.
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `source` is what errors call it.
Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

struct CsvWriteOptions {
  std::string nan = "nan";  ///< what stands for NaN; empty leaves the cell empty, which read_csv refuses
  Header header = Header::yes;
};

/// Writes header and rows, numbers in the shortest form that reads back to the same double. Throws Error when
/// the stream fails.
void write_csv(std::ostream& out, const Table& table, const CsvWriteOptions& options = {});

/// The text as a cell: plain where the reader gives the same text back, in quotes otherwise.
std::string csv_cell(std::string_view text);

/// The shortest text that reads back to the same double ("nan" for NaN).
std::string shortest(double value);

}  // namespace kedge
