#include "cli/findings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/verdict_looks.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

constexpr double unlike = 2;  // an error so many times as large is another one

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

bool GroupErrors::is_as_expected() const { return mean <= unlike * expected && mean >= expected / unlike; }
bool GroupErrors::is_worse_than_expected() const { return mean > unlike * expected; }

GroupErrors errors_of(const Diagnosis& d, const std::function<bool(Verdict)>& chosen) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  GroupErrors group{.expected = nothing, .mean = nothing, .rmse = nothing, .r_squared = nothing};
  std::vector<double> expected, errors, truth;
  for (size_t r = 0; r < d.predictions.rows(); ++r) {
    if (!chosen(d.predictions.verdict[r])) continue;
    ++group.count;
    if (std::isfinite(d.predictions.expected_error[r])) expected.push_back(d.predictions.expected_error[r]);
    if (!d.errors || !d.truth || std::isnan((*d.errors)[r])) continue;
    ++group.known;
    errors.push_back((*d.errors)[r]);
    truth.insert(truth.end(), d.truth->row(r).begin(), d.truth->row(r).end());
  }
  if (!expected.empty()) group.expected = mean(expected);
  if (errors.empty()) return group;
  group.mean = mean(errors);
  group.rmse = root_mean_square(errors);
  group.r_squared = r_squared(errors, Matrix<double>(errors.size(), d.truth->cols(), std::move(truth)));
  return group;
}

GroupErrors errors_of(const Diagnosis& d, Verdict verdict) {
  return errors_of(d, [=](Verdict v) { return v == verdict; });
}

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
