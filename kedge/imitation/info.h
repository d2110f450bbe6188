#pragma once

// What can be told of a policy without asking it anything, and of goals before they are tried.

#include <span>

#include "kedge/core/json.h"
#include "kedge/imitation/imitate.h"

namespace kedge {

/// Columns, options, sizes, coverage: what `kedge info --json` prints of a policy.
Json policy_json(const Policy& policy);

/// What was learned, and how it went.
Json imitation_json(const ImitationResult& result);

/// A list: anchors, analogous pair, distances, expected error and verdict of each goal.
Json to_json(std::span<const GoalAnswer> answers);

}  // namespace kedge
