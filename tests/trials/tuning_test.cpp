#include "kedge/trials/tuning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

/// A rehearsal with 100 rows of a shell, outputs 1 to 2, and 100 inside, 0 to 1; fitted outputs are 0 to 1.
/// `answer` says what is answered for a true output.
template <class Answer>
Rehearsal rehearsal(const Answer& answer) {
  Rehearsal r;
  const size_t rows = 200;
  r.truth = Matrix<double>(rows, 1);
  r.predictions.y = Matrix<double>(rows, 1);
  for (size_t i = 0; i < rows; ++i) {
    r.outside.push_back(i < rows / 2);
    r.truth(i, 0) = (i < rows / 2 ? 1 : 0) + static_cast<double>(i % 100) / 100;
    r.predictions.y(i, 0) = answer(r.truth(i, 0));
  }
  r.fitted_outputs = Matrix<double>(101, 1);
  for (size_t i = 0; i < 101; ++i) r.fitted_outputs(i, 0) = static_cast<double>(i) / 100;
  return r;
}

template <class Answer>
void add_rule(Rehearsal& r, const Answer& answer) {
  r.in_support.resize(r.truth.rows(), false);
  Matrix<double> y = r.truth;
  for (size_t i = 0; i < y.rows(); ++i) y(i, 0) = answer(y(i, 0));
  r.by_rule.push_back(std::move(y));
}

const std::vector<double> unit = {1};

Tuning tuned(const std::vector<TunedTrial>& trials, Beyond beyond = Beyond::both) {
  return tune(trials, FitOptions{}, {}, unit, beyond);
}

TEST(Tuning, what_is_right_is_left_alone) {
  const Rehearsal right = rehearsal([](double y) { return y; });
  const Tuning found = tuned({{Shell::around, right}, {Shell::largest, right}});
  EXPECT_TRUE(found.outward.is_none());
  EXPECT_EQ(found.share, 1);
  EXPECT_EQ(to_text(found.anchors), to_text(FitOptions{}.anchors));
  EXPECT_EQ(found.answers[1].values(), right.predictions.y.values());
}

TEST(Tuning, answers_drawn_to_the_middle_are_moved_outward_unless_inputs_alone_matter) {
  // What no stretch can mend: errors of either sign in the middle and below.
  const auto noise = [](double y) { return std::fmod(100 * y, 2) < 1 ? 0.05 : -0.05; };
  const Rehearsal noisy = rehearsal([&](double y) { return y < 0.55 ? y + noise(y) : y; });
  const Rehearsal drawn = rehearsal([&](double y) { return y < 0.55 ? y + noise(y) : 0.6 + (y - 0.6) / 2; });
  const std::vector<TunedTrial> trials = {{Shell::around, noisy}, {Shell::largest, drawn}};
  const Tuning found = tuned(trials, Beyond::outputs);
  EXPECT_GT(found.outward.high, 0);
  EXPECT_EQ(found.outward.low, 0);
  EXPECT_LT(errors_of(trials, found.answers, unit).outputs,
            0.7 * errors_of(trials, {noisy.predictions.y, drawn.predictions.y}, unit).outputs);
  EXPECT_TRUE(tuned(trials, Beyond::inputs).outward.is_none());
}

TEST(Tuning, what_would_cost_too_much_elsewhere_is_not_done) {
  // Inside all is exact: any stretch of it would be infinitely worse.
  const Rehearsal inside = rehearsal([](double y) { return y <= 1 ? y : 0.9; });
  EXPECT_TRUE(tuned({{Shell::around, inside}, {Shell::largest, inside}}).outward.is_none());
}

TEST(Tuning, takes_the_rule_that_answers_best) {
  const auto off_by = [](double e) { return [e](double y) { return y + e; }; };
  Rehearsal trial = rehearsal(off_by(0.2));
  for (size_t i = 0; i < tried_rules().size(); ++i) add_rule(trial, off_by(i == 1 ? 0.1 : 0.3));
  const Tuning found = tuned({{Shell::around, trial}}, Beyond::inputs);
  EXPECT_EQ(to_text(found.anchors), to_text(tried_rules()[1]));
  EXPECT_EQ(found.answers[0].values(), trial.by_rule[1].values());
}

TEST(Tuning, rows_in_support_may_have_a_rule_of_their_own) {
  Rehearsal trial = rehearsal([](double y) { return y <= 1 ? y + 0.3 : y + 0.1; });
  for (size_t i = 0; i < tried_rules().size(); ++i)
    add_rule(trial, [i](double y) { return y <= 1 && i == 0 ? y + 0.1 : y + 0.3; });
  for (size_t r = 0; r < trial.truth.rows(); ++r) trial.in_support[r] = trial.truth(r, 0) <= 1;
  const Tuning found = tuned({{Shell::around, trial}});
  EXPECT_EQ(to_text(found.anchors), to_text(FitOptions{}.anchors));
  ASSERT_TRUE(found.inside_anchors);
  EXPECT_EQ(to_text(*found.inside_anchors), to_text(tried_rules()[0]));
  const TrialErrors errors = errors_of(std::vector<TunedTrial>{{Shell::around, trial}}, found.answers, unit);
  EXPECT_NEAR(errors.inside, 0.1, 1e-9);
  EXPECT_NEAR(errors.inputs, 0.1, 1e-9);
}

TEST(Tuning, takes_the_share_that_held_out_rows_ask_for) {
  const auto off_by = [](double e) { return [e](double y) { return y + e; }; };
  const Rehearsal trial = rehearsal(off_by(-0.3)), base = rehearsal(off_by(0.1));
  const Tuning found = tuned({{Shell::around, trial, &base.predictions.y}});
  EXPECT_EQ(found.share, 0.25);
  EXPECT_NEAR(errors_of(std::vector<TunedTrial>{{Shell::around, trial}}, found.answers, unit).inputs, 0,
              1e-9);
  const Rehearsal worse = rehearsal(off_by(0.5));
  EXPECT_EQ(tuned({{Shell::around, worse, &base.predictions.y}}).share, 0);
}

TEST(Tuning, weighs_what_the_user_is_after) {
  const TrialErrors better_inputs{.inside = 0.4, .inputs = 0.1, .outputs = 0.4},
      better_outputs{.inside = 0.4, .inputs = 0.4, .outputs = 0.1}, inside_only{.inside = 0.1};
  EXPECT_LT(weighed(better_inputs, Beyond::inputs), weighed(better_outputs, Beyond::inputs));
  EXPECT_LT(weighed(better_outputs, Beyond::outputs), weighed(better_inputs, Beyond::outputs));
  EXPECT_LT(weighed(better_inputs, Beyond::both), weighed(better_outputs, Beyond::both));
  EXPECT_NEAR(weighed(inside_only, Beyond::both), std::log(0.1001), 1e-12)
      << "what is not told does not count";
}

}  // namespace
}  // namespace kedge
