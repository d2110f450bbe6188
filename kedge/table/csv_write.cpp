#include <array>
#include <charconv>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/table/csv.h"
#include "kedge/table/csv_scanner.h"
#include "kedge/table/formula.h"
#include "kedge/table/number.h"

namespace kedge {
namespace {

constexpr size_t flush_size = 1 << 16;

void append_shortest(std::string& line, double value) {
  if (std::isnan(value)) {
    line += "nan";
    return;
  }
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  line.append(digits.data(), result.ptr);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const std::string guarded = guarded_formula(text);
  // Semicolons and tabs would make a header of one column look like another format, a byte order mark that of
  // the file.
  const bool is_plain = !guarded.empty() && guarded.find_first_of("\",;\t\r\n") == guarded.npos &&
                        trimmed(guarded).size() == guarded.size() && !guarded.starts_with(byte_order_mark);
  if (is_plain) return guarded;
  std::string quoted = "\"";
  for (const char c : guarded) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string shortest(double value) {
  std::string result;
  append_shortest(result, value);
  return result;
}

void write_csv(std::ostream& out, const Table& table, const CsvWriteOptions& options) {
  const std::vector<Column>& columns = table.columns();
  if (columns.empty()) return;
  std::string pending;
  std::vector<std::vector<std::string>> cells;  // of the words of each column
  for (const Column& column : columns) {
    if (options.header == Header::yes) {
      if (&column != &columns.front()) pending += ',';
      pending += csv_cell(column.name);
    }
    std::vector<std::string>& words = cells.emplace_back();
    // An empty cell alone would be a blank line.
    for (const std::string& word : column.words)
      words.push_back(word.empty() && columns.size() > 1 ? "" : csv_cell(word));
  }
  if (options.header == Header::yes) pending += '\n';
  for (size_t r = 0; r < table.rows(); ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) pending += ',';
      const double value = columns[c].values[r];
      if (!columns[c].words.empty()) {
        pending += cells[c][static_cast<size_t>(value)];
      } else if (std::isnan(value)) {
        pending += options.nan;
      } else {
        append_shortest(pending, value);
      }
    }
    pending += '\n';
    if (pending.size() > flush_size) {
      out << pending;
      pending.clear();
    }
  }
  out << pending;
  if (!out.flush())
    throw Error("csv", "needed to write a table; found that the stream failed; check the disk");
}

}  // namespace kedge
