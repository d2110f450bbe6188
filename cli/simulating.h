#pragma once

// Simulating: goals, experts and rollouts, as the commands `collect`, `rollout` and `expert` share them.

#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/rollout.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {

/// How episodes ended. Those that broke down are counted and left out of the numbers, which are NaN where
/// none is left.
struct ErrorSummary {
  size_t episodes = 0, broken = 0;
  double mean = 0, deviation = 0, median = 0;
  std::optional<double> held = {};  ///< share of all episodes; nothing where nothing is to be held
};

ErrorSummary summary_of(const Rollouts& rollouts);
/// The same of some of the episodes.
ErrorSummary summary_of(const Rollouts& rollouts, const std::vector<size_t>& episodes);

/// "0.0118 ± 0.0014", and how many episodes broke down.
std::string error_text(const ErrorSummary& summary);
/// "94 %", or nothing.
std::string held_text(const ErrorSummary& summary);
Json to_json(const ErrorSummary& summary);

/// The domain's experts, or those with the parameters in `file` unless it is empty. Throws Error when the
/// domain's expert is scripted and has none.
std::vector<Expert> experts_of(const SimulatedDomain& domain, const std::string& file);
/// The first when `name` is empty. Throws Error naming those there are.
const Expert& find_expert(const std::vector<Expert>& experts, const std::string& name);

/// Goals of a CSV file that has the simulation's goal columns by name. Throws Error naming line and column.
Matrix<double> read_goals(const std::string& path, const SimulationSpec& simulation, const std::string& verb);

/// The first `count` rows, all when it is not given. Throws Error when there are fewer; `source` is what it
/// calls the goals.
Matrix<double> first_goals(Matrix<double> goals, std::optional<size_t> count, const std::string& source);

/// Runs of many episodes with one progress bar; a signal ends them with an Error of the command.
class WatchedRollouts {
 public:
  WatchedRollouts(std::string command, size_t episodes, bool quiet, int threads);

  Rollouts run(const SimulationSpec& simulation, const ControllerMaker& controller,
               MatrixView<const double> goals);
  /// Wipes the bar.
  void finish() { bar_.clear(); }

 private:
  std::string command_;
  Interrupt interrupt_;
  ProgressBar bar_;
  size_t done_ = 0, episodes_;
  int threads_;
};

}  // namespace kedge
