#pragma once

// What a Policy holds; shared by the sources that fit, act, save and load.

#include <memory>
#include <optional>
#include <string>

#include "kedge/imitation/policy.h"
#include "kedge/imitation/step_ridge.h"

namespace kedge {

struct Policy::State {
  PolicyOptions options;
  EpisodeColumns columns;
  size_t steps = 0;
  GoalIndex goals;
  // One of the two; the predictor's training row of episode e at step t is e * steps + t.
  std::shared_ptr<const Predictor> predictor = {};
  std::optional<StepRidge> ridge = {};
  std::string written_by = version();

  /// The rule by which an anchor is chosen for a goal.
  AnchorOptions rule() const;
};

/// The index of a policy's goals by its options.
GoalIndex::Options goal_options(const PolicyOptions& options);

}  // namespace kedge
