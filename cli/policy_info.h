#pragma once

// What 'kedge info' says of a policy.

#include <string>

#include "kedge/imitation/policy.h"

namespace kedge {

/// The file as users named it, and its size.
struct PolicyFile {
  std::string name;
  size_t bytes = 0;
};

std::string policy_text(const Policy& policy, const PolicyFile& file);
std::string policy_json(const Policy& policy, const PolicyFile& file);

}  // namespace kedge
