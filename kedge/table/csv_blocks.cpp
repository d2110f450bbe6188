#include "kedge/table/csv_blocks.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {

size_t end_of_records(std::string_view text, std::optional<Separator> separator) {
  enum class Place { cell_begins, plain, quoted } place = Place::cell_begins;
  const auto separates = [&](char c) {
    return separator ? c == sign_of(*separator) : c == ',' || c == ';' || c == '\t';
  };
  size_t end = 0;
  bool is_blank = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (place == Place::quoted) {
      // Two quotes stand for one: the first closes the cell, the second opens it again.
      if (c == '"') place = i + 1 < text.size() && text[i + 1] == '"' ? (++i, Place::quoted) : Place::plain;
    } else if (c == '\n') {
      if (!is_blank) end = i + 1;
      is_blank = true;
      place = Place::cell_begins;
    } else if (separates(c)) {
      is_blank = false;
      place = Place::cell_begins;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      is_blank = false;
      place = c == '"' && place == Place::cell_begins ? Place::quoted : Place::plain;
    }
  }
  return end;
}

CsvBlocks::CsvBlocks(InputStream& input, const CsvBlockOptions& options) : input_(input), options_(options) {
  read_up_to(options.block_bytes);
  std::string_view sample = text_;
  if (!at_end_) {
    if (const size_t end = end_of_records(sample, options.told.separator)) sample = sample.substr(0, end);
  }
  format_ = recognise_csv(sample, input.source(), options.told, options.known);
  const size_t end = read_records();
  CsvScanner scanner(std::string_view(text_).substr(0, end), input.source(), format_);
  names_ = read_names(scanner, input.source());
  text_.erase(0, end - scanner.bytes_left());
  line_ = scanner.next_line();
}

void CsvBlocks::read_up_to(size_t bytes) {
  constexpr size_t most_at_once = size_t{1} << 24;
  while (!at_end_ && text_.size() < bytes) {
    const size_t before = text_.size(), more = std::min(bytes - before, most_at_once);
    text_.resize(before + more);
    text_.resize(before + input_.read(text_.data() + before, more));
    at_end_ = text_.size() < before + more;
  }
}

size_t CsvBlocks::read_records() {
  for (size_t wanted = options_.block_bytes;; wanted = 2 * text_.size()) {
    read_up_to(wanted);
    const size_t end = at_end_ ? text_.size() : end_of_records(text_, format_.separator);
    if (end > 0 || at_end_) return end;
    if (text_.size() > options_.longest_record)
      throw Error("csv",
                  fmt::format("{}, line {}: needed rows of at most {} bytes; found a longer one; close its "
                              "quotes",
                              input_.source(), line_, options_.longest_record));
  }
}

std::optional<CsvRows> CsvBlocks::next(const std::vector<std::string>& names, const CsvRowOptions& options) {
  const size_t end = read_records();
  CsvScanner scanner(std::string_view(text_).substr(0, end), input_.source(), format_, line_);
  CsvRows rows = read_rows(scanner, names, input_.source(), options);
  const bool is_last = at_end_;
  text_.erase(0, end);
  line_ = scanner.next_line();
  rows_ += rows.table.rows();
  if (is_last && rows_ == 0) require_rows(rows.table);
  if (rows.table.rows() == 0) return std::nullopt;
  return rows;
}

bool CsvBlocks::skip() {
  const size_t end = read_records();
  // The last record of a file may have no line end.
  const bool has_rows = at_end_ ? end_of_records(text_ + "\n", format_.separator) > 0 : end > 0;
  line_ +=
      static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  text_.erase(0, end);
  if (has_rows) ++rows_;  // at least
  return has_rows;
}

}  // namespace kedge
