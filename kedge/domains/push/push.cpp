#include "kedge/domains/push/push.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kedge/domains/goals.h"
#include "kedge/domains/sawyer/sawyer.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

constexpr Place hand_start = {0, 0.4, 0.08}, puck_start = {0, 0.4, 0.02};
constexpr GoalBoxes boxes = {.train_low = {0, 0.5, 0.01},
                             .train_high = {0.3, 0.7, 0.01},
                             .oos_low = {-0.3, 0.5, 0.01},
                             .oos_high = {0, 0.7, 0.01}};

// Where things stand in an observation.
constexpr size_t hand_at = 0, opening_at = 3, object_at = 4, goal_at = 7;

class Push : public Simulation {
 public:
  void reset(std::span<const double> goal) override {
    sawyer_.reset();
    std::copy_n(goal.begin(), 3, goal_.begin());
  }
  void observe(std::span<double> observation) const override {
    std::copy_n(sawyer_.hand().begin(), 3, observation.begin() + hand_at);
    observation[opening_at] = sawyer_.opening();
    std::copy_n(sawyer_.object().begin(), 3, observation.begin() + object_at);
    std::copy_n(goal_.begin(), 3, observation.begin() + goal_at);
  }
  void act(std::span<const double> action) override { sawyer_.act(action); }
  double error() const override { return distance(sawyer_.object(), goal_); }

 private:
  Sawyer sawyer_{hand_start, puck_start};
  Place goal_{};
};

class Scripted : public Controller {
 public:
  void begin(std::span<const double>) override {}
  void act(std::span<const double> seen, std::span<double> action) override {
    const std::span<const double> hand = seen.subspan(hand_at, 3), object = seen.subspan(object_at, 3);
    const Place aim = aim_of(hand, object, seen.subspan(goal_at, 3));
    for (size_t i = 0; i < 3; ++i) action[i] = 10 * (aim[i] - hand[i]);
    const bool is_around = sideways(hand, object) <= 0.02 && std::abs(hand[2] - object[2]) <= 0.10;
    action[3] = is_around ? 0.6 : 0;
  }

 private:
  static double sideways(std::span<const double> a, std::span<const double> b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  static Place aim_of(std::span<const double> hand, std::span<const double> object,
                      std::span<const double> goal) {
    const Place grip = {object[0] - 0.005, object[1], object[2]};
    if (sideways(hand, grip) > 0.02) return {grip[0], grip[1], grip[2] + 0.2};
    if (std::abs(hand[2] - grip[2]) > 0.04) return {grip[0], grip[1], grip[2] + 0.03};
    return {goal[0], goal[1], goal[2]};
  }
};

}  // namespace

SimulatedDomain push_domain() {
  return {.name = "push",
          .title = "A robot arm takes hold of a puck and shoves it to a place on a table.",
          .source = "Meta-World push-v2",
          .simulation = {.columns = {.observations = {"hand_x", "hand_y", "hand_z", "opening", "object_x",
                                                      "object_y", "object_z", "goal_x", "goal_y", "goal_z"},
                                     .actions = sawyer_actions(),
                                     .goals = {"goal_x", "goal_y", "goal_z"}},
                         .steps = 100,
                         .make = [] { return std::make_unique<Push>(); }},
          .experts = {{.name = "scripted",
                       .title = "Lowers the hand around the puck, closes the fingers and moves to the goal.",
                       .make = [] { return std::make_unique<Scripted>(); }}},
          .goals = [](Split split, size_t count, uint64_t seed) { return boxes.draw(split, count, seed); },
          .published_goals = goals_of_texts(embedded::push_goals_train_csv, embedded::push_goals_oos_csv),
          .path = {"object_x", "object_y", "object_z"}};
}

}  // namespace kedge
