#include "kedge/table/csv.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"
#include "kedge/table/csv_scanner.h"
#include "kedge/table/formula.h"
#include "kedge/table/number.h"

namespace kedge {
namespace {

enum class Kind { number, text, skipped };

/// A column of the file while its cells come in.
struct Field {
  Kind kind = Kind::number;
  std::vector<double> values;
  std::vector<std::string> words;
  NameIndex places;  // of the words

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

std::vector<std::string> read_header(CsvScanner& scanner, const std::string& source) {
  if (!scanner.next_record()) {
    throw Error(
        "csv",
        fmt::format("{}: needed a header line and rows; found an empty file; check what wrote it", source));
  }
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  do {
    const CsvCell cell = scanner.cell({});
    const std::string where = scanner.where(cell.line);
    std::string name(without_guard(cell.text));
    if (name.empty()) {
      throw Error("csv",
                  fmt::format("{}: needed a name for every column; found none for column {}; name it in the "
                              "header",
                              where, names.size() + 1));
    }
    if (!taken.insert(name).second) {
      throw Error("csv",
                  fmt::format("{}: needed a different name for every column; found {} twice; rename one",
                              where, shown(name)));
    }
    if (cell.form == CsvCell::Form::plain && cell.text.find('\r') != cell.text.npos) {
      throw Error(
          "csv", fmt::format("{}: needed lines that end in LF or CRLF; found CR alone; convert the line ends",
                             where));
    }
    const bool is_whole_header = names.empty() && !scanner.in_record();
    if (is_whole_header && cell.form == CsvCell::Form::plain &&
        cell.text.find_first_of(";\t") != cell.text.npos) {
      throw Error("csv",
                  fmt::format("{}: needed columns separated by commas; found the one column {}; replace "
                              "semicolons and tabs by commas, or quote the name",
                              where, shown(cell.text)));
    }
    names.push_back(std::move(name));
  } while (scanner.in_record());
  return names;
}

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& source, const CsvOptions& options)
      : source_(source), scanner_(text, source), names_(read_header(scanner_, source)) {
    choose(options);
  }

  Table parse() {
    const size_t rows = rows_expected();
    for (Field& field : fields_) {
      if (field.kind != Kind::skipped) field.values.reserve(rows);
    }
    std::vector<uint32_t> lines;
    lines.reserve(rows);
    while (scanner_.next_record()) {
      read_row();
      lines.push_back(static_cast<uint32_t>(std::min<size_t>(scanner_.line(), UINT32_MAX)));
    }
    if (lines.empty()) {
      throw Error("csv",
                  fmt::format("{}: needed rows after the header; found none; check what wrote it", source_));
    }
    Table table(source_);
    for (size_t c = 0; c < fields_.size(); ++c) {
      Field& field = fields_[c];
      if (field.kind == Kind::skipped) continue;
      table.add({.name = names_[c],
                 .role = field.kind == Kind::text ? Role::label : Role::input,
                 .values = std::move(field.values),
                 .words = std::move(field.words)});
    }
    table.set_lines(std::move(lines));
    return table;
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

  /// For each column, whether it is one of those named.
  std::vector<bool> marked(const std::vector<std::string>& wanted) const {
    std::vector<bool> result(names_.size());
    if (wanted.empty()) return result;
    const NameIndex places(names_);
    for (const std::string& name : wanted) {
      const std::optional<size_t> place = places.find(name);
      if (!place) {
        throw Error("csv", fmt::format("{}: needed a column {}; found {}; {}", source_, shown(name),
                                       shown_list(names_), did_you_mean(name, names_, "check the name")));
      }
      result[*place] = true;
    }
    return result;
  }

  /// Room for the rows there can be. A row of n cells takes 2 n bytes or more, so that a file with many
  /// columns and many line ends asks for no more than a small multiple of its size.
  size_t rows_expected() const {
    return std::min(scanner_.lines_left(), scanner_.bytes_left() / (2 * fields_.size()) + 1);
  }

  void read_row() {
    for (size_t c = 0; c < fields_.size(); ++c) {
      if (!scanner_.in_record()) refuse_ragged(c);
      Field& field = fields_[c];
      double value = 0;
      if (field.kind == Kind::number && scanner_.take_number(value)) {
        field.values.push_back(value);
        continue;
      }
      const CsvCell cell = scanner_.cell(names_[c]);
      if (field.kind == Kind::text) field.take_word(without_guard(cell.text));
      if (field.kind != Kind::number) continue;
      const NumberFault fault = parse_number(cell.text, value);
      if (fault != NumberFault::none) refuse_number(c, cell, fault);
      field.values.push_back(value);
    }
    if (scanner_.in_record()) refuse_ragged(count_cells(fields_.size()));
  }

  /// Reads the record to its end; `cells` of it were read before.
  size_t count_cells(size_t cells) {
    for (; scanner_.in_record(); ++cells) scanner_.cell({});
    return cells;
  }

  [[noreturn]] void refuse_ragged(size_t cells) const {
    throw Error("csv",
                fmt::format("{}: needed {} cells, as in the header; found {}; {}",
                            scanner_.where(scanner_.line()), fields_.size(), cells,
                            cells > fields_.size() ? "quote cells that contain commas" : "complete the row"));
  }

  [[noreturn]] void refuse_number(size_t c, const CsvCell& cell, NumberFault fault) {
    const std::string text = shown(cell.text);
    const std::string where = scanner_.where(cell.line, names_[c]);
    // A missing or extra comma shifts cells: then the wrong count is the cause and the odd cell its effect.
    const size_t cells = count_cells(c + 1);
    if (cells != fields_.size()) refuse_ragged(cells);
    if (fault == NumberFault::empty) {
      throw Error("csv", where + ": needed a number; found an empty cell; drop the row or write nan");
    }
    if (fault == NumberFault::too_large) {
      throw Error(
          "csv",
          fmt::format("{}: needed a number a double can hold; found {}; rescale the column or write inf",
                      where, text));
    }
    throw Error(
        "csv",
        fmt::format("{}: needed a number; found {}; correct the cell, or make the column a label or leave "
                    "it out",
                    where, text),
        "ignore");
  }

  const std::string& source_;
  CsvScanner scanner_;
  std::vector<std::string> names_;
  std::vector<Field> fields_;
};

}  // namespace

Table read_csv(const std::string& path, const CsvOptions& options) {
  const std::string bytes = read_file(path, "csv");
  return parse_csv(bytes, path == "-" ? "standard input" : path, options);
}

Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  return CsvParser(text, source, options).parse();
}

}  // namespace kedge
