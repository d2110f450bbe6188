#include "kedge/coverage/error_model.h"

#include <algorithm>
#include <vector>

namespace kedge {
namespace {

using Terms = std::array<double, ErrorModel::terms>;

constexpr int rounds = 2000;
// Below it a term is gone; it would only shrink on.
constexpr double least_coefficient = 1e-12;

Terms terms_of(const ErrorEvidence& e, double improvement) {
  const double out = e.verdict == Verdict::interpolation ? 0 : 1;
  const bool beyond = is_beyond(e.verdict);
  return {1 / improvement,          out / improvement,
          out * e.support_distance, e.relative_spread / improvement,
          beyond ? 1.0 : 0.0,       beyond ? e.delta_distance : 0.0};
}

double sum_of(const Terms& coefficients, const Terms& terms) {
  double sum = 0;
  for (size_t k = 0; k < terms.size(); ++k) sum += coefficients[k] * terms[k];
  return sum;
}

}  // namespace

double ErrorModel::expected(const ErrorEvidence& evidence) const {
  if (is_beyond(evidence.verdict) && !knows_beyond) return std::numeric_limits<double>::quiet_NaN();
  return output_scale * sum_of(coefficients, terms_of(evidence, 1));
}

// Multiplicative updates: each round raises the likelihood and keeps every coefficient at or above 0 (Lee and
// Seung 2001, for one factor).
Terms fit_error_model(std::span<const ObservedError> observed) {
  std::vector<Terms> terms;
  Terms totals{};
  double error = 0;
  for (const ObservedError& o : observed) {
    terms.push_back(terms_of(o.evidence, o.improvement));
    for (size_t k = 0; k < totals.size(); ++k) totals[k] += terms.back()[k];
    error += o.error;
  }
  Terms b{};
  for (size_t k = 0; k < b.size(); ++k)
    if (totals[k] > 0) b[k] = error / totals[k] / static_cast<double>(b.size());
  for (int round = 0; round < rounds; ++round) {
    Terms pull{};
    for (size_t i = 0; i < terms.size(); ++i) {
      const double mean = sum_of(b, terms[i]);
      if (!(mean > 0)) continue;
      for (size_t k = 0; k < b.size(); ++k) pull[k] += terms[i][k] * observed[i].error / mean;
    }
    for (size_t k = 0; k < b.size(); ++k)
      if (totals[k] > 0) b[k] *= pull[k] / totals[k];
  }
  const double largest = *std::max_element(b.begin(), b.end());
  for (double& coefficient : b)
    if (coefficient < least_coefficient * largest) coefficient = 0;
  return b;
}

}  // namespace kedge
