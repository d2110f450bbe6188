#include "kedge/coverage/error_model.h"

#include <algorithm>
#include <vector>

namespace kedge {
namespace {

using Terms = std::array<double, ErrorModel::terms>;

constexpr int rounds = 2000;
constexpr int search_rounds = 200;  // enough to tell which power fits best
constexpr double power_step = 0.5;
// A greater power needs this much more of the likelihood, for each unit of error: without a difference there
// is no growth.
constexpr double least_gain = 1e-4;
// Below it a term is gone; it would only shrink on.
constexpr double least_coefficient = 1e-12;

/// `reach` is what the terms out of support are multiplied by.
Terms terms_of(const ErrorEvidence& e, double improvement, double reach) {
  const double out = e.verdict == Verdict::interpolation ? 0 : reach;
  const bool beyond = is_beyond(e.verdict);
  return {1 / improvement,
          out / improvement,
          out * e.support_distance,
          e.relative_spread / improvement,
          beyond ? out : 0,
          beyond ? out * e.delta_distance : 0,
          out * e.support_distance * e.support_distance,
          e.output_excess,
          e.outside_outputs ? 1.0 : 0.0};
}

double sum_of(const Terms& coefficients, const Terms& terms) {
  double sum = 0;
  for (size_t k = 0; k < terms.size(); ++k) sum += coefficients[k] * terms[k];
  return sum;
}

}  // namespace

double ErrorModel::expected(const ErrorEvidence& evidence) const {
  if (is_beyond(evidence.verdict) && !knows_beyond) return std::numeric_limits<double>::quiet_NaN();
  return output_scale * sum_of(coefficients, terms_of(evidence, 1, 1));
}

namespace {

struct Fitted {
  Terms coefficients{};
  double likelihood = 0;  ///< its logarithm, for each unit of error
};

// Multiplicative updates: each round raises the likelihood and keeps every coefficient at or above 0 (Lee and
// Seung 2001, for one factor).
Fitted fit_with(std::span<const ObservedError> observed, double power, int most_rounds) {
  std::vector<Terms> terms;
  Terms totals{};
  double error = 0;
  for (const ObservedError& o : observed) {
    terms.push_back(terms_of(o.evidence, o.improvement, std::pow(o.extent, power)));
    for (size_t k = 0; k < totals.size(); ++k) totals[k] += terms.back()[k];
    error += o.error;
  }
  Terms b{};
  for (size_t k = 0; k < b.size(); ++k)
    if (totals[k] > 0) b[k] = error / totals[k] / static_cast<double>(b.size());
  for (int round = 0; round < most_rounds; ++round) {
    Terms pull{};
    for (size_t i = 0; i < terms.size(); ++i) {
      const double mean = sum_of(b, terms[i]);
      if (!(mean > 0)) continue;
      for (size_t k = 0; k < b.size(); ++k) pull[k] += terms[i][k] * observed[i].error / mean;
    }
    for (size_t k = 0; k < b.size(); ++k)
      if (totals[k] > 0) b[k] *= pull[k] / totals[k];
  }
  double likelihood = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const double mean = sum_of(b, terms[i]);
    if (mean > 0) likelihood += observed[i].error * std::log(mean) - mean;
  }
  return {b, error > 0 ? likelihood / error : 0};
}

double likeliest_power(std::span<const ObservedError> observed, double most) {
  double best = 0, greatest = -std::numeric_limits<double>::infinity();
  for (double power = 0; most > 0 && power <= most; power += power_step) {
    const double likelihood = fit_with(observed, power, search_rounds).likelihood;
    if (!(likelihood > greatest + least_gain)) continue;
    best = power;
    greatest = likelihood;
  }
  return best;
}

}  // namespace

Terms fit_error_model(std::span<const ObservedError> observed, double most_power) {
  Terms b = fit_with(observed, likeliest_power(observed, most_power), rounds).coefficients;
  const double largest = *std::max_element(b.begin(), b.end());
  for (double& coefficient : b)
    if (coefficient < least_coefficient * largest) coefficient = 0;
  return b;
}

}  // namespace kedge
