#pragma once

// A simulation small enough to be understood at once: a point on a line that an action moves, and must be at
// its goal after the last step. The expert's share of the way depends on the time step, which no observation
// tells.

#include <cmath>
#include <memory>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/imitation/imitate.h"

namespace kedge {

class PointMass : public Simulation {
 public:
  static constexpr size_t steps = 5;

  void reset(std::span<const double> goal) override {
    place_ = 0;
    goal_ = goal[0];
  }
  void observe(std::span<double> observation) const override {
    observation[0] = place_;
    observation[1] = goal_;
  }
  void act(std::span<const double> action) override { place_ += action[0]; }
  double error() const override { return std::abs(place_ - goal_); }

 private:
  double place_ = 0, goal_ = 0;
};

/// Of the way to the goal, taken at each step; they add up to 1.
inline constexpr double shares[PointMass::steps] = {0.1, 0.5, -0.2, 0.4, 0.2};

class PointExpert : public Controller {
 public:
  void begin(std::span<const double> goal) override {
    goal_ = goal[0];
    step_ = 0;
  }
  void act(std::span<const double>, std::span<double> action) override {
    action[0] = shares[step_++] * goal_;
  }

 private:
  double goal_ = 0;
  size_t step_ = 0;
};

inline SimulationSpec point_mass() {
  return {.columns = {.observations = {"place", "goal"}, .actions = {"push"}, .goals = {"goal"}},
          .steps = PointMass::steps,
          .make = [] { return std::make_unique<PointMass>(); }};
}

inline Matrix<double> goals_between(double low, double high, size_t count, uint64_t seed = 1) {
  Rng rng(seed, Stream::goals);
  Matrix<double> goals(count, 1);
  for (size_t g = 0; g < count; ++g) goals(g, 0) = rng.uniform(low, high);
  return goals;
}

/// What the expert shows for goals from 1 to 2.
inline Demonstrations point_demonstrations(size_t count = 40) {
  return roll_out(point_mass(), [] { return std::make_unique<PointExpert>(); }, goals_between(1, 2, count),
                  {.threads = 1})
      .episodes;
}

/// Options of a training that takes a fraction of a second.
inline PolicyOptions quick_policy(const std::string& model, uint64_t steps = 300) {
  PolicyOptions options = policy_options("default", model);
  options.fit.architecture.width = 16;
  options.fit.architecture.embedding = 8;
  options.fit.training.steps = steps;
  return options;
}

inline Policy quick_imitation(const Demonstrations& demonstrations, const PolicyOptions& options) {
  return imitate({demonstrations, options}, {.threads = 1}).policy;
}

/// Episodes of one observation, its goal, and one action that is a function of goal and step.
template <class Law>
Demonstrations demonstrations_of(const Matrix<double>& goals, size_t steps, const Law& law) {
  Demonstrations demonstrations({.observations = {"goal"}, .actions = {"push"}, .goals = {"goal"}}, "law");
  for (size_t e = 0; e < goals.rows(); ++e) {
    Episode episode{Matrix<double>(steps, 1), Matrix<double>(steps, 1)};
    for (size_t t = 0; t < steps; ++t) {
      episode.observations(t, 0) = goals(e, 0);
      episode.actions(t, 0) = law(goals(e, 0), t);
    }
    demonstrations.add(std::move(episode));
  }
  return demonstrations;
}

/// The largest difference between the policy's actions and those of the episodes.
inline double worst_action(const Policy& policy, const Demonstrations& demonstrations) {
  double worst = 0;
  for (const Episode& episode : demonstrations.episodes()) {
    const Matrix<double> actions = policy.actions(episode);
    for (size_t i = 0; i < actions.values().size(); ++i)
      worst = std::max(worst, std::abs(actions.values()[i] - episode.actions.values()[i]));
  }
  return worst;
}

}  // namespace kedge
