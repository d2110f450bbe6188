#include "kedge/coverage/error_model.h"

#include <gtest/gtest.h>

#include <vector>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

ErrorEvidence evidence(Rng& rng) {
  return {.verdict = all_verdicts[rng.below(all_verdicts.size())],
          .support_distance = rng.uniform(0, 3),
          .delta_distance = rng.uniform(0, 2),
          .relative_spread = rng.uniform(0.5, 4)};
}

std::vector<ObservedError> observations_of(const ErrorModel& model, size_t count, double noise) {
  Rng rng(4, Stream::domain);
  std::vector<ObservedError> observed;
  for (size_t i = 0; i < count; ++i) {
    const ErrorEvidence e = evidence(rng);
    observed.push_back({.evidence = e, .error = model.expected(e) * rng.uniform(1 - noise, 1 + noise)});
  }
  return observed;
}

TEST(ErrorModel, finds_the_coefficients_that_made_the_errors) {
  const ErrorModel truth{.coefficients = {0.1, 0.2, 0.3, 0.05, 1, 2, 0.15},
                         .output_scale = 1,
                         .usual_spread = 1,
                         .knows_beyond = true};
  const auto found = fit_error_model(observations_of(truth, 3000, 0));
  constexpr double tolerance = 0.02;
  for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], truth.coefficients[k], tolerance) << k;
}

TEST(ErrorModel, expects_on_the_whole_what_was_observed) {
  const ErrorModel truth{.coefficients = {0.1, 0, 0.3, 0.05, 0, 2, 0.1},
                         .output_scale = 1,
                         .usual_spread = 1,
                         .knows_beyond = true};
  const auto observed = observations_of(truth, 500, 1);
  const ErrorModel found{
      .coefficients = fit_error_model(observed), .output_scale = 1, .usual_spread = 1, .knows_beyond = true};
  double expected = 0, seen = 0;
  for (const ObservedError& o : observed) {
    expected += found.expected(o.evidence);
    seen += o.error;
  }
  constexpr double tolerance = 1e-6;
  EXPECT_NEAR(expected / seen, 1, tolerance);
}

TEST(ErrorModel, never_expects_less_farther_out_or_with_more_disagreement) {
  Rng rng(5, Stream::domain);
  std::vector<ObservedError> observed;
  for (int i = 0; i < 200; ++i) observed.push_back({.evidence = evidence(rng), .error = rng.uniform()});
  const ErrorModel model{
      .coefficients = fit_error_model(observed), .output_scale = 2, .usual_spread = 1, .knows_beyond = true};
  for (double coefficient : model.coefficients) EXPECT_GE(coefficient, 0);
  for (int i = 0; i < 200; ++i) {
    const ErrorEvidence e = evidence(rng);
    ErrorEvidence worse = e;
    worse.support_distance += rng.uniform();
    worse.delta_distance += rng.uniform();
    worse.relative_spread += rng.uniform();
    EXPECT_GE(model.expected(worse), model.expected(e));
  }
}

TEST(ErrorModel, counts_errors_of_a_less_trained_model_for_less_in_support) {
  const std::vector<ObservedError> same = {{.evidence = {.verdict = Verdict::interpolation}, .error = 1}};
  std::vector<ObservedError> less = same;
  less[0].improvement = 0.25;
  constexpr double tolerance = 1e-9;
  EXPECT_NEAR(fit_error_model(same)[0], 1, tolerance);
  EXPECT_NEAR(fit_error_model(less)[0], 0.25, tolerance);
}

TEST(ErrorModel, finds_the_power_by_which_errors_out_of_support_grow_with_the_extent) {
  const ErrorModel truth{
      .coefficients = {0.1, 0.3, 0.5}, .output_scale = 1, .usual_spread = 1, .knows_beyond = true};
  Rng rng(6, Stream::domain);
  for (double power : {0.0, 1.0, 2.0}) {
    std::vector<ObservedError> observed;
    for (int i = 0; i < 400; ++i) {
      const ErrorEvidence e{.verdict = i % 2 == 0 ? Verdict::interpolation : Verdict::reachable,
                            .support_distance = rng.uniform(0, 2)};
      const double extent = i % 3 == 0 ? 0.4 : i % 3 == 1 ? 0.6 : 0.9, inside = truth.coefficients[0];
      const double error = inside + (truth.expected(e) - inside) * std::pow(extent, power);
      observed.push_back({.evidence = e, .error = error, .extent = extent});
    }
    const ErrorEvidence far{.verdict = Verdict::reachable, .support_distance = 2};
    const auto expected = [&](double most_power) {
      ErrorModel found = truth;
      found.coefficients = fit_error_model(observed, most_power);
      return found.expected(far);
    };
    constexpr double tolerance = 0.05;
    EXPECT_NEAR(expected(2) / truth.expected(far), 1, tolerance) << power;
    if (power > 0) {
      EXPECT_LT(expected(0), 0.9 * truth.expected(far)) << power;
    }
  }
}

TEST(ErrorModel, without_observations_expects_nothing_and_says_so) {
  const ErrorModel unknown;
  EXPECT_FALSE(unknown.is_known());
  EXPECT_TRUE(std::isnan(unknown.expected({})));
  for (double coefficient : fit_error_model({})) EXPECT_EQ(coefficient, 0);
}

TEST(ErrorModel, that_never_saw_errors_beyond_the_differences_says_nothing_of_them) {
  const ErrorModel model{.coefficients = {1, 0, 0, 0, 0, 0}, .output_scale = 1};
  EXPECT_EQ(model.expected({.verdict = Verdict::reachable}), 1);
  for (Verdict verdict : {Verdict::edge, Verdict::unreachable})
    EXPECT_TRUE(std::isnan(model.expected({.verdict = verdict})));
}

TEST(ErrorModel, without_a_usual_spread_ignores_the_spread) {
  EXPECT_EQ(ErrorModel{.usual_spread = 0}.relative_spread(3), 0);
  EXPECT_EQ(ErrorModel{.usual_spread = 2}.relative_spread(3), 1.5);
}

}  // namespace
}  // namespace kedge
