#include "kedge/demonstrations/rollout.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>

#include "kedge/core/error.h"

namespace kedge {
namespace {

constexpr size_t steps = 6;
const double none = std::numeric_limits<double>::quiet_NaN();

/// A point on a line; an action moves it. Beyond 100 it has no place.
class Line : public Simulation {
 public:
  void reset(std::span<const double> goal) override {
    place_ = goal[0] < -100 ? none : 0;
    goal_ = goal[0];
  }
  void observe(std::span<double> observation) const override {
    observation[0] = place_;
    observation[1] = goal_;
  }
  void act(std::span<const double> action) override {
    place_ += action[0];
    if (place_ > 100) place_ = none;
  }
  double error() const override { return std::abs(place_ - goal_); }
  std::optional<bool> is_held() const override {
    if (goal_ == 0) return {};
    return place_ > 0;
  }

 private:
  double place_ = 0, goal_ = 0;
};

/// Goes half of what is missing; says NaN instead once it has counted to `last`.
class Halving : public Controller {
 public:
  explicit Halving(int last = 1000) : last_(last) {}
  void begin(std::span<const double>) override { count_ = 0; }
  void act(std::span<const double> seen, std::span<double> action) override {
    action[0] = count_++ < last_ ? (seen[1] - seen[0]) / 2 : none;
  }

 private:
  int last_, count_ = 0;
};

const SimulationSpec line = {
    .columns = {.observations = {"place", "goal"}, .actions = {"move"}, .goals = {"goal"}},
    .steps = steps,
    .make = [] { return std::make_unique<Line>(); }};
/// The same for several; notes how many act at a time.
class HalvingBatch : public BatchController {
 public:
  explicit HalvingBatch(std::vector<size_t>* seen = nullptr, size_t bad = 1000) : seen_(seen), bad_(bad) {}
  void begin(MatrixView<const double>) override { step_ = 0; }
  void act(std::span<const size_t> episodes, MatrixView<const double> seen,
           MatrixView<double> actions) override {
    if (seen_) seen_->push_back(episodes.size());
    for (size_t i = 0; i < episodes.size(); ++i)
      actions(i, 0) = episodes[i] == bad_ && step_ == 3 ? none : (seen(i, 1) - seen(i, 0)) / 2;
    ++step_;
  }

