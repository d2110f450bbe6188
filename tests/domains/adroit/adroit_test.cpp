#include "kedge/domains/adroit/adroit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/adroit/grasp_search.h"
#include "kedge/domains/physics/physics.h"

namespace kedge {
namespace {

constexpr size_t ball_x = 30, palm_x = 33, target_x = 36;

std::string file_of_domain(const std::string& name) {
  return read_file(KEDGE_SOURCE_DIR "/kedge/domains/adroit/" + name, "test");
}

class Idle : public Controller {
 public:
  void begin(std::span<const double>) override {}
  void act(std::span<const double>, std::span<double> action) override { std::ranges::fill(action, 0.0); }
};

Matrix<double> first_rows(const Matrix<double>& matrix, size_t rows) {
  Matrix<double> result(rows, matrix.cols());
  std::copy_n(matrix.data(), rows * matrix.cols(), result.data());
  return result;
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/// The message of the Error, which is to be one line; empty without one.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Adroit, the_model_has_the_sizes_and_places_of_the_published_one) {
  Physics physics(file_of_domain("adroit.xml"), "adroit");
  EXPECT_EQ(physics.positions().size(), 36u);  // 30 of arm and hand, six of the ball
  EXPECT_EQ(physics.velocities().size(), 36u);
  ASSERT_EQ(physics.actuators(), adroit_joints);
  for (size_t j = 0; j < adroit_joints; ++j) EXPECT_EQ(physics.joint_position(adroit_joint_names[j]), j);
  EXPECT_EQ(physics.control_range(0)[1], 0.25);
  EXPECT_EQ(physics.control_range(29)[0], -1.571);
  // The palm's site by hand: 0.5 along the forearm, 0.05 below it, 0.007 to its side.
  const std::span<const double> palm = physics.site_place("S_grasp");
  EXPECT_NEAR(palm[0], -0.007, 1e-3);
  EXPECT_NEAR(palm[1], -0.2, 1e-3);
  EXPECT_NEAR(palm[2], 0.15, 1e-3);
}

TEST(Adroit, columns_are_joints_ball_palm_and_target) {
  const SimulationSpec spec = adroit_simulation();
  EXPECT_EQ(spec.columns.observations.size(), 39u);
  EXPECT_EQ(spec.columns.actions.size(), 30u);
  EXPECT_EQ(spec.steps, 200u);
  EXPECT_EQ(spec.columns.observations[ball_x], "object_x");
  EXPECT_EQ(spec.columns.observations[palm_x], "palm_x");
  const auto simulation = spec.make();
  simulation->reset(std::array{0.1, 0.2, 0.3});
  std::array<double, 39> seen{};
  simulation->observe(seen);
  for (size_t j = 0; j < adroit_joints; ++j) EXPECT_EQ(seen[j], 0) << j;
  EXPECT_EQ(seen[ball_x], 0);
  EXPECT_EQ(seen[ball_x + 2], 0.035);
  EXPECT_EQ(seen[target_x + 1], 0.2);
  EXPECT_NEAR(simulation->error(), std::hypot(0.1, 0.2, 0.265), 1e-12);
}

TEST(Adroit, an_action_is_the_range_of_the_drive_and_is_clipped) {
  const auto simulation = adroit_simulation().make();
  const auto seen_after = [&](double action) {
    simulation->reset(std::array{0.1, 0.2, 0.3});
    std::array<double, 30> actions{};
    actions[0] = action;  // ARTx, from -0.25 to 0.25
    for (int t = 0; t < 30; ++t) simulation->act(actions);
    std::array<double, 39> seen{};
    simulation->observe(seen);
    return seen;
  };
  EXPECT_GT(seen_after(0.2)[0], 0.02);
  EXPECT_LT(seen_after(-0.2)[0], -0.02);
  EXPECT_EQ(seen_after(1), seen_after(7));
}

TEST(Adroit, the_hand_rests_and_holds_nothing_when_nothing_is_done) {
  const Matrix<double> goal(1, 3, {0.1, 0.1, 0.2});
  const Rollouts idle = roll_out(
      adroit_simulation(), [] { return std::make_unique<Idle>(); }, goal);
  const Episode& episode = idle.episodes[0];
  // The slides still swing, with a decay of half a second.
  for (size_t j = 0; j < 39; ++j)
    EXPECT_NEAR(episode.observations(199, j), episode.observations(190, j), 5e-3)
        << idle.episodes.columns().observations[j];
  EXPECT_NEAR(episode.observations(199, ball_x + 2), 0.035, 1e-3);
  EXPECT_NEAR(idle.errors[0], std::hypot(0.1, 0.1, 0.165), 2e-3);
  EXPECT_EQ(idle.held[0], false);
}

TEST(Adroit, the_expert_carries_the_ball_to_the_published_targets) {
  const SimulatedDomain domain = adroit_domain();
  for (const Split split : {Split::in, Split::oos}) {
    const Matrix<double> goals = domain.published_goals(split);
    ASSERT_EQ(goals.rows(), 50u);
    const Rollouts shown = roll_out(domain.simulation, domain.experts[0].make, first_rows(goals, 10));
    // Over all 50: 0.0028 in support, where the arm's slide ends short of the farthest targets, and 0.0013.
    EXPECT_NEAR(mean(shown.errors), split == Split::oos ? 0.0013 : 0.0028, 0.001);
    EXPECT_LT(std::ranges::max(shown.errors), 0.02);
    EXPECT_EQ(shown.held_share(), 1.0);
  }
}

TEST(Adroit, the_expert_acts_within_its_drives_and_without_jumps) {
  const SimulatedDomain domain = adroit_domain();
  const Matrix<double> goals(2, 3, {0.3, 0.3, 0.35, -0.3, -0.3, 0.35});
  const Rollouts shown = roll_out(domain.simulation, domain.experts[0].make, goals);
  for (const Episode& episode : shown.episodes.episodes())
    for (size_t j = 0; j < adroit_joints; ++j)
      for (size_t t = 0; t < episode.steps(); ++t) {
        // The arm is never at the end of a drive, where a control that was clipped would be.
        EXPECT_LT(std::abs(episode.actions(t, j)), j < adroit_arm_joints ? 1.0 : 1.0 + 1e-12) << j;
        if (t > 0) {
          EXPECT_LT(std::abs(episode.actions(t, j) - episode.actions(t - 1, j)), 0.2) << j << " at " << t;
        }
      }
}

TEST(Adroit, a_plan_brings_the_ball_where_its_arm_says) {
  // Forward kinematics by MuJoCo: with the ball's place at the palm's site, the palm is at the target.
  CarryPlan plan = CarryPlan::parse(file_of_domain("expert.json"));
  plan.ball = {0.007, -0.05, 0.5};
  Physics physics(file_of_domain("adroit.xml"), "adroit");
  for (const std::array<double, 3>& target : {std::array{0.2, 0.1, 0.3}, std::array{-0.25, -0.2, 0.16}}) {
    std::ranges::copy(plan.arm_at(target), physics.positions().begin());
    physics.forward();
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(physics.site_place("S_grasp")[i], target[i], 2e-3) << i;
  }
}

TEST(Adroit, a_damaged_expert_is_an_error_of_one_line) {
  const std::string good = file_of_domain("expert.json");
  EXPECT_NO_THROW(adroit_expert(good));
  for (const std::string& damaged :
       {std::string(), std::string("{}"), std::string("[1, 2]"), good.substr(0, good.size() / 2)}) {
    EXPECT_NE(error_of([&] { adroit_expert(damaged); }).find("an expert of adroit needs"), std::string::npos);
  }
  Json short_of_one = Json::parse(good);
  short_of_one["ball"] = Json::array({0.1, 0.2});
  EXPECT_NE(error_of([&] { adroit_expert(short_of_one.dump()); }).find("a list of 3 numbers"),
            std::string::npos);
  Json wordy = Json::parse(good);
  wordy["grasp"] = "firm";
  EXPECT_NE(error_of([&] { adroit_expert(wordy.dump()); }).find("grasp"), std::string::npos);
}

TEST(GraspSearch, finds_the_same_plan_with_one_thread_and_with_two) {
  GraspSearch options{.population = 3, .generations = 1, .rounds = 1};
  options.search.seed = 5;
  options.search.threads = 1;
  size_t done = 0, total = 0;
  options.search.progress = [&](size_t d, size_t t) {
    EXPECT_EQ(d, ++done);
    total = t;
    return true;
  };
  const std::string one = search_adroit_expert(options);
  EXPECT_EQ(done, total);
  options.search.progress = {};
  options.search.threads = 2;
  EXPECT_EQ(search_adroit_expert(options), one);
  EXPECT_NO_THROW(adroit_expert(one));
}

TEST(GraspSearch, needs_two_plans_to_compare) {
  EXPECT_NE(error_of([] { search_grasp({.population = 1}); }).find("population"), std::string::npos);
  EXPECT_NE(error_of([] { search_grasp({.generations = 0}); }).find("found 48 and 0"), std::string::npos);
}

TEST(GraspSearch, ends_when_progress_says_so) {
  GraspSearch options{.population = 4, .generations = 2};
  size_t calls = 0;
  options.search.progress = [&](size_t, size_t) { return ++calls < 2; };
  EXPECT_NE(error_of([&] { search_grasp(options); }).find("stopped"), std::string::npos);
  EXPECT_EQ(calls, 2u);
}

}  // namespace
}  // namespace kedge
