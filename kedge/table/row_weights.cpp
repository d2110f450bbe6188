#include "kedge/table/row_weights.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

/// The column of weights, checked; null where there is none.
const Column* weight_column(const Table& table) {
  const std::vector<std::string> names = table.names(Role::weight);
  if (names.empty()) return nullptr;
  if (names.size() > 1)
    throw Error("fit", fmt::format("{} needs one column of row weights at most; found {}; keep one of them",
                                   table.source(), shown_list(names)));
  const Column& column = table.column(names[0]);
  if (!column.words.empty())
    throw Error("fit",
                fmt::format("{}, column {}: row weights need numbers; found words, as {}; name another "
                            "column",
                            table.source(), shown(column.name), shown(column.words[0])));
  for (size_t r = 0; r < column.values.size(); ++r)
    if (!(column.values[r] >= 0 && std::isfinite(column.values[r])))
      throw Error("fit",
                  fmt::format("{}, column {}: a row weight needs a finite number, 0 or more; found {}; "
                              "give the row the weight 0 to leave it out",
                              table.where(r), shown(column.name), column.values[r]));
  return &column;
}

}  // namespace

std::optional<Table> counted_rows(const Table& table) {
  const Column* const weights = weight_column(table);
  if (weights == nullptr || table.rows() == 0) return std::nullopt;
  std::vector<size_t> counted;
  for (size_t r = 0; r < table.rows(); ++r)
    if (weights->values[r] > 0) counted.push_back(r);
  if (counted.empty())
    throw Error("fit", fmt::format("{}, column {}: needs a row weight above 0; found 0 in all {} rows; give "
                                   "some rows a weight",
                                   table.source(), shown(weights->name), table.rows()));
  const bool alike = std::all_of(counted.begin(), counted.end(),
                                 [&](size_t r) { return weights->values[r] == weights->values[counted[0]]; });
  if (!alike && counted.size() == table.rows()) return std::nullopt;
  const Table rows = table.select(counted);
  if (!alike) return rows;
  std::vector<Column> columns;
  for (const Column& column : rows.columns())
    if (column.role != Role::weight) columns.push_back(column);
  return rows.with_columns(std::move(columns));
}

std::vector<double> row_weights(const Table& table) {
  const Column* const column = weight_column(table);
  if (column == nullptr) return {};
  std::vector<double> weights = column->values;
  const double greatest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= greatest;
  return weights;
}

}  // namespace kedge
