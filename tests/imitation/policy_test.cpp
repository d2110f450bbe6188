#include "kedge/imitation/policy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "kedge/core/json.h"
#include "kedge/core/safetensors.h"
#include "tests/core/allocations.h"
#include "tests/core/unsealed.h"
#include "tests/imitation/point_mass.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

/// Episodes of the expert that no policy has seen.
Demonstrations fresh_episodes() {
  return roll_out(point_mass(), [] { return std::make_unique<PointExpert>(); }, goals_between(0, 3, 6, 9),
                  {.threads = 1})
      .episodes;
}

TEST(Policy, step_t_of_an_episode_meets_step_t_of_its_anchor) {
  const Demonstrations fresh = fresh_episodes();
  for (const AnchorOptions& rule :
       {AnchorOptions{.rule = AnchorRule::nearest}, AnchorOptions{.rule = AnchorRule::many, .count = 3}}) {
    PolicyOptions options = quick_policy("bilinear");
    options.fit.anchors = rule;
    // With several of both, the mean of means would round in another order.
    options.fit.replicas = rule.rule == AnchorRule::many ? 1 : 2;
    const Policy policy = quick_imitation(point_demonstrations(), options);
    const std::vector<GoalAnswer> answers = policy.judge(fresh.goals());
    for (size_t e = 0; e < fresh.size(); ++e) {
      ASSERT_EQ(answers[e].anchors.size(), rule.rule == AnchorRule::many ? 3u : 1u);
      Matrix<double> expected(PointMass::steps, 1);
      for (uint32_t anchor : answers[e].anchors) {
        std::vector<uint32_t> rows;
        for (uint32_t t = 0; t < PointMass::steps; ++t)
          rows.push_back(anchor * uint32_t{PointMass::steps} + t);
        const Predictions one =
            policy.predictor()->predict(fresh[e].observations, {.anchor_rows = rows, .threads = 1});
        for (size_t t = 0; t < PointMass::steps; ++t) expected(t, 0) += one.y(t, 0);
      }
      for (size_t t = 0; t < PointMass::steps; ++t)
        expected(t, 0) /= static_cast<double>(answers[e].anchors.size());
      EXPECT_EQ(policy.actions(fresh[e]), expected);
    }
  }
}

TEST(Policy, an_action_depends_on_goal_step_and_observation_only) {
  const Policy policy = quick_imitation(point_demonstrations(), quick_policy("bilinear"));
  const Demonstrations fresh = fresh_episodes();
  const Matrix<double> alone = policy.actions(fresh[2]);
  const std::unique_ptr<Controller> controller = policy.controller();
  std::vector<double> action(1);
  for (size_t e : {size_t{0}, size_t{2}}) {
    controller->begin({&fresh[e].observations(0, 1), 1});
    for (size_t t = 0; t < PointMass::steps; ++t) {
      controller->act(fresh[e].observations.row(t), action);
      if (e == 2) {
        EXPECT_EQ(action[0], alone(t, 0));
      }
    }
  }
}

TEST(Policy, acting_allocates_nothing_after_the_first_step) {
  if (!counts_allocations()) GTEST_SKIP();
  for (const char* model : {"bilinear", "mlp", "mlp-time", "replay", "ridge-by-step"}) {
    const Policy policy = quick_imitation(point_demonstrations(), quick_policy(model, 20));
    const std::unique_ptr<Controller> controller = policy.controller();
    const std::vector<double> goal = {1.5}, observation = {0.3, 1.5};
    std::vector<double> action(1);
    controller->begin(goal);
    controller->act(observation, action);
    const size_t before = allocations();
    for (size_t t = 1; t < PointMass::steps; ++t) controller->act(observation, action);
    EXPECT_EQ(allocations() - before, 0u) << model;
  }
}

TEST(Policy, a_loaded_policy_acts_and_judges_the_same_bit_for_bit) {
  const Demonstrations fresh = fresh_episodes();
  const std::string path = (std::filesystem::temp_directory_path() / "kedge-policy-test").string();
  for (const PolicyModel& model : policy_models()) {
    PolicyOptions options = quick_policy(model.name, 50);
    options.fit.calibration = Calibration::shells;
    const Policy policy = quick_imitation(point_demonstrations(), options);
    policy.save(path);
    const Policy loaded = Policy::load(path);
    EXPECT_EQ(loaded.to_bytes(), policy.to_bytes()) << model.name;
    EXPECT_EQ(loaded.columns(), policy.columns());
    EXPECT_EQ(loaded.steps(), PointMass::steps);
    const std::vector<GoalAnswer> before = policy.judge(fresh.goals()), after = loaded.judge(fresh.goals());
    for (size_t e = 0; e < fresh.size(); ++e) {
      EXPECT_EQ(loaded.actions(fresh[e]), policy.actions(fresh[e])) << model.name;
      EXPECT_EQ(after[e].anchors, before[e].anchors);
      EXPECT_EQ(after[e].verdict, before[e].verdict);
      EXPECT_EQ(std::isnan(after[e].expected_error), std::isnan(before[e].expected_error));
      if (!std::isnan(before[e].expected_error)) {
        EXPECT_EQ(after[e].expected_error, before[e].expected_error);
      }
    }
  }
  std::filesystem::remove(path);
}

