#pragma once

// The rows of a CSV text whose columns are known: what parse_csv, the survey of a training file and the
// blocks of a query file share.

#include <string>
#include <vector>

#include "kedge/table/csv.h"
#include "kedge/table/csv_scanner.h"
#include "kedge/table/number.h"
#include "kedge/table/odd_cell.h"

namespace kedge {

/// What becomes of a cell in a column of numbers that is none.
enum class OddCells {
  refuse,  ///< an Error
  count,   ///< NaN; the first of a column is told
  tell,    ///< NaN; each is told
};

/// What a column of numbers holds.
struct CellCounts {
  std::string column;
  size_t numbers = 0, missing = 0, odd = 0;
};

struct CsvRowOptions {
  CsvOptions columns;
  OddCells odd = OddCells::refuse;
  std::vector<std::string> keep = {};  ///< columns whose cells are kept as they are written
};

struct CsvRows {
  Table table;
  std::vector<OddCell> odd = {};        ///< in the order of the file
  std::vector<CellCounts> counts = {};  ///< of the columns of numbers, unless odd cells are refused
  std::vector<std::vector<std::string>> kept = {};  ///< by column of `keep`, then by row
};

/// Names of the columns: from the header, or x0, x1, ... for as many as the first record has. The scanner
/// stands at the first row then. Throws Error.
std::vector<std::string> read_names(CsvScanner& scanner, const std::string& source);

/// All records that the scanner has left. Throws Error; no rows are none.
CsvRows read_rows(CsvScanner& scanner, const std::vector<std::string>& names, const std::string& source,
                  const CsvRowOptions& options);

/// Throws Error when a file has none.
void require_rows(const Table& table);

/// Throws Error for a cell that is no number.
[[noreturn]] void refuse_odd(const OddCell& cell, const std::string& source, const CsvFormat& format);

}  // namespace kedge
