#include "cli/findings.h"

#include <algorithm>

#include "cli/verdict_looks.h"

namespace kedge {
namespace {

/// What takes a query out: its departures of which none is much larger.
std::vector<size_t> decisive(const std::vector<Departure>& departures) {
  constexpr double comparable = 0.5;
  double largest = 0;
  for (const Departure& one : departures)
    if (!one.is_combination()) largest = std::max(largest, one.relative);
  std::vector<size_t> columns;
  for (const Departure& one : departures)
    if (!one.is_combination() && one.relative >= comparable * largest) columns.push_back(one.column);
  return columns;
}

std::vector<OutsideColumn> columns_outside(const Diagnosis& d) {
  std::vector<OutsideColumn> found;
  for (const ColumnRange& range : d.columns) found.push_back({&range, 0});
  for (size_t r = 0; r < d.predictions.outside.size(); ++r) {
    if (!is_beyond(d.predictions.verdict[r])) continue;
    for (size_t column : decisive(d.predictions.outside[r])) ++found[column].queries;
  }
  std::erase_if(found, [](const OutsideColumn& column) { return column.queries == 0; });
  std::stable_sort(found.begin(), found.end(),
                   [](const OutsideColumn& a, const OutsideColumn& b) { return a.queries > b.queries; });
  return found;
}

}  // namespace

Findings findings_of(const Diagnosis& d) {
  Findings found{.rows = d.predictions.rows() + d.unanswered, .unanswered = d.unanswered};
  for (Verdict verdict : d.predictions.verdict) {
    if (is_answered(verdict))
      ++found.answered;
    else
      ++(verdict == Verdict::edge          ? found.edge
         : verdict == Verdict::unreachable ? found.beyond
                                           : found.unknown);
  }
  found.errors = errors_of(d, [&](Verdict v) { return found.answered == 0 || is_answered(v); });
  found.outside = columns_outside(d);
  return found;
}

}  // namespace kedge