/// One line of an Error; anything else fails the test.
void expect_refused(const std::string& bytes, const std::string& said = "") {
  const std::string error = error_text([&] { Policy::from_bytes(bytes, "p.kedge"); });
  EXPECT_NE(error, "") << said;
  EXPECT_NE(error.find("p.kedge"), std::string::npos) << error;
  EXPECT_NE(error.find(said), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(PolicyFile, is_refused_in_one_line_wherever_it_was_cut) {
  const std::string whole = quick_imitation(point_demonstrations(5), quick_policy("bilinear", 5)).to_bytes();
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 300)
    expect_refused(whole.substr(0, size));
}

TEST(PolicyFile, never_does_worse_than_an_error_when_bytes_are_damaged) {
  const std::string whole = encode_safetensors(
      unsealed(quick_imitation(point_demonstrations(4), quick_policy("ridge-by-step")).to_bytes()));
  Rng rng(3, Stream::noise);
  for (int round = 0; round < 300; ++round) {
    const std::vector<char> bytes = mutated(whole, "{}[]\":,0129-e", rng);
    const std::string error = error_text([&] {
      Policy::from_bytes({bytes.data(), bytes.size()}, "p.kedge");
    });
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(PolicyFile, with_any_bit_flipped_is_refused_or_acts_the_same) {
  const Demonstrations fresh = fresh_episodes();
  const std::string whole =
      quick_imitation(point_demonstrations(3), quick_policy("ridge-by-step")).to_bytes();
  const Matrix<double> right = Policy::from_bytes(whole, "p.kedge").actions(fresh[0]);
  size_t refused = 0, harmless = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    try {
      ASSERT_EQ(Policy::from_bytes(flipped, "p.kedge").actions(fresh[0]), right) << bit;
      ++harmless;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100 * harmless);  // the name of the checksum itself, and blanks that pad the header
}

class DamagedPolicy : public testing::Test {
 protected:
  explicit DamagedPolicy(const std::string& model = "bilinear")
      : file_(unsealed(quick_imitation(point_demonstrations(5), quick_policy(model, 5)).to_bytes())) {}

  /// The head with one value replaced.
  TensorFile with_head(const std::string& key, Json value) const {
    TensorFile file = file_;
    Json head = Json::parse(file.metadata.at("head"));
    head[key] = std::move(value);
    file.metadata["head"] = head.dump();
    return file;
  }
  TensorFile with_option(const std::string& part, const std::string& key, Json value) const {
    Json options = Json::parse(file_.metadata.at("head")).at("options");
    if (part.empty())
      options[key] = std::move(value);
    else
      options[part][key] = std::move(value);
    return with_head("options", options);
  }
  static void expect_bad(const TensorFile& file, const std::string& said) {
    expect_refused(encode_safetensors(file), said);
  }

  TensorFile file_;
};

TEST_F(DamagedPolicy, says_what_is_wrong_with_the_metadata) {
  TensorFile file = file_;
  file.metadata["format"] = "kedge-model";
  expect_bad(file, "found a model of a table");
  file.metadata["format"] = "other";
  expect_bad(file, "format kedge-policy");
  file = file_;
  file.metadata["version"] = "2";
  expect_bad(file, "found version '2'");
  file = file_;
  file.metadata["head"] = "{";
  expect_bad(file, "the head is damaged");
  file.metadata.erase("head");
  expect_bad(file, "the head is damaged");
}

TEST_F(DamagedPolicy, says_what_is_wrong_with_the_head) {
  expect_bad(with_head("steps", 0), "no steps");
  expect_bad(with_head("steps", -1), "steps");
  expect_bad(with_head("steps", 4), "do not fit together");
  expect_bad(with_head("observations", std::vector<std::string>{"place", "place"}), "twice");
  expect_bad(with_head("observations", std::vector<std::string>{"place", "goal", "more"}), "fit together");
  expect_bad(with_head("actions", std::vector<std::string>{}), "action");
  expect_bad(with_head("goals", std::vector<std::string>{"target"}), "among the observations");
  expect_bad(with_head("goals", std::vector<std::string>{"goal", "place"}), "2 columns");
  expect_bad(with_head("coverage", "none"), "p.kedge");
  expect_bad(with_option("", "model", "paint"), "paint");
  expect_bad(with_option("", "model", "mlp"), "do not fit together");
  expect_bad(with_option("", "model", "mlp-time"), "do not fit together");
  expect_bad(with_option("", "model", "ridge-by-step"), "ridge");
}

TEST_F(DamagedPolicy, cannot_ask_for_more_work_than_its_size_is_worth) {
  const Json options = Json::parse(file_.metadata.at("head")).at("options");
  const auto with_fit = [&](const char* key, Json value) {
    Json changed = options;
    changed["fit"][key] = std::move(value);
    return with_head("options", changed);
  };
  expect_bad(with_fit("pool", 100'000'000), "at most 4000000 differences");
  expect_bad(with_fit("anchors", "many=1000000000"), "1 to 1000000");
  const double far = std::numeric_limits<double>::max();
  TensorFile file = file_;
  file.tensors["goals"] = make_tensor<double>({5, 1}, std::vector<double>{far, -far, 3, 4, 5});
  expect_bad(file, "squares");
}

TEST_F(DamagedPolicy, says_what_is_wrong_with_the_tensors) {
  TensorFile file = file_;
  file.tensors.erase("goals");
  expect_bad(file, "goals");
  file.tensors["goals"] =
      make_tensor<double>({5, 1}, std::vector<double>{1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN()});
  expect_bad(file, "finite");
  file.tensors["goals"] = make_tensor<double>({1, 1}, std::vector<double>{1});
  expect_bad(file, "two demonstrations");
  file.tensors["goals"] = make_tensor<double>({4, 1}, std::vector<double>{1, 2, 3, 4});
  expect_bad(file, "do not fit together");
  file.tensors["goals"] = make_tensor<float>({5, 1}, std::vector<float>{1, 2, 3, 4, 5});
  expect_bad(file, "goals");
  file = file_;
  file.tensors.erase("predictor/parameters");
  expect_bad(file, "parameters");
}

TEST_F(DamagedPolicy, a_network_that_reads_an_anchor_is_refused_without_a_rule_to_find_it) {
  const Json options = Json::parse(file_.metadata.at("head")).at("options");
  Json fit = options.at("fit");
  ASSERT_TRUE(fit.contains("anchors")) << fit.dump();
  for (const char* rule : {"none", "given"}) {
    PolicyOptions changed = policy_options_from_json(options.dump());
    changed.fit.anchors = parse_anchors(rule);
    expect_bad(with_head("options", Json::parse(to_json(changed))), "no rule finds one");
  }
}

class DamagedRidge : public DamagedPolicy {
 protected:
  DamagedRidge() : DamagedPolicy("ridge-by-step") {}
};

TEST_F(DamagedRidge, says_what_is_wrong_with_the_coefficients) {
  TensorFile file = file_;
  file.tensors["ridge"] = make_tensor<double>({3, 1}, std::vector<double>{1, 2, 3});
  expect_bad(file, "ridge and steps");
  file.tensors["ridge"] = make_tensor<double>({15, 2}, std::vector<double>(30));
  expect_bad(file, "1 columns");
  file.tensors.erase("ridge");
  expect_bad(file, "ridge");
}

TEST(PolicyFile, a_model_of_a_table_and_a_policy_are_not_taken_for_each_other) {
  const Policy policy = quick_imitation(point_demonstrations(5), quick_policy("bilinear", 5));
  expect_refused(policy.predictor()->to_bytes(), "found a model of a table");
  EXPECT_NE(error_text([&] { Predictor::from_bytes(policy.to_bytes(), "p"); }).find("found a policy"),
            std::string::npos);
}

TEST(Policy, refuses_goals_observations_and_episodes_that_do_not_fit) {
  const Policy policy = quick_imitation(point_demonstrations(5), quick_policy("bilinear", 5));
  const std::unique_ptr<Controller> controller = policy.controller();
  const std::vector<double> two = {1, 2}, one = {1}, nan = {std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> action(1), wide(2);
  const auto fault = [](const auto& act) { return error_text(act); };
  EXPECT_NE(fault([&] { controller->begin(two); }).find("goals of 1 numbers (goal); found 2"),
            std::string::npos);
  EXPECT_NE(fault([&] { controller->begin(nan); }).find("finite"), std::string::npos);
  EXPECT_NE(fault([&] { policy.judge(Matrix<double>(1, 2)); }).find("found 2"), std::string::npos);
  controller->begin(one);
  EXPECT_NE(fault([&] { controller->act(one, action); }).find("2 observations"), std::string::npos);
  EXPECT_NE(fault([&] { controller->act(two, wide); }).find("found 2 and 2"), std::string::npos);
  for (size_t t = 0; t < PointMass::steps; ++t) controller->act(two, action);
  EXPECT_NE(fault([&] { controller->act(two, action); }).find("asked for more"), std::string::npos);
  controller->begin(one);
  EXPECT_EQ(fault([&] { controller->act(two, action); }), "");
}

TEST(Policy, fits_a_simulation_of_the_same_columns_and_no_longer_episodes) {
  const Policy policy = quick_imitation(point_demonstrations(5), quick_policy("replay"));
  const auto fault = [&](const SimulationSpec& spec) {
    return error_text([&] { require_fitting(policy, spec, "crane"); });
  };
  SimulationSpec spec = point_mass();
  EXPECT_EQ(fault(spec), "");
  spec.steps = PointMass::steps + 1;
  EXPECT_NE(fault(spec).find("crane needs a policy for 6 steps"), std::string::npos);
  spec.steps = PointMass::steps - 1;
  EXPECT_EQ(fault(spec), "");
  spec.columns.actions = {"pull"};
  EXPECT_NE(fault(spec).find("actions pull; this one has push"), std::string::npos);
  spec = point_mass();
  spec.columns.observations = {"goal", "place"};
  EXPECT_NE(fault(spec).find("observations"), std::string::npos);
}

}  // namespace
}  // namespace kedge
