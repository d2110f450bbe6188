#include "kedge/imitation/imitate.h"

#include <gtest/gtest.h>

#include <numbers>

#include "kedge/core/error.h"
#include "kedge/core/score.h"
#include "kedge/imitation/calibration.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/trials/fit.h"
#include "tests/imitation/point_mass.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

TEST(Imitate, threads_and_policies_beside_it_do_not_change_a_policy) {
  const Demonstrations demonstrations = point_demonstrations();
  PolicyOptions options = quick_policy("bilinear", 100);
  options.fit.replicas = 3;
  options.fit.calibration = Calibration::shells;
  const ImitationRequest request{demonstrations, options};
  const std::string bytes = imitate(request, {.threads = 1}).policy.to_bytes();
  EXPECT_EQ(imitate(request, {.threads = 3}).policy.to_bytes(), bytes);
  const std::vector<ImitationRequest> several = {
      {demonstrations, quick_policy("concat", 70)}, request, {demonstrations, quick_policy("ridge-by-step")}};
  const std::vector<ImitationAttempt> attempts = imitate_all(several, {.threads = 2});
  ASSERT_TRUE(attempts[1].result);
  EXPECT_EQ(attempts[1].result->policy.to_bytes(), bytes);
}

TEST(Imitate, a_network_that_was_fitted_elsewhere_makes_the_same_policy) {
  const Demonstrations demonstrations = point_demonstrations();
  for (const char* model : {"bilinear", "mlp-time", "linear", "replay"}) {
    const ImitationRequest request{demonstrations, quick_policy(model, 60)};
    const std::optional<PolicyRows> rows = policy_rows(request);
    ASSERT_TRUE(rows);
    auto network = std::make_shared<const Predictor>(
        fit({rows->table, rows->options}, {.threads = 1}).predictor);  // with all that users' fits do
    EXPECT_EQ(policy_of(request, std::move(network)).to_bytes(),
              imitate(request, {.threads = 1}).policy.to_bytes())
        << model;
  }
  const ImitationRequest ridge{demonstrations, quick_policy("ridge-by-step")};
  EXPECT_FALSE(policy_rows(ridge));
  EXPECT_EQ(policy_of(ridge, nullptr).to_bytes(), imitate(ridge, {.threads = 1}).policy.to_bytes());
}

TEST(Imitate, acts_side_by_side_as_it_acts_alone_bit_for_bit) {
  const Demonstrations demonstrations = point_demonstrations();
  const Matrix<double> goals = goals_between(0.5, 2.5, 21, 7);
  for (const char* model : {"bilinear", "concat", "mlp", "mlp-time", "deepsets", "ridge-by-step", "replay"}) {
    const Policy policy = quick_imitation(demonstrations, quick_policy(model, 60));
    const Rollouts alone = roll_out(point_mass(), [&] { return policy.controller(); }, goals, {.threads = 1});
    const Rollouts together = roll_out(
        point_mass(), [&](size_t most) { return policy.batch_controller(most); }, goals, {.threads = 1});
    EXPECT_EQ(together.errors, alone.errors) << model;
    for (size_t e = 0; e < goals.rows(); ++e)
      EXPECT_EQ(together.episodes[e].actions, alone.episodes[e].actions) << model << " " << e;
  }
}

TEST(Imitate, one_request_that_fails_does_not_end_the_others) {
  const Demonstrations good = point_demonstrations(5), bad = point_demonstrations(1);
  const std::vector<ImitationRequest> requests = {{bad, quick_policy("replay")},
                                                  {good, quick_policy("replay")}};
  const std::vector<ImitationAttempt> attempts = imitate_all(requests, {.threads = 1});
  ASSERT_TRUE(attempts[0].error);
  EXPECT_NE(std::string(attempts[0].error->what()).find("two demonstrations"), std::string::npos);
  EXPECT_TRUE(attempts[1].result);
}

TEST(Imitate, a_policy_is_trained_on_the_device_that_is_named_or_its_lack_is_told) {
  const Demonstrations demonstrations = point_demonstrations(5);
  const RunOptions cuda{.device = Device::cuda};
  EXPECT_EQ(imitate({demonstrations, quick_policy("bilinear", 20)}).trained_on, UsedDevice{});
  EXPECT_FALSE(imitate({demonstrations, quick_policy("replay")}, cuda).trained_on) << "there is no network";
  const std::string missing = find_cuda_device().missing;
  const ImitationRequest request{demonstrations, quick_policy("bilinear", 20)};
  if (missing.empty())
    EXPECT_EQ(imitate(request, cuda).trained_on->device, Device::cuda);
  else
    EXPECT_NE(error_text([&] { imitate(request, cuda); }).find(missing), std::string::npos);
}

