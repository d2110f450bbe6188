#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/intake_parts.h"
#include "kedge/table/missing.h"

namespace kedge {

RowTest missing_test(const Column& column) {
  if (column.words.empty()) return [&column](size_t row) { return std::isnan(column.values[row]); };
  std::vector<bool> is_missing_word;
  for (const std::string& word : column.words) is_missing_word.push_back(is_missing(word));
  return [&column, missing = std::move(is_missing_word)](size_t row) {
    return missing[static_cast<size_t>(column.values[row])];
  };
}

bool may_have_missing(const Column& column) {
  if (column.words.empty())
    return std::any_of(column.values.begin(), column.values.end(),
                       [](double value) { return std::isnan(value); });
  return std::any_of(column.words.begin(), column.words.end(),
                     [](const std::string& word) { return is_missing(word); });
}

namespace {

struct MissingCells {
  size_t cells = 0, first_row = 0;
  std::vector<std::string> columns = {};
  std::vector<bool> rows = {};

  size_t count() const { return static_cast<size_t>(std::count(rows.begin(), rows.end(), true)); }
};

MissingCells missing_in(const Table& table, Role role) {
  MissingCells found{.first_row = table.rows(), .rows = std::vector<bool>(table.rows())};
  for (const Column& column : table.columns()) {
    if (column.role != role || !may_have_missing(column)) continue;
    const RowTest is_gone = missing_test(column);
    const size_t before = found.cells;
    for (size_t r = 0; r < table.rows(); ++r) {
      if (!is_gone(r)) continue;
      ++found.cells;
      found.rows[r] = true;
      if (r < found.first_row) {
        found.first_row = r;
        found.columns.insert(found.columns.begin(), column.name);
      }
    }
    const bool is_named =
        std::find(found.columns.begin(), found.columns.end(), column.name) != found.columns.end();
    if (found.cells > before && !is_named) found.columns.push_back(column.name);
  }
  return found;
}

}  // namespace

Table with_whole_rows(Table table, Missing missing) {
  const MissingCells inputs = missing_in(table, Role::input), outputs = missing_in(table, Role::output);
  if (missing == Missing::drop) {
    std::vector<size_t> kept;
    for (size_t r = 0; r < table.rows(); ++r)
      if (!inputs.rows[r] && !outputs.rows[r]) kept.push_back(r);
    if (kept.empty())
      throw Error(
          "intake",
          fmt::format("{}: needed rows without missing cells; found none in {}; impute them, or "
                      "leave out columns with many, such as {}",
                      table.source(), table.rows(), shown((inputs.cells > 0 ? inputs : outputs).columns[0])),
          "missing impute,ignore");
    return kept.size() == table.rows() ? std::move(table) : table.select(kept);
  }
  if (outputs.cells > 0)
    throw Error(
        "intake",
        fmt::format("{}: needed a target in every row; found {} of {} rows without, the first in "
                    "column {}; drop them",
                    table.where(outputs.first_row), outputs.count(), table.rows(), shown(outputs.columns[0])),
        "missing drop");
  if (inputs.cells > 0 && missing == Missing::refuse)
    throw Error("intake",
                fmt::format("{}: needed a value in every cell; found {} missing in {} of {} rows, the first "
                            "in column {}; impute them or drop the rows",
                            table.where(inputs.first_row), inputs.cells, inputs.count(), table.rows(),
                            shown(inputs.columns[0])),
                "missing impute,missing drop");
  return table;
}

}  // namespace kedge
