#include "kedge/table/csv_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"
#include "kedge/table/formula.h"
#include "kedge/table/missing.h"

namespace kedge {
namespace {

enum class Kind { number, text, skipped };

/// A column of the file while its cells come in.
struct Field {
  Kind kind = Kind::number;
  std::vector<std::string>* kept = nullptr;
  std::vector<double> values = {};
  std::vector<std::string> words = {};
  NameIndex places = {};  // of the words
  size_t missing = 0, odd = 0;

  void take_word(std::string_view word) {
    std::optional<size_t> place = places.find(word);
    if (!place) {
      place = words.size();
      places.add(word, *place);
      words.emplace_back(word);
    }
    values.push_back(static_cast<double>(*place));
  }
};

class RowParser {
 public:
  RowParser(CsvScanner& scanner, const std::vector<std::string>& names, const std::string& source,
            const CsvRowOptions& options)
      : source_(source), scanner_(scanner), names_(names), odd_(options.odd) {
    choose(options.columns);
    result_.kept.resize(options.keep.size());
    const NameIndex places(names_);
    for (size_t k = 0; k < options.keep.size(); ++k)
      fields_[place_of(options.keep[k], places)].kept = &result_.kept[k];
  }

  CsvRows parse() {
    const size_t rows = rows_expected();
    for (Field& field : fields_) {
      if (field.kind != Kind::skipped) field.values.reserve(rows);
    }
    std::vector<uint32_t> lines;
    lines.reserve(rows);
    while (scanner_.next_record()) {
      read_row(lines.size());
      lines.push_back(static_cast<uint32_t>(std::min<size_t>(scanner_.line(), UINT32_MAX)));
    }
    Table table(source_);
    for (size_t c = 0; c < fields_.size(); ++c) {
      Field& field = fields_[c];
      if (field.kind == Kind::skipped) continue;
      if (field.kind == Kind::number && odd_ != OddCells::refuse)
        result_.counts.push_back(
            {names_[c], field.values.size() - field.missing - field.odd, field.missing, field.odd});
      table.add({.name = names_[c],
                 .role = field.kind == Kind::text ? Role::label : Role::input,
                 .values = std::move(field.values),
                 .words = std::move(field.words)});
    }
    table.set_lines(std::move(lines));
    result_.table = std::move(table);
    return std::move(result_);
  }

 private:
  void choose(const CsvOptions& options) {
    const std::vector<bool> text = marked(options.text), only = marked(options.only),
                            skip = marked(options.skip);
    fields_.resize(names_.size());
    size_t skipped = 0;
    for (size_t c = 0; c < fields_.size(); ++c) {
      if (skip[c] || (!options.only.empty() && !only[c])) {
        fields_[c].kind = Kind::skipped;
        ++skipped;
      } else if (text[c]) {
        fields_[c].kind = Kind::text;
      }
    }
    if (skipped == fields_.size()) {
      throw Error("csv", fmt::format("{}: needed a column to read; found all {} skipped; skip fewer", source_,
                                     skipped));
    }
  }

  size_t place_of(const std::string& name, const NameIndex& places) const {
    if (const std::optional<size_t> place = places.find(name)) return *place;
    throw Error("csv", fmt::format("{}: needed a column {}; found {}; {}", source_, shown(name),
                                   shown_list(names_), did_you_mean(name, names_, "check the name")));
  }

  /// For each column, whether it is one of those named.
  std::vector<bool> marked(const std::vector<std::string>& wanted) const {
    std::vector<bool> result(names_.size());
    if (wanted.empty()) return result;
    const NameIndex places(names_);
    for (const std::string& name : wanted) result[place_of(name, places)] = true;
    return result;
  }

  /// Room for the rows there can be. A row of n cells takes 2 n bytes or more, so that a file with many
  /// columns and many line ends asks for no more than a small multiple of its size.
  size_t rows_expected() const {
    return std::min(scanner_.lines_left(), scanner_.bytes_left() / (2 * fields_.size()) + 1);
  }

