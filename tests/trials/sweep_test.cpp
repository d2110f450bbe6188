#include "kedge/trials/sweep.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;
const std::vector<Shell> shells = CrossValidationOptions().shells;

/// A seed whose errors on all shells are known: `out` by shell, half as much inside.
ModelScore seed_of(const std::vector<double>& out) {
  ModelScore score;
  for (size_t s = 0; s < shells.size(); ++s) {
    ShellScore shell{.shell = shells[s]};
    shell.out = shell.out_absolute = out[s];
    shell.in = shell.in_absolute = out[s] / 2;
    score.shells.push_back(shell);
  }
  summarize(score);
  return score;
}

SweepScore fit_of(const std::string& name, const std::vector<std::vector<double>>& by_seed) {
  std::vector<ModelScore> seeds;
  for (const auto& out : by_seed) seeds.push_back(seed_of(out));
  return sweep_score(name, std::move(seeds), Beyond::both);
}

SweepScore even(const std::string& name, double error) {
  return fit_of(name, {std::vector<double>(shells.size(), error)});
}

SweepScore broken(const std::string& name) {
  ModelScore bad = seed_of({1, 1, 1, 1, 1});
  bad.options.seed = 4;
  bad.shells[1].failure = "training diverged";
  summarize(bad);
  return sweep_score(name, {seed_of({0, 0, 0, 0, 0}), bad}, Beyond::both);
}

TEST(Sweep, means_and_deviations_are_over_seeds) {
  const SweepScore score = fit_of("a", {{0.2, 0.2, 0.2, 0.4, 0.4}, {0.4, 0.4, 0.4, 0.8, 0.8}});
  EXPECT_NEAR(score.out.mean, 0.3, tolerance);
  EXPECT_NEAR(score.out.deviation, 0.1 * std::sqrt(2), tolerance);
  EXPECT_NEAR(score.beyond.mean, 0.6, tolerance);
  EXPECT_NEAR(
      score.score.mean,
      (weighed(score.by_seed[0].errors, Beyond::both) + weighed(score.by_seed[1].errors, Beyond::both)) / 2,
      tolerance);
}

TEST(Sweep, the_best_has_the_least_score_and_of_equal_ones_is_the_first) {
  EXPECT_EQ(best_of(std::vector{even("a", 0.3), even("b", 0.1), even("c", 0.2), even("d", 0.1)}), 1u);
  EXPECT_EQ(best_of(std::vector{even("a", 0.3)}), 0u);
  EXPECT_FALSE(best_of(std::vector<SweepScore>{}));
}

TEST(Sweep, a_fit_that_fails_with_one_seed_is_never_the_best) {
  const SweepScore failed = broken("a");
  EXPECT_EQ(failed.failure, "seed 4: failed on the shell low end: training diverged");
  EXPECT_TRUE(std::isnan(failed.score.mean));
  EXPECT_EQ(best_of(std::vector{failed, even("b", 0.9)}), 1u);
  EXPECT_FALSE(best_of(std::vector{failed, broken("b")}));
  EXPECT_TRUE(chosen_elsewhere(std::vector{failed}, Beyond::both).choices.empty());
}

TEST(Sweep, where_one_is_best_on_every_shell_the_choice_costs_nothing) {
  const std::vector<SweepScore> scores = {even("a", 0.3), fit_of("b", {{0.1, 0.2, 0.1, 0.2, 0.1}}),
                                          even("c", 0.9)};
  const ChosenElsewhere found = chosen_elsewhere(scores, Beyond::both);
  ASSERT_EQ(found.choices.size(), shells.size());
  for (const auto& choice : found.choices) EXPECT_EQ(choice.chosen, 1u);
  EXPECT_EQ(found.score.in.mean, scores[1].in.mean);
  EXPECT_EQ(found.score.out.mean, scores[1].out.mean);
  EXPECT_EQ(found.score.beyond.mean, scores[1].beyond.mean);
  EXPECT_EQ(found.score.score.mean, scores[1].score.mean);
}

TEST(Sweep, the_errors_on_a_shell_take_no_part_in_the_choice_for_it) {
  // `lucky` is the best by far, and only by what it does on one shell.
  const std::vector<SweepScore> scores = {even("steady", 0.3), fit_of("lucky", {{1e-6, 0.4, 0.4, 0.4, 0.4}})};
  ASSERT_EQ(best_of(scores), 1u);
  const ChosenElsewhere found = chosen_elsewhere(scores, Beyond::both);
  EXPECT_EQ(found.choices[0].shell, Shell::around);
  EXPECT_EQ(found.choices[0].chosen, 0u) << "without that shell the other one is better";
  for (size_t s = 1; s < shells.size(); ++s) EXPECT_EQ(found.choices[s].chosen, 1u);
  EXPECT_NEAR(found.score.out.mean, (0.3 + 0.4 + 0.4) / 3, tolerance);
  EXPECT_GT(found.score.out.mean, scores[1].out.mean) << "the best is flattered";
  const SweepScore same = fit_of("same", {{0.3, 0.4, 0.4, 0.4, 0.4}});
  EXPECT_NEAR(found.score.score.mean, same.score.mean, tolerance) << "scored as any fit of these errors";
}

TEST(Sweep, a_simple_model_is_taken_where_it_is_within_the_deviation_over_seeds) {
  const Estimate grid{std::log(0.2), 0.1};
  const std::vector<SweepScore> simple = {even("linear", 0.9), even("ridge", 0.3), broken("quadratic")};
  EXPECT_FALSE(simple_instead(simple, grid));
  EXPECT_EQ(simple_instead(simple, {std::log(0.35), 0}), 1u) << "it is better";
  EXPECT_EQ(simple_instead(simple, {std::log(0.2), 0.5}), 1u) << "it is as good";
  EXPECT_FALSE(simple_instead(std::vector{broken("ridge")}, {0, 9}));
  EXPECT_FALSE(simple_instead({}, {0, 9}));
}

TEST(Sweep, outputs_without_ends_are_judged_by_inputs_alone) {
  ModelScore seed = seed_of({0.1, 0.2, 0.3, 0.5, 0.5});
  seed.shells[3].failure = seed.shells[4].failure = "too few rows";
  for (size_t s : {3u, 4u}) seed.shells[s].out = seed.shells[s].in = std::nan("");
  ModelScore judged{.shells = seed.shells};
  summarize(judged);
  const SweepScore score = sweep_score("a", {judged}, Beyond::both);
  EXPECT_EQ(score.failure, "");
  EXPECT_NEAR(score.out.mean, 0.2, tolerance);
  EXPECT_TRUE(std::isnan(score.beyond.mean));
  EXPECT_FALSE(std::isnan(score.score.mean));
}

}  // namespace
}  // namespace kedge
