#pragma once

// Rollouts: a controller acts in a simulation, one episode for each goal.
//
// Law: the result depends on simulation, controller and goals only, not on the number of threads, nor on
// which episodes go side by side.

#include <functional>
#include <optional>
#include <vector>

#include "kedge/demonstrations/demonstrations.h"
#include "kedge/demonstrations/simulation.h"

namespace kedge {

struct Rollouts {
  Demonstrations episodes;                ///< what was seen and done, in the order of the goals
  std::vector<double> errors;             ///< of each at its end; infinite where the simulation broke down
  std::vector<std::optional<bool>> held;  ///< of each at its end, see Simulation::is_held

  /// Those that did not break down.
  Rollouts finished() const;

  /// The share of episodes that hold the thing at their end; nothing where nothing is to be held.
  std::optional<double> held_share() const;
};

struct RolloutOptions {
  int threads = 0;  ///< 0: every core
  /// Called as episodes end, and at the steps of those that go side by side, from one thread at a time;
  /// returning false stops.
  std::function<bool(size_t done, size_t total)> progress = {};
};

/// Throws Error when the goals have another width than the simulation's, when its first observation is not
/// finite, or the run was stopped. An episode whose numbers cease to be finite ends there: its error is
/// infinite, its observations repeat the last finite one, and its actions are zero.
Rollouts roll_out(const SimulationSpec& simulation, const ControllerMaker& controller,
                  MatrixView<const double> goals, const RolloutOptions& options = {});

/// The same with up to 16 episodes of a thread side by side, each in a simulation of its own.
Rollouts roll_out(const SimulationSpec& simulation, const BatchControllerMaker& controller,
                  MatrixView<const double> goals, const RolloutOptions& options = {});

}  // namespace kedge
