#include <unordered_set>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/csv_rows.h"
#include "kedge/table/formula.h"

namespace kedge {
namespace {

/// The name that a cell of the header gives its column.
std::string name_in(const CsvCell& cell, size_t column, const std::string& where) {
  std::string name(without_guard(cell.text));
  if (name.empty())
    throw Error("csv",
                fmt::format("{}: needed a name for every column; found none for column {}; name it in the "
                            "header",
                            where, column + 1));
  if (cell.form == CsvCell::Form::plain && cell.text.find('\r') != cell.text.npos)
    throw Error(
        "csv",
        fmt::format("{}: needed lines that end in LF or CRLF; found CR alone; convert the line ends", where));
  return name;
}

/// A header of one column that holds another separator is a file of another format.
void refuse_other_separator(const CsvCell& cell, const CsvScanner& scanner, const std::string& where) {
  if (cell.form != CsvCell::Form::plain || scanner.in_record()) return;
  for (const auto& [separator, name] : names_of(Separator{})) {
    if (separator == scanner.format().separator || cell.text.find(sign_of(separator)) == cell.text.npos)
      continue;
    throw Error(
        "csv",
        fmt::format("{}: needed columns separated by {}s; found the one column {}; tell the separator, or "
                    "quote the name",
                    where, name_of(scanner.format().separator), shown(cell.text)),
        "separator");
  }
}

}  // namespace

std::vector<std::string> read_names(CsvScanner& scanner, const std::string& source) {
  CsvScanner first = scanner;
  if (!first.next_record())
    throw Error(
        "csv",
        fmt::format("{}: needed a header line and rows; found an empty file; check what wrote it", source));
  std::vector<std::string> names;
  if (scanner.format().header == Header::no) {
    do {
      first.cell({});
      names.push_back(fmt::format("x{}", names.size()));
    } while (first.in_record());
    return names;
  }
  scanner.next_record();
  std::unordered_set<std::string> taken;
  do {
    const CsvCell cell = scanner.cell({});
    const std::string where = scanner.where(cell.line);
    std::string name = name_in(cell, names.size(), where);
    if (!taken.insert(name).second)
      throw Error("csv",
                  fmt::format("{}: needed a different name for every column; found {} twice; rename one",
                              where, shown(name)));
    if (names.empty()) refuse_other_separator(cell, scanner, where);
    names.push_back(std::move(name));
  } while (scanner.in_record());
  return names;
}

}  // namespace kedge
