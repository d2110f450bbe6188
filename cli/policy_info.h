#pragma once

// What 'kedge info' says of a policy.

#include <string>

#include "kedge/core/json.h"
#include "kedge/imitation/policy.h"

namespace kedge {

/// The file as users named it, and its size.
struct PolicyFile {
  std::string name;
  size_t bytes = 0;
};

/// The thresholds of verdicts on one line; `things` is what there were too few of where they are unknown.
std::string thresholds_text(const Thresholds& thresholds, const std::string& things);

/// "300 of 60000 (stopped)"; empty when all steps were trained.
std::string stopped_text(const Predictor& predictor);

std::string policy_text(const Policy& policy, const PolicyFile& file);
std::string policy_json(const Policy& policy, const PolicyFile& file);

}  // namespace kedge
