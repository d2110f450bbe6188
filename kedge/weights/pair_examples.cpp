#include "kedge/weights/pair_examples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

const Column& column_of(const Table& table, const char* name) {
  if (table.has(name)) return table.column(name);
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  throw Error("weights", fmt::format("{} needs the columns query, anchor and weight; column {} is missing; "
                                     "found {}",
                                     table.source(), name, fmt::join(names, ", ")));
}

uint32_t row_at(const Table& table, const Column& column, size_t at, size_t rows) {
  const double value = column.values[at];
  if (!(value >= 0 && value < static_cast<double>(rows) && value == std::floor(value)))
    throw Error("weights", fmt::format("{}: column {} needs a row of the training table, 0 to {}; found {}",
                                       table.where(at), column.name, rows - 1, value));
  return static_cast<uint32_t>(value);
}

}  // namespace

PairExamples PairExamples::among(std::span<const size_t> rows) const {
  uint32_t most = 0;
  for (const Pair& pair : pairs) most = std::max({most, pair.query, pair.anchor});
  constexpr uint32_t absent = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> place(size_t{most} + 1, absent);
  for (size_t p = 0; p < rows.size(); ++p) {
    if (rows[p] < place.size()) place[rows[p]] = static_cast<uint32_t>(p);
  }
  PairExamples kept;
  for (size_t i = 0; i < size(); ++i) {
    const Pair moved{place[pairs[i].query], place[pairs[i].anchor]};
    if (moved.query == absent || moved.anchor == absent) continue;
    kept.pairs.push_back(moved);
    kept.weights.push_back(weights[i]);
  }
  return kept;
}

PairExamples read_pair_examples(const Table& table, size_t rows) {
  const Column &queries = column_of(table, "query"), &anchors = column_of(table, "anchor"),
               &weights = column_of(table, "weight");
  PairExamples examples;
  for (size_t r = 0; r < table.rows(); ++r) {
    const Pair pair{row_at(table, queries, r, rows), row_at(table, anchors, r, rows)};
    const double weight = weights.values[r];
    if (pair.query == pair.anchor)
      throw Error("weights", fmt::format("{}: a pair needs two different rows; found row {} with itself",
                                         table.where(r), pair.query));
    if (weight != 0 && weight != 1)
      throw Error("weights",
                  fmt::format("{}: column weight needs 1 (the anchor may answer the query) or 0 (it may "
                              "not); found {}",
                              table.where(r), weight));
    examples.pairs.push_back(pair);
    examples.weights.push_back(static_cast<float>(weight));
  }
  if (std::find(examples.weights.begin(), examples.weights.end(), 1.0f) == examples.weights.end())
    throw Error("weights",
                fmt::format("{} needs at least one pair of weight 1; found {} pairs, all of weight 0",
                            table.source(), examples.size()));
  return examples;
}

}  // namespace kedge
