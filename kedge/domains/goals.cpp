#include "kedge/domains/goals.h"

#include <cassert>
#include <string>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/table/csv.h"

namespace kedge {

Matrix<double> goals_from_csv(std::string_view text) {
  const Table table = parse_csv(text, "goals");
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return table.matrix(names);
}

std::function<Matrix<double>(Split)> goals_of_texts(std::string_view in, std::string_view oos) {
  return [in, oos](Split split) { return goals_from_csv(split == Split::oos ? oos : in); };
}

Matrix<double> box_goals(std::span<const double> low, std::span<const double> high, size_t count, Split split,
                         uint64_t seed) {
  assert(low.size() == high.size());
  Rng rng(seed, Stream::goals, static_cast<uint64_t>(split));
  Matrix<double> goals(count, low.size());
  for (size_t g = 0; g < count; ++g)
    for (size_t c = 0; c < low.size(); ++c) goals(g, c) = rng.uniform(low[c], high[c]);
  return goals;
}

}  // namespace kedge
