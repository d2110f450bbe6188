#pragma once

// Simulation and Controller: a world that can be acted in, and who acts in it. Both are small interfaces that
// a user may implement: examples/imitation.cpp has a simulation of its own.
//
// Law of both: what an episode gives depends on its goal only, not on the episodes before it. So episodes can
// be run side by side, each thread with a simulation and a controller of its own.

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "kedge/demonstrations/demonstrations.h"

namespace kedge {

/// Used by one thread at a time. May throw Error from any member; `reset` is then to work again.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Begins an episode with this goal.
  virtual void reset(std::span<const double> goal) = 0;
  /// Writes the present observation.
  virtual void observe(std::span<double> observation) const = 0;
  /// Goes one time step on with this action.
  virtual void act(std::span<const double> action) = 0;
  /// How far the present state is from the goal.
  virtual double error() const = 0;
  /// Whether the thing to be moved is held; nothing where nothing is to be held.
  virtual std::optional<bool> is_held() const { return {}; }
};

/// Used by one thread at a time.
class Controller {
 public:
  virtual ~Controller() = default;

  /// Begins an episode with this goal.
  virtual void begin(std::span<const double> goal) = 0;
  /// Writes the action for this observation. Called once for each time step, in order.
  virtual void act(std::span<const double> observation, std::span<double> action) = 0;
};

/// Acts in several episodes that go in step, so that one pass of a network can answer for all of them. Law:
/// an episode's actions do not depend on the episodes beside it. Used by one thread at a time.
class BatchController {
 public:
  virtual ~BatchController() = default;

  /// Begins an episode with each goal, a row each.
  virtual void begin(MatrixView<const double> goals) = 0;
  /// Writes the actions of those episodes that go on, a row for each of `episodes`, which number the goals.
  /// Called once for each time step, in order.
  virtual void act(std::span<const size_t> episodes, MatrixView<const double> observations,
                   MatrixView<double> actions) = 0;
};

using SimulationMaker = std::function<std::unique_ptr<Simulation>()>;
using ControllerMaker = std::function<std::unique_ptr<Controller>()>;
/// `most` is how many episodes it will act in at a time.
using BatchControllerMaker = std::function<std::unique_ptr<BatchController>(size_t most)>;

/// What rollouts need to know of a simulation.
struct SimulationSpec {
  EpisodeColumns columns;
  size_t steps = 0;  ///< of an episode
  SimulationMaker make;
};

}  // namespace kedge