 private:
  std::vector<size_t>* seen_;
  size_t bad_;
  int step_ = 0;
};

const ControllerMaker halving = [] { return std::make_unique<Halving>(); };

Matrix<double> goals_of(std::vector<double> goals) {
  const size_t count = goals.size();
  return Matrix<double>(count, 1, std::move(goals));
}

template <class Call>
void expect_error(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Rollout, an_episode_holds_what_was_seen_and_then_done) {
  const Rollouts rollouts = roll_out(line, halving, goals_of({8}));
  const Episode& episode = rollouts.episodes[0];
  ASSERT_EQ(episode.steps(), steps);
  double place = 0;
  for (size_t t = 0; t < steps; ++t) {
    EXPECT_EQ(episode.observations(t, 0), place) << t;
    EXPECT_EQ(episode.observations(t, 1), 8) << t;
    EXPECT_EQ(episode.actions(t, 0), (8 - place) / 2) << t;
    place += (8 - place) / 2;
  }
  EXPECT_EQ(rollouts.errors, std::vector<double>{8 - place});
}

TEST(Rollout, the_number_of_threads_does_not_matter) {
  std::vector<double> numbers;
  for (int i = 0; i < 200; ++i) numbers.push_back(0.37 * i - 20);
  const Matrix<double> goals = goals_of(numbers);
  const Rollouts one = roll_out(line, halving, goals, {.threads = 1});
  for (int threads : {2, 5}) {
    const Rollouts several = roll_out(line, halving, goals, {.threads = threads});
    EXPECT_EQ(several.errors, one.errors);
    EXPECT_EQ(several.held, one.held);
    ASSERT_EQ(several.episodes.size(), one.episodes.size());
    for (size_t e = 0; e < one.episodes.size(); ++e) {
      EXPECT_EQ(several.episodes[e].observations, one.episodes[e].observations) << e;
      EXPECT_EQ(several.episodes[e].actions, one.episodes[e].actions) << e;
    }
  }
}

TEST(Rollout, a_simulation_that_breaks_down_has_an_infinite_error_and_repeats_its_last_finite_state) {
  const Rollouts rollouts = roll_out(line, halving, goals_of({8, 160, 4}));
  EXPECT_TRUE(std::isfinite(rollouts.errors[0]));
  EXPECT_EQ(rollouts.errors[1], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(rollouts.errors[2]));
  // 80 after one action, nothing after the second.
  const Episode& broken = rollouts.episodes[1];
  EXPECT_EQ(broken.actions(1, 0), 40);
  for (size_t t = 2; t < steps; ++t) {
    EXPECT_EQ(broken.observations(t, 0), 80) << t;
    EXPECT_EQ(broken.actions(t, 0), 0) << t;
  }
}

TEST(Rollout, a_breakdown_in_the_last_step_has_an_infinite_error_too) {
  SimulationSpec short_line = line;
  short_line.steps = 2;
  const Rollouts rollouts = roll_out(short_line, halving, goals_of({160}));
  EXPECT_EQ(rollouts.errors[0], std::numeric_limits<double>::infinity());
}

TEST(Rollout, an_action_that_is_not_finite_is_a_breakdown) {
  const ControllerMaker failing = [] { return std::make_unique<Halving>(2); };
  const Rollouts rollouts = roll_out(line, failing, goals_of({8}));
  EXPECT_EQ(rollouts.errors[0], std::numeric_limits<double>::infinity());
  for (size_t t = 2; t < steps; ++t) {
    EXPECT_EQ(rollouts.episodes[0].observations(t, 0), 6) << t;
    EXPECT_EQ(rollouts.episodes[0].actions(t, 0), 0) << t;
  }
}

TEST(Rollout, a_first_observation_that_is_not_finite_is_an_error) {
  expect_error([] { roll_out(line, halving, goals_of({8, -200})); }, "-200");
}

TEST(Rollout, goals_of_another_width_are_an_error) {
  expect_error([] { roll_out(line, halving, Matrix<double>(3, 2)); }, "goals of 1 numbers (goal); found 2");
}

TEST(Rollout, progress_counts_every_episode_once) {
  std::vector<size_t> seen;
  roll_out(line, halving, goals_of({1, 2, 3, 4}), {.threads = 2, .progress = [&](size_t done, size_t total) {
                                                     EXPECT_EQ(total, 4u);
                                                     seen.push_back(done);
                                                     return true;
                                                   }});
  EXPECT_EQ(seen, (std::vector<size_t>{1, 2, 3, 4}));
}

TEST(Rollout, progress_can_stop_it) {
  std::atomic<size_t> calls = 0;
  expect_error(
      [&] {
        roll_out(line, halving, Matrix<double>(1000, 1, 5.0),
                 {.threads = 2, .progress = [&](size_t, size_t) { return ++calls < 3; }});
      },
      "stopped");
  EXPECT_LT(calls, 10u);
}

TEST(Rollout, episodes_side_by_side_are_those_that_are_run_alone) {
  std::vector<double> goals;
  // Some of them break down: beyond 100 there is no place.
  for (int g = 0; g < 37; ++g) goals.push_back(g % 5 == 4 ? 150 + g : g);
  const Rollouts alone = roll_out(line, halving, goals_of(goals), {.threads = 1});
  const BatchControllerMaker batch = [](size_t) { return std::make_unique<HalvingBatch>(); };
  for (int threads : {1, 2, 5}) {
    const Rollouts together = roll_out(line, batch, goals_of(goals), {.threads = threads});
    EXPECT_EQ(together.errors, alone.errors);
    EXPECT_EQ(together.held, alone.held);
    for (size_t e = 0; e < goals.size(); ++e) {
      EXPECT_EQ(together.episodes[e].observations, alone.episodes[e].observations) << e;
      EXPECT_EQ(together.episodes[e].actions, alone.episodes[e].actions) << e;
    }
  }
}

TEST(Rollout, episodes_that_broke_down_are_not_acted_for) {
  std::vector<size_t> acting;
  const BatchControllerMaker batch = [&](size_t most) {
    EXPECT_EQ(most, 3u);
    return std::make_unique<HalvingBatch>(&acting, 2);
  };
  const Rollouts rollouts = roll_out(line, batch, goals_of({8, 160, 4}), {.threads = 1});
  // The second has no place after two steps, the third no action at step 3.
  EXPECT_EQ(acting, (std::vector<size_t>{3, 3, 2, 2, 1, 1}));
  EXPECT_LT(rollouts.errors[0], 1);
  EXPECT_EQ(rollouts.errors[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(rollouts.errors[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(rollouts.episodes[2].actions(3, 0), 0);
}

TEST(Rollout, a_stop_is_heard_between_the_steps_of_episodes_side_by_side) {
  size_t calls = 0;
  const BatchControllerMaker batch = [](size_t) { return std::make_unique<HalvingBatch>(); };
  expect_error(
      [&] {
        roll_out(line, batch, Matrix<double>(16, 1, 5.0),
                 {.threads = 1, .progress = [&](size_t done, size_t) {
                    EXPECT_EQ(done, 0u);
                    return ++calls < 3;
                  }});
      },
      "stopped");
}

TEST(Rollout, an_error_of_the_simulation_leaves_the_rollout) {
  struct Refusing : Line {
    void act(std::span<const double>) override { throw Error("simulate", "refuses"); }
  };
  SimulationSpec refusing = line;
  refusing.make = [] { return std::make_unique<Refusing>(); };
  expect_error([&] { roll_out(refusing, halving, goals_of({1, 2, 3}), {.threads = 2}); }, "refuses");
}

TEST(Rollout, the_held_share_counts_only_episodes_in_which_something_can_be_held) {
  EXPECT_EQ(roll_out(line, halving, goals_of({0, 8, 4, -4, -8})).held_share(), 0.5);
  EXPECT_EQ(roll_out(line, halving, goals_of({0, 0})).held_share(), std::nullopt);
}

TEST(Rollout, without_goals_there_are_no_episodes) {
  const Rollouts rollouts = roll_out(line, halving, Matrix<double>(0, 1));
  EXPECT_TRUE(rollouts.episodes.empty());
  EXPECT_TRUE(rollouts.errors.empty());
}

}  // namespace
}  // namespace kedge