TEST(Imitate, epochs_count_demonstrations_and_not_rows) {
  PolicyOptions options = policy_options("released", "bilinear");
  options.fit.epochs = 1;
  ASSERT_EQ(options.fit.training.batch, 32u);
  EXPECT_EQ(training_steps(options, 1000), 31u);
  options.fit.epochs = 3;
  options.fit.training.batch = 8;
  const Demonstrations demonstrations = point_demonstrations(40);
  EXPECT_EQ(imitate({demonstrations, options}, {.threads = 1}).outcome.steps, 15u);
}

TEST(Imitate, concat_acts_from_the_same_demonstrations_as_bilinear) {
  const Demonstrations demonstrations = point_demonstrations();
  const Matrix<double> goals = goals_between(0, 3, 20, 7);
  const auto bilinear = quick_imitation(demonstrations, quick_policy("bilinear", 20)).judge(goals);
  const auto concat = quick_imitation(demonstrations, quick_policy("concat", 20)).judge(goals);
  for (size_t g = 0; g < goals.rows(); ++g) {
    ASSERT_EQ(bilinear[g].anchors.size(), 5u);
    EXPECT_EQ(bilinear[g].anchors, concat[g].anchors);
    EXPECT_EQ(bilinear[g].verdict, concat[g].verdict);
  }
}

TEST(Imitate, replay_gives_the_actions_of_the_demonstration_with_the_nearest_goal_exactly) {
  const Demonstrations demonstrations = point_demonstrations();
  const Policy policy = quick_imitation(demonstrations, quick_policy("replay"));
  const Matrix<double> shown = demonstrations.goals(), goals = goals_between(0.5, 2.5, 20, 7);
  const Rollouts rollouts =
      roll_out(point_mass(), [&] { return policy.controller(); }, goals, {.threads = 1});
  for (size_t g = 0; g < goals.rows(); ++g) {
    size_t best = 0;
    for (size_t e = 0; e < shown.rows(); ++e)
      if (std::abs(shown(e, 0) - goals(g, 0)) < std::abs(shown(best, 0) - goals(g, 0))) best = e;
    EXPECT_EQ(rollouts.episodes[g].actions, demonstrations[best].actions);
  }
}

TEST(Imitate, ridge_by_step_recovers_a_linear_law_of_each_step_and_ridge_does_not) {
  const auto law = [](double goal, size_t t) {
    return (2.0 - static_cast<double>(t)) * goal + 0.5 * static_cast<double>(t * t);
  };
  const Demonstrations shown = demonstrations_of(goals_between(1, 2, 40), 4, law),
                       beyond = demonstrations_of(goals_between(-3, 5, 20, 7), 4, law);
  EXPECT_LT(worst_action(quick_imitation(shown, quick_policy("ridge-by-step")), beyond), 1e-4);
  EXPECT_GT(worst_action(quick_imitation(shown, quick_policy("ridge")), shown), 0.5);
}

TEST(Imitate, mlp_time_learns_what_depends_on_the_time_and_mlp_does_not) {
  const auto law = [](double goal, size_t t) { return t % 2 == 0 ? goal : -goal; };
  const Demonstrations shown = demonstrations_of(goals_between(1, 2, 40), 4, law);
  EXPECT_LT(worst_action(quick_imitation(shown, quick_policy("mlp-time", 3000)), shown), 0.2);
  EXPECT_GT(worst_action(quick_imitation(shown, quick_policy("mlp", 3000)), shown), 1);
}

TEST(Imitate, bilinear_reaches_goals_where_no_demonstration_went_and_replay_does_not) {
  const Demonstrations demonstrations = point_demonstrations(100);
  const Matrix<double> beyond = goals_between(0.5, 1, 30, 7);
  const auto mean_error = [&](PolicyOptions options) {
    const Policy policy = quick_imitation(demonstrations, options);
    const Rollouts rollouts =
        roll_out(point_mass(), [&] { return policy.controller(); }, beyond, {.threads = 1});
    return mean(rollouts.errors);
  };
  PolicyOptions bilinear = quick_policy("bilinear", 10000);
  bilinear.fit.architecture.width = 32;
  EXPECT_LT(mean_error(bilinear), 0.05);
  EXPECT_GT(mean_error(quick_policy("replay")), 0.15);
}

