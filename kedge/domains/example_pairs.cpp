#include "kedge/domains/example_pairs.h"

#include <algorithm>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

/// The rows in order of their labels, so that the rows of one label are a range.
struct Grouped {
  std::vector<size_t> rows;
  std::vector<size_t> first, last;  ///< of each place in `rows`: the range [first, last) of its label
};

Grouped group(const std::vector<double>& labels) {
  const size_t count = labels.size();
  Grouped grouped{std::vector<size_t>(count), std::vector<size_t>(count), std::vector<size_t>(count)};
  std::iota(grouped.rows.begin(), grouped.rows.end(), size_t{0});
  std::stable_sort(grouped.rows.begin(), grouped.rows.end(),
                   [&](size_t a, size_t b) { return labels[a] < labels[b]; });
  for (size_t first = 0; first < count;) {
    size_t last = first;
    while (last < count && labels[grouped.rows[last]] == labels[grouped.rows[first]]) ++last;
    std::fill(grouped.first.begin() + static_cast<long>(first),
              grouped.first.begin() + static_cast<long>(last), first);
    std::fill(grouped.last.begin() + static_cast<long>(first), grouped.last.begin() + static_cast<long>(last),
              last);
    first = last;
  }
  return grouped;
}

ExamplePair positive(const Grouped& grouped, size_t place, Rng& rng) {
  const size_t first = grouped.first[place], others = grouped.last[place] - first - 1;
  size_t other = first + rng.below(others);
  if (other >= place) ++other;
  return {.query = grouped.rows[place], .anchor = grouped.rows[other], .related = 1};
}

ExamplePair negative(const Grouped& grouped, size_t place, Rng& rng) {
  const size_t first = grouped.first[place], size = grouped.last[place] - first;
  size_t other = rng.below(grouped.rows.size() - size);
  if (other >= first) other += size;
  return {.query = grouped.rows[place], .anchor = grouped.rows[other], .related = 0};
}

}  // namespace

std::vector<ExamplePair> example_pairs(const Table& table, const ExamplePairOptions& options) {
  const std::vector<std::string> names = table.names(Role::label);
  if (names.size() != 1)
    throw Error("pairs",
                fmt::format("one label column is needed to tell which rows are related; found {} in {}",
                            names.size(), table.source()));
  require_finite(table, names, "pairs");
  const Grouped grouped = group(table.column(names.front()).values);
  std::vector<size_t> with_positive, with_negative;
  for (size_t place = 0; place < grouped.rows.size(); ++place) {
    const size_t size = grouped.last[place] - grouped.first[place];
    if (size > 1) with_positive.push_back(place);
    if (size < grouped.rows.size()) with_negative.push_back(place);
  }
  if ((options.positive > 0 && with_positive.empty()) || (options.negative > 0 && with_negative.empty()))
    throw Error("pairs",
                fmt::format("rows that share a label and rows that do not are needed; found {} rows of {} "
                            "with no such pair; take more rows",
                            grouped.rows.size(), table.source()));
  Rng rng(options.seed, Stream::example_pairs);
  std::vector<ExamplePair> pairs;
  for (size_t n = 0; n < options.positive; ++n)
    pairs.push_back(positive(grouped, with_positive[rng.below(with_positive.size())], rng));
  for (size_t n = 0; n < options.negative; ++n)
    pairs.push_back(negative(grouped, with_negative[rng.below(with_negative.size())], rng));
  return pairs;
}

}  // namespace kedge
