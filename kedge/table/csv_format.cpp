#include "kedge/table/csv_format.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/csv_scanner.h"
#include "kedge/table/number.h"

namespace kedge {
namespace {

constexpr size_t most_records = 200;  // that a format is told by

using Cells = std::vector<std::string_view>;

/// The first records as a separator would part them. Nothing is an error here: the reader will tell.
std::vector<Cells> records_of(std::string_view text, char separator) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<Cells> records;
  size_t at = 0;
  while (at < text.size() && records.size() < most_records) {
    Cells cells;
    bool in_record = true;
    while (in_record) {
      while (at < text.size() && text[at] == ' ') ++at;
      size_t begin = at, end = 0;
      if (at < text.size() && text[at] == '"') {
        ++begin;
        for (++at; at < text.size() && !(text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"'));
             ++at)
          if (text[at] == '"') ++at;
        end = std::min(at, text.size());
        at = std::min(text.find_first_of(std::string{separator, '\n'}, at), text.size());
      } else {
        at = end = std::min(text.find_first_of(std::string{separator, '\n'}, at), text.size());
      }
      std::string_view cell = trimmed(text.substr(begin, end - begin));
      if (cell.ends_with('\r')) cell.remove_suffix(1);
      cells.push_back(cell);
      in_record = at < text.size() && text[at] == separator;
      at = std::min(at + 1, text.size());
    }
    const bool is_blank = cells.size() == 1 && cells[0].empty();
    if (!is_blank) records.push_back(std::move(cells));
  }
  return records;
}

bool is_number(std::string_view cell, Decimal decimal) {
  double ignored = 0;
  return parse_number(cell, ignored, decimal) == NumberFault::none;
}

/// One that is written in digits: no "nan", which may be a name.
bool is_digits(std::string_view cell, Decimal decimal) {
  return is_number(cell, decimal) && cell.find_first_of("0123456789") != cell.npos;
}

struct Parted {
  Separator separator;
  std::vector<Cells> records;

  size_t columns() const { return records.empty() ? 0 : records[0].size(); }
  bool is_even() const {
    return columns() > 1 && std::all_of(records.begin(), records.end(),
                                        [&](const Cells& cells) { return cells.size() == columns(); });
  }
  /// The part of its cells that are numbers.
  double numbers() const {
    size_t cells = 0, found = 0;
    for (const Cells& record : records)
      for (std::string_view cell : record) {
        ++cells;
        found += is_number(cell, Decimal::point) ||
                 (separator != Separator::comma && is_number(cell, Decimal::comma));
      }
    return cells == 0 ? 0 : static_cast<double>(found) / static_cast<double>(cells);
  }
};

Parted parted(std::string_view text, const CsvSigns& told) {
  std::vector<Parted> all;
  for (const auto& [separator, name] : names_of(Separator{}))
    if (!told.separator || told.separator == separator)
      all.push_back({separator, records_of(text, sign_of(separator))});
  const auto worse = [](const Parted& a, const Parted& b) {
    if (a.is_even() != b.is_even()) return b.is_even();
    if (a.is_even()) return a.numbers() < b.numbers();
    return a.columns() < b.columns();
  };
  // Of equals the first, a comma before the others.
  return *std::max_element(all.begin(), all.end(), worse);
}

/// Whether the digits stand as 1,234 does, which may be a thousand or a little more than one.
bool is_ambiguous(std::string_view cell) {
  const size_t comma = cell.find(',');
  const std::string_view after = cell.substr(comma + 1), before = cell.substr(0, comma);
  return after.size() == 3 && before.size() <= 4 && before.find_first_not_of("+-0") != before.npos;
}

Decimal decimal_of(const Parted& parted, const std::string& source, const std::optional<CsvFormat>& known) {
  size_t points = 0, commas = 0;
  std::string_view ambiguous;
  for (const Cells& record : parted.records)
    for (std::string_view cell : record) {
      if (cell.find('.') != cell.npos && is_digits(cell, Decimal::point)) ++points;
      if (cell.find(',') == cell.npos || !is_digits(cell, Decimal::comma)) continue;
      if (!is_ambiguous(cell))
        ++commas;
      else if (ambiguous.empty())
        ambiguous = cell;
    }
  if (points != commas) return commas > points ? Decimal::comma : Decimal::point;
  if (ambiguous.empty()) return Decimal::point;
  if (known && known->separator == parted.separator) return known->decimal;
  throw Error(
      "csv",
      fmt::format("{}: needed numbers that can be read in one way; found {} and no cell that says whether "
                  "a comma is the decimal sign; tell",
                  source, shown(ambiguous)),
      "decimal");
}

}  // namespace

CsvFormat recognise_csv(std::string_view text, const std::string& source, const CsvSigns& told,
                        const std::optional<CsvFormat>& known) {
  const Parted found = parted(text, told);
  CsvFormat format{.separator = found.separator};
  format.decimal = told.decimal ? *told.decimal : decimal_of(found, source, known);
  const bool is_all_numbers =
      !found.records.empty() &&
      std::all_of(found.records[0].begin(), found.records[0].end(),
                  [&](std::string_view cell) { return is_digits(cell, format.decimal); });
  format.header = told.header ? *told.header : is_all_numbers ? Header::no : Header::yes;
  return format;
}

std::vector<std::string> differences(const CsvFormat& format, const CsvFormat& usual) {
  std::vector<std::string> sentences;
  if (format.separator != usual.separator)
    sentences.push_back(fmt::format("columns are separated by {}s", name_of(format.separator)));
  if (format.decimal != usual.decimal)
    sentences.push_back(fmt::format("numbers have a decimal {}", name_of(format.decimal)));
  if (format.header != usual.header) {
    const char* const text =
        format.header == Header::yes
            ? "the first line is a header"
            : "the first line is all numbers, so there is no header: columns are x0, x1, ...";
    sentences.emplace_back(text);
  }
  return sentences;
}

}  // namespace kedge
