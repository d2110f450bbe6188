#include "kedge/table/table.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"

namespace kedge {

void Table::add(Column column) {
  if (column.name.empty()) {
    throw Error("table",
                fmt::format("{} needs a name for every column; found an empty one; name it", source_));
  }
  if (has(column.name)) {
    throw Error("table", fmt::format("{} needs a different name for every column; found {} twice; rename one",
                                     source_, shown(column.name)));
  }
  if (!columns_.empty() && column.values.size() != rows()) {
    throw Error("table",
                fmt::format("{} needs {} rows in every column; found {} in column {}; give all columns the "
                            "same length",
                            source_, rows(), column.values.size(), shown(column.name)));
  }
  if (!column.words.empty()) {
    const auto words = static_cast<double>(column.words.size());
    for (const double value : column.values) {
      if (value >= 0 && value < words && value == std::floor(value)) continue;
      throw Error("table",
                  fmt::format("{} needs the index of one of {} words in text column {}; found {}; number the "
                              "words from 0",
                              source_, column.words.size(), shown(column.name), value));
    }
  }
  places_.add(column.name, columns_.size());
  columns_.push_back(std::move(column));
}

const Column& Table::column(std::string_view name) const {
  if (const auto place = places_.find(name)) return columns_[*place];
  std::vector<std::string> there;
  for (const Column& column : columns_) there.push_back(column.name);
  throw Error("table", fmt::format("{} needs a column {}; found {}; {}", source_, shown(name),
                                   there.empty() ? "no columns" : shown_list(there),
                                   did_you_mean(name, there, "check the name")));
}

void Table::assign(Role role, const std::vector<std::string>& names) {
  for (const std::string& name : names) column(name);
  for (const std::string& name : names) columns_[*places_.find(name)].role = role;
}

std::vector<std::string> Table::names(Role role) const {
  std::vector<std::string> result;
  for (const Column& column : columns_) {
    if (column.role == role) result.push_back(column.name);
  }
  return result;
}

Matrix<double> Table::matrix(const std::vector<std::string>& names) const {
  std::vector<const double*> sources;
  for (const std::string& name : names) sources.push_back(column(name).values.data());
  Matrix<double> result(rows(), names.size());
  for (size_t r = 0; r < result.rows(); ++r) {
    for (size_t c = 0; c < sources.size(); ++c) result(r, c) = sources[c][r];
  }
  return result;
}

Table Table::select(const std::vector<size_t>& rows) const {
  Table selected(source_);
  selected.places_ = places_;
  for (const Column& column : columns_) {
    Column picked{.name = column.name, .role = column.role, .values = {}, .words = column.words};
    picked.values.reserve(rows.size());
    for (size_t row : rows) picked.values.push_back(column.values[row]);
    selected.columns_.push_back(std::move(picked));
  }
  if (!lines_.empty()) {
    for (size_t row : rows) selected.lines_.push_back(lines_[row]);
  }
  return selected;
}

Table Table::with_columns(std::vector<Column> columns) const {
  Table table(source_);
  for (Column& column : columns) table.add(std::move(column));
  table.lines_ = lines_;
  return table;
}

std::string Table::where(size_t row) const {
  if (row < lines_.size()) return fmt::format("{}, line {}", source_, lines_[row]);
  return fmt::format("{}, row {}", source_, row);
}

Table table_from_matrix(MatrixView<const double> matrix, const std::string& source,
                        const std::string& prefix) {
  Table table(source);
  for (size_t c = 0; c < matrix.cols(); ++c) {
    std::vector<double> values(matrix.rows());
    for (size_t r = 0; r < matrix.rows(); ++r) values[r] = matrix(r, c);
    table.add({.name = fmt::format("{}{}", prefix, c),
               .role = Role::input,
               .values = std::move(values),
               .words = {}});
  }
  return table;
}

void require_finite(const Table& table, const std::vector<std::string>& names, const std::string& verb) {
  size_t row = table.rows();
  const Column* column = nullptr;
  for (const std::string& name : names) {
    const Column& candidate = table.column(name);
    const auto end = candidate.values.begin() + static_cast<std::ptrdiff_t>(row);
    const auto found =
        std::find_if_not(candidate.values.begin(), end, [](double v) { return std::isfinite(v); });
    if (found == end) continue;
    row = static_cast<size_t>(found - candidate.values.begin());
    column = &candidate;
  }
  if (column == nullptr) return;
  throw Error(verb,
              fmt::format("{}, column {}: needed a finite number; found {}; drop the row or fill in a value",
                          table.where(row), shown(column->name), column->values[row]));
}

}  // namespace kedge
