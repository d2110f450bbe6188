#include "kedge/domains/reach/reach.h"

#include <algorithm>
#include <memory>

#include "kedge/domains/goals.h"
#include "kedge/domains/sawyer/sawyer.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

constexpr Place hand_start = {0, 0.6, 0.2}, puck_start = {0, 0.6, 0.02};
constexpr GoalBoxes boxes = {.train_low = {0, 0.7, 0.05},
                             .train_high = {0.4, 0.9, 0.3},
                             .oos_low = {-0.4, 0.7, 0.05},
                             .oos_high = {0, 0.9, 0.3}};

class Reach : public Simulation {
 public:
  void reset(std::span<const double> goal) override {
    sawyer_.reset();
    std::copy_n(goal.begin(), 3, goal_.begin());
  }
  void observe(std::span<double> observation) const override {
    std::copy_n(sawyer_.hand().begin(), 3, observation.begin());
    std::copy_n(goal_.begin(), 3, observation.begin() + 3);
  }
  void act(std::span<const double> action) override { sawyer_.act(action); }
  double error() const override { return distance(sawyer_.hand(), goal_); }

 private:
  Sawyer sawyer_{hand_start, puck_start};
  Place goal_{};
};

class Scripted : public Controller {
 public:
  void begin(std::span<const double>) override {}
  void act(std::span<const double> seen, std::span<double> action) override {
    for (size_t i = 0; i < 3; ++i) action[i] = 5 * (seen[3 + i] - seen[i]);
    action[3] = 0;
  }
};

}  // namespace

SimulatedDomain reach_domain() {
  return {
      .name = "reach",
      .title = "A robot arm reaches a place in the air.",
      .source = "Meta-World reach-v2",
      .simulation = {.columns = {.observations = {"hand_x", "hand_y", "hand_z", "goal_x", "goal_y", "goal_z"},
                                 .actions = sawyer_actions(),
                                 .goals = {"goal_x", "goal_y", "goal_z"}},
                     .steps = 100,
                     .make = [] { return std::make_unique<Reach>(); }},
      .experts = {{.name = "scripted",
                   .title = "Moves the hand in proportion to what is missing.",
                   .make = [] { return std::make_unique<Scripted>(); }}},
      .goals = [](Split split, size_t count, uint64_t seed) { return boxes.draw(split, count, seed); },
      .published_goals = goals_of_texts(embedded::reach_goals_train_csv, embedded::reach_goals_oos_csv),
      .path = {"hand_x", "hand_y", "hand_z"}};
}

}  // namespace kedge
