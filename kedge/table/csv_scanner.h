#pragma once

// CsvScanner: one pass over CSV text, record by record and cell by cell. It knows quotes, line ends and line
// numbers, and nothing of what the cells mean.
//
// Use: while (next_record()) { do cell(...) while (in_record()); }

#include <string>
#include <string_view>

#include "kedge/table/csv_format.h"

namespace kedge {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct CsvCell {
  std::string_view text = {};  ///< valid until the next cell; unquoted text less white space around it
  size_t line = 0;             ///< where the cell starts
  enum class Form { plain, quoted } form = Form::plain;
};

class CsvScanner {
 public:
  /// Skips a byte order mark. Throws Error when a NUL byte shows that this is no text. Text and source must
  /// outlive the scanner. `line` is where the text begins in its file.
  CsvScanner(std::string_view text, const std::string& source, const CsvFormat& format = {}, size_t line = 1);

  const CsvFormat& format() const { return format_; }

  /// Goes to the next record; false when only blank lines are left. Throws Error on a blank line before a
  /// record.
  bool next_record();

  /// Whether the record has another cell.
  bool in_record() const { return in_record_; }

  /// The next cell. Throws Error on a quote that is not closed and on text after one; `column` names the cell
  /// there.
  CsvCell cell(std::string_view column);

  /// Takes the next cell if it is a bare number with nothing around it, the common case; otherwise leaves it.
  bool take_number(double& value);

  /// Line on which the record starts, from 1, and that of the next record.
  size_t line() const { return record_line_; }
  size_t next_line() const { return line_; }

  /// Upper bound of the number of lines after this place.
  size_t lines_left() const;
  size_t bytes_left() const { return static_cast<size_t>(end_ - next_); }

  /// "train.csv, line 17", or "train.csv, line 17, column "y"".
  std::string where(size_t line, std::string_view column = {}) const;

 private:
  const char* skip_blanks(const char* place) const;
  bool ends_line(const char* place) const;
  void finish_cell(const char* stop);
  CsvCell quoted_cell(const char* quote, std::string_view column);

  const char* next_;
  const char* end_;
  const std::string& source_;
  const CsvFormat format_;
  const char separator_;
  size_t line_;
  size_t record_line_;
  bool in_record_ = false;
  std::string unquoted_;
};

}  // namespace kedge