TEST(Imitate, a_stop_leaves_a_policy_that_acts) {
  const Demonstrations demonstrations = point_demonstrations();
  PolicyOptions options = quick_policy("bilinear", 100000000);
  options.fit.calibration = Calibration::shells;
  const ImitationResult result =
      imitate({demonstrations, options},
              {.progress = [](const Progress& progress) { return progress.step < 1000; }, .threads = 1});
  EXPECT_EQ(result.outcome.status, TrainStatus::stopped);
  EXPECT_LT(result.outcome.steps, 10000000u);
  EXPECT_EQ(result.policy.predictor()->trained_steps(), result.outcome.steps);
  EXPECT_FALSE(result.calibration_stopped) << "which had not begun";
  EXPECT_FALSE(result.policy.coverage().errors.is_known());
  EXPECT_TRUE(std::isfinite(worst_action(result.policy, demonstrations)));
}

TEST(Imitate, a_stop_during_the_calibration_is_told) {
  const Demonstrations demonstrations = point_demonstrations();
  for (const char* model : {"bilinear", "replay"}) {
    PolicyOptions options = quick_policy(model, 100);
    options.fit.calibration = Calibration::shells;
    const ImitationRequest request{demonstrations, options};
    size_t reports = 0;
    const ImitationResult whole =
        imitate(request, {.progress = [&](const Progress&) { return ++reports > 0; }, .threads = 1});
    ASSERT_TRUE(whole.policy.coverage().errors.is_known());
    EXPECT_FALSE(whole.calibration_stopped);
    size_t asked = 0;
    const ImitationResult stopped =
        imitate(request, {.progress = [&](const Progress&) { return ++asked < reports; }, .threads = 1});
    EXPECT_EQ(stopped.outcome.status, TrainStatus::finished);
    EXPECT_TRUE(stopped.calibration_stopped) << model;
    EXPECT_FALSE(stopped.policy.coverage().errors.is_known());
    EXPECT_EQ(asked, reports);
  }
}

TEST(Imitate, tells_the_errors_of_its_training) {
  const Demonstrations demonstrations = point_demonstrations();
  const ImitationResult good = imitate({demonstrations, quick_policy("bilinear", 1000)});
  ASSERT_TRUE(good.training_errors);
  EXPECT_FALSE(good.training_errors->is_worse_than_constant());
  EXPECT_FALSE(imitate({demonstrations, quick_policy("replay")}).training_errors);
}

TEST(Imitate, progress_counts_the_steps_that_were_foretold) {
  const Demonstrations demonstrations = point_demonstrations();
  for (const char* model : {"bilinear", "mlp-time", "linear", "replay", "ridge-by-step"})
    for (Calibration calibration : {Calibration::none, Calibration::shells}) {
      PolicyOptions options = quick_policy(model, 500);
      options.fit.calibration = calibration;
      options.fit.replicas = 2;
      const ImitationRequest request{demonstrations, options};
      Progress last{};
      imitate(request, {.progress =
                            [&](const Progress& progress) {
                              EXPECT_GE(progress.step, last.step);
                              last = progress;
                              return true;
                            },
                        .threads = 2});
      EXPECT_EQ(last.steps, imitation_steps(request)) << model;
      EXPECT_EQ(last.step, imitation_steps(request)) << model;
    }
}

TEST(Imitate, what_cannot_be_learned_is_one_line) {
  const Demonstrations good = point_demonstrations(5);
  Demonstrations uneven = point_demonstrations(2);
  uneven.add({Matrix<double>(3, 2), Matrix<double>(3, 1)});
  const auto fault = [](const Demonstrations& of, const PolicyOptions& options) {
    return error_text([&] { imitate({of, options}, {.threads = 1}); });
  };
  EXPECT_NE(fault(uneven, quick_policy("bilinear")).find("lengths from 3 to 5"), std::string::npos);
  PolicyOptions options = quick_policy("bilinear");
  options.fit.anchors.rule = AnchorRule::none;
  EXPECT_NE(fault(good, options).find("needs a rule that finds the demonstration"), std::string::npos);
  options.fit.anchors.rule = AnchorRule::given;
  EXPECT_NE(fault(good, options).find("found 'given'"), std::string::npos);
  options.fit.anchors.rule = AnchorRule::weight;
  EXPECT_NE(fault(good, options).find("no weights of pairs"), std::string::npos);
  options = quick_policy("bilinear");
  options.fit.space = "goal=angle";
  EXPECT_NE(fault(good, options).find("plain numbers"), std::string::npos);
  options = quick_policy("mlp");
  options.fit.anchors.rule = AnchorRule::none;
  EXPECT_EQ(fault(good, options), "");
  EXPECT_NE(error_text([] { policy_options("default", "nearest"); }).find("replay"), std::string::npos);
  try {
    imitate({uneven, quick_policy("bilinear")}, {.threads = 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.option(), "horizon");
  }
}

}  // namespace
}  // namespace kedge
