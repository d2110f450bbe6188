#include "kedge/table/csv_scanner.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/number.h"

namespace kedge {
namespace {

size_t newlines(const char* begin, const char* end) {
  return static_cast<size_t>(std::count(begin, end, '\n'));
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, const std::string& source, const CsvFormat& format, size_t line)
    : next_(text.data()),
      end_(text.data() + text.size()),
      source_(source),
      format_(format),
      separator_(sign_of(format.separator)),
      line_(line),
      record_line_(line) {
  if (text.starts_with(byte_order_mark)) next_ += byte_order_mark.size();
  const size_t nul = text.find('\0');
  if (nul == text.npos) return;
  throw Error(
      "csv",
      fmt::format("{}: needed text; found a NUL byte, as in binary files and UTF-16; save it as CSV in "
                  "UTF-8",
                  where(line + newlines(text.data(), text.data() + nul))));
}

bool CsvScanner::next_record() {
  size_t blank_line = 0;
  while (next_ != end_) {
    const char* place = skip_blanks(next_);
    if (!ends_line(place)) break;
    if (blank_line == 0) blank_line = line_;
    finish_cell(place);
  }
  if (next_ == end_) return false;
  if (blank_line != 0) {
    throw Error("csv", fmt::format("{}: needed a row; found a blank line with more lines after it; delete it",
                                   where(blank_line)));
  }
  record_line_ = line_;
  in_record_ = true;
  return true;
}

CsvCell CsvScanner::cell(std::string_view column) {
  const char* begin = skip_blanks(next_);
  if (begin != end_ && *begin == '"') return quoted_cell(begin, column);
  const char* stop = begin;
  while (stop != end_ && *stop != separator_ && *stop != '\n') ++stop;
  if (stop != begin && stop[-1] == '\r' && ends_line(stop - 1)) --stop;
  const CsvCell result{.text = trimmed({begin, stop}), .line = line_};
  finish_cell(stop);
  return result;
}

CsvCell CsvScanner::quoted_cell(const char* quote, std::string_view column) {
  const char* begin = quote + 1;
  const char* close = std::find(begin, end_, '"');
  CsvCell result{.line = line_, .form = CsvCell::Form::quoted};
  const bool has_doubled_quote = close != end_ && close + 1 != end_ && close[1] == '"';
  if (has_doubled_quote) unquoted_.clear();
  const char* piece = begin;
  while (close != end_ && close + 1 != end_ && close[1] == '"') {
    unquoted_.append(piece, close + 1);
    piece = close + 2;
    close = std::find(piece, end_, '"');
  }
  if (close == end_) {
    throw Error("csv",
                fmt::format("{}: needed a closing quote; found the end of the file after {}; close the quote",
                            where(line_, column), shown({quote, std::find(quote, end_, '\n')})));
  }
  if (has_doubled_quote) {
    unquoted_.append(piece, close);
    result.text = unquoted_;
  } else {
    result.text = {begin, close};
  }
  line_ += newlines(begin, close);
  const char* stop = skip_blanks(close + 1);
  if (stop != end_ && *stop != separator_ && !ends_line(stop)) {
    throw Error("csv",
                fmt::format("{}: needed a {} or the end of the line after a closing quote; found {}; write "
                            "quotes inside quotes twice",
                            where(line_, column), name_of(format_.separator),
                            shown({stop, std::find(stop, end_, '\n')})));
  }
  finish_cell(stop);
  return result;
}

bool CsvScanner::take_number(double& value) {
  // A point may part thousands where the comma is the decimal sign.
  if (format_.decimal == Decimal::comma) return false;
  const auto [stop, fault] = std::from_chars(next_, end_, value);
  if (fault != std::errc{}) return false;
  if (stop != end_ && *stop != separator_ && !ends_line(stop)) return false;
  finish_cell(stop);
  return true;
}

size_t CsvScanner::lines_left() const { return newlines(next_, end_) + 1; }

std::string CsvScanner::where(size_t line, std::string_view column) const {
  if (column.empty()) return fmt::format("{}, line {}", source_, line);
  return fmt::format("{}, line {}, column {}", source_, line, shown(column));
}

/// A tab is no white space where it parts cells.
const char* CsvScanner::skip_blanks(const char* place) const {
  while (place != end_ && (*place == ' ' || (*place == '\t' && separator_ != '\t'))) ++place;
  return place;
}

/// A carriage return counts as white space before a line feed or the end of the text, and nowhere else.
bool CsvScanner::ends_line(const char* place) const {
  if (place != end_ && *place == '\r') ++place;
  return place == end_ || *place == '\n';
}

/// `stop` is the separator, the line end or the end of the text behind the cell.
void CsvScanner::finish_cell(const char* stop) {
  in_record_ = stop != end_ && *stop == separator_;
  if (stop != end_ && *stop == '\r') ++stop;
  if (stop != end_ && *stop == '\n') ++line_;
  next_ = stop == end_ ? end_ : stop + 1;
}

}  // namespace kedge
