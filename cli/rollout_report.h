#pragma once

// What 'kedge rollout' shows: tables for a terminal, every episode as JSON or CSV, and a page with pictures.

#include <optional>
#include <string>
#include <vector>

#include "cli/simulating.h"
#include "kedge/imitation/policy.h"
#include "kedge/report/page.h"
#include "kedge/report/tables.h"

namespace kedge {

/// Episodes of one set of goals.
struct RolloutSet {
  std::string name;  ///< "train", "oos" or a file
  Matrix<double> goals;
  std::vector<GoalAnswer> answers;  ///< what was known of each goal before
  Rollouts policy;
  std::optional<Rollouts> expert = {};  ///< on the same goals
};

struct RolloutReport {
  const SimulatedDomain& domain;
  const Policy& policy;
  std::string policy_file, expert;  ///< expert: its name; empty without one
  std::vector<RolloutSet> sets;
};

/// How each set of goals went, the expert beside.
TextTable set_table(const RolloutReport& report);

/// The same by what was known of the goals before; verdicts that no goal has are left out.
TextTable verdict_table(const RolloutReport& report);

/// One row per episode; NaN where there is nothing to say.
Table episode_table(const RolloutReport& report);

Json to_json(const RolloutReport& report);

/// The tables, paths from the top and from the side, and the error over the goals; where a goal is one
/// number, the actions over time.
Page rollout_page(const RolloutReport& report, const std::string& command);

}  // namespace kedge
