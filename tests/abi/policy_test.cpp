#include <gtest/gtest.h>

#include "kedge/core/json.h"
#include "tests/abi/handles.h"

namespace kedge {
namespace {

const char* const columns = R"({"observations": ["place", "goal"], "actions": ["push"], "goals": ["goal"]})";
const char* const settings =
    R"({"layers": 2, "width": 8, "embedding": 4, "fourier": "off", "steps": 60, "replicas": 1,
        "calibration": "none"})";

/// Episodes that go to their goal in three steps.
HeldDemonstrations demonstrations() {
  kedge_demonstrations* made = nullptr;
  EXPECT_EQ(kedge_demonstrations_new(columns, "shown", &made), KEDGE_OK) << kedge_error();
  for (int episode = 0; episode < 12; ++episode) {
    const double goal = 1 + 0.1 * episode;
    const std::vector<double> seen = {0, goal, goal / 2, goal, goal, goal}, done = {goal / 2, goal / 2, 0};
    EXPECT_EQ(kedge_demonstrations_add(made, seen.data(), done.data(), 3), KEDGE_OK) << kedge_error();
  }
  return HeldDemonstrations(made);
}

HeldPolicy policy_of(const kedge_demonstrations* shown) {
  kedge_policy* policy = nullptr;
  EXPECT_EQ(kedge_imitate(shown, settings, nullptr, &policy, nullptr), KEDGE_OK) << kedge_error();
  return HeldPolicy(policy);
}

std::vector<double> actions_of(const kedge_policy* policy, double goal) {
  kedge_controller* made = nullptr;
  EXPECT_EQ(kedge_controller_new(policy, &made), KEDGE_OK);
  const HeldController controller(made);
  EXPECT_EQ(kedge_controller_begin(made, &goal), KEDGE_OK) << kedge_error();
  std::vector<double> actions(3);
  double place = 0;
  for (double& action : actions) {
    const double seen[] = {place, goal};
    EXPECT_EQ(kedge_controller_act(made, seen, &action), KEDGE_OK) << kedge_error();
    place += action;
  }
  return actions;
}

TEST(AbiPolicy, acts_the_same_after_a_file) {
  const HeldDemonstrations shown = demonstrations();
  EXPECT_EQ(kedge_demonstrations_size(shown.get()), 12u);
  const HeldPolicy policy = policy_of(shown.get());
  kedge_text* bytes = nullptr;
  ASSERT_EQ(kedge_policy_to_bytes(policy.get(), &bytes), KEDGE_OK);
  const std::string file = bytes_of(bytes);
  kedge_policy* again = nullptr;
  ASSERT_EQ(kedge_policy_from_bytes(file.data(), file.size(), "memory", &again), KEDGE_OK);
  const HeldPolicy loaded(again);
  EXPECT_EQ(actions_of(policy.get(), 2.5), actions_of(again, 2.5));
  kedge_predictor* predictor = nullptr;
  EXPECT_EQ(kedge_predictor_from_bytes(file.data(), file.size(), "memory", &predictor), KEDGE_DAMAGED);
}

TEST(AbiPolicy, says_what_it_is_and_judges_goals) {
  const HeldPolicy policy = policy_of(demonstrations().get());
  kedge_text* text = nullptr;
  ASSERT_EQ(kedge_policy_info(policy.get(), &text), KEDGE_OK);
  const Json info = Json::parse(bytes_of(text));
  EXPECT_EQ(info.at("goals").dump(), R"(["goal"])");
  EXPECT_EQ(info.at("episode_steps").as_number("steps"), 3);
  const std::vector<double> goals = {1.5, 100};
  ASSERT_EQ(kedge_policy_judge(policy.get(), goals.data(), 2, &text), KEDGE_OK);
  const Json answers = Json::parse(bytes_of(text));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers.as_list("answers")[0].at("verdict").as_string("verdict"), "interpolation");
  EXPECT_EQ(answers.as_list("answers")[1].at("verdict").as_string("verdict"), "unreachable");
}

TEST(AbiPolicy, faults_are_one_line) {
  kedge_demonstrations* made = nullptr;
  EXPECT_EQ(kedge_demonstrations_new(R"({"observations": ["a"], "actions": ["b"]})", "shown", &made),
            KEDGE_INVALID);
  EXPECT_EQ(kedge_demonstrations_new(R"({"observations": ["a"], "actions": ["b"], "goals": ["c"]})", "shown",
                                     &made),
            KEDGE_INVALID);
  EXPECT_EQ(kedge_demonstrations_read("no such file.hdf5", nullptr, &made), KEDGE_DAMAGED);
  EXPECT_EQ(made, nullptr);
  const HeldDemonstrations shown = demonstrations();
  const double moving[] = {0, 1, 0, 2}, done[] = {0, 0};
  EXPECT_EQ(kedge_demonstrations_add(shown.get(), moving, done, 2), KEDGE_INVALID);
  EXPECT_NE(std::string(kedge_error()).find("goal"), std::string::npos) << kedge_error();
  kedge_policy* policy = nullptr;
  EXPECT_EQ(kedge_imitate(shown.get(), R"({"model": "bilinar"})", nullptr, &policy, nullptr), KEDGE_INVALID);
  const HeldPolicy good = policy_of(shown.get());
  kedge_controller* controller = nullptr;
  ASSERT_EQ(kedge_controller_new(good.get(), &controller), KEDGE_OK);
  const HeldController held(controller);
  EXPECT_EQ(kedge_controller_begin(controller, nullptr), KEDGE_INVALID);
  const double seen[] = {0, 1};
  double action = 0;
  EXPECT_EQ(kedge_controller_act(controller, seen, &action), KEDGE_INVALID);
  EXPECT_NE(std::string(kedge_error()).find("an episode needs a goal first"), std::string::npos);
  EXPECT_EQ(kedge_demonstrations_add(shown.get(), moving, done, size_t{1} << 62), KEDGE_NO_MEMORY);
}

}  // namespace
}  // namespace kedge