  void read_row(size_t row) {
    for (size_t c = 0; c < fields_.size(); ++c) {
      if (!scanner_.in_record()) refuse_ragged(c);
      Field& field = fields_[c];
      double value = 0;
      if (field.kind == Kind::number && !field.kept && scanner_.take_number(value)) {
        field.missing += std::isnan(value);
        field.values.push_back(value);
        continue;
      }
      const CsvCell cell = scanner_.cell(names_[c]);
      if (field.kept) field.kept->emplace_back(cell.text);
      if (field.kind == Kind::text) field.take_word(without_guard(cell.text));
      if (field.kind == Kind::number) field.values.push_back(number_in(cell, row, c));
    }
    if (scanner_.in_record()) refuse_ragged(count_cells(fields_.size()));
  }

  double number_in(const CsvCell& cell, size_t row, size_t c) {
    double value = 0;
    const NumberFault fault = parse_number(cell.text, value, scanner_.format().decimal);
    Field& field = fields_[c];
    if (fault == NumberFault::none) {
      field.missing += std::isnan(value);
      return value;
    }
    if (odd_ == OddCells::refuse) refuse_number(c, cell, fault);
    if (is_missing(cell.text))
      ++field.missing;
    else if (field.odd++ == 0 || odd_ == OddCells::tell)
      result_.odd.push_back({row, cell.line, names_[c], std::string(cell.text)});
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Reads the record to its end; `cells` of it were read before.
  size_t count_cells(size_t cells) {
    for (; scanner_.in_record(); ++cells) scanner_.cell({});
    return cells;
  }

  [[noreturn]] void refuse_ragged(size_t cells) const {
    const std::string what = cells > fields_.size() ? fmt::format("quote cells that contain {}s",
                                                                  name_of(scanner_.format().separator))
                                                    : "complete the row";
    throw Error(
        "csv", fmt::format("{}: needed {} cells, as in the {}; found {}; {}", scanner_.where(scanner_.line()),
                           fields_.size(), scanner_.format().header == Header::yes ? "header" : "first line",
                           cells, what));
  }

  [[noreturn]] void refuse_number(size_t c, const CsvCell& cell, NumberFault fault) {
    const OddCell odd{0, cell.line, names_[c], std::string(cell.text)};
    // A missing or extra separator shifts cells: then the wrong count is the cause and the odd cell its
    // effect.
    const size_t cells = count_cells(c + 1);
    if (cells != fields_.size()) refuse_ragged(cells);
    if (fault == NumberFault::empty)
      throw Error("csv", scanner_.where(odd.line, odd.column) +
                             ": needed a number; found an empty cell; drop the row or write nan");
    refuse_odd(odd, source_, scanner_.format());
  }

  const std::string& source_;
  CsvScanner& scanner_;
  const std::vector<std::string>& names_;
  const OddCells odd_;
  std::vector<Field> fields_;
  CsvRows result_;
};

}  // namespace

CsvRows read_rows(CsvScanner& scanner, const std::vector<std::string>& names, const std::string& source,
                  const CsvRowOptions& options) {
  return RowParser(scanner, names, source, options).parse();
}

void require_rows(const Table& table) {
  if (table.rows() > 0) return;
  throw Error("csv", fmt::format("{}: needed rows after the header; found none; check what wrote it",
                                 table.source()));
}

void refuse_odd(const OddCell& cell, const std::string& source, const CsvFormat& format) {
  const std::string where = CsvScanner({}, source, format).where(cell.line, cell.column);
  double ignored = 0;
  if (parse_number(cell.text, ignored, format.decimal) == NumberFault::too_large)
    throw Error(
        "csv", fmt::format("{}: needed a number a double can hold; found {}; rescale the column or write inf",
                           where, shown(cell.text)));
  const Decimal other = format.decimal == Decimal::point ? Decimal::comma : Decimal::point;
  if (parse_number(cell.text, ignored, other) == NumberFault::none)
    throw Error("csv",
                fmt::format("{}: needed a number with a decimal {}; found {}; correct the cell, or tell the "
                            "decimal sign of the file",
                            where, name_of(format.decimal), shown(cell.text)),
                "decimal");
  throw Error(
      "csv",
      fmt::format("{}: needed a number; found {}; correct the cell, leave the column out, or make it a "
                  "category",
                  where, shown(cell.text)),
      "ignore,categories");
}

}  // namespace kedge
