#include "cli/findings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/verdict_looks.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

constexpr double unlike = 2;  // an error so many times as large is another one

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
    if (!d.errors || !d.truth) continue;
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
  Findings found{.rows = d.predictions.rows()};
  for (Verdict verdict : d.predictions.verdict) {
    if (is_answered(verdict))
      ++found.answered;
    else
      ++(verdict == Verdict::edge          ? found.edge
         : verdict == Verdict::unreachable ? found.beyond
                                           : found.unknown);
  }
  found.errors = errors_of(d, [&](Verdict v) { return found.answered == 0 || is_answered(v); });
  for (const ColumnRange& column : d.columns)
    if (column.outside > 0) found.outside.push_back(&column);
  std::stable_sort(found.outside.begin(), found.outside.end(),
                   [](const ColumnRange* a, const ColumnRange* b) { return a->outside > b->outside; });
  return found;
}

}  // namespace kedge
