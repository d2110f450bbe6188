// Any bytes are a policy that acts, and the same after it was saved and loaded, or an Error.

#include <optional>
#include <vector>

#include "kedge/imitation/policy.h"
#include "tests/fuzz/fuzz.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

std::vector<double> first_actions(const Policy& policy) {
  const std::vector<double> goal(policy.columns().goals.size(), 0.25);
  const std::vector<double> observation(policy.columns().observations.size(), 0.5);
  std::vector<double> actions(policy.columns().actions.size());
  const std::unique_ptr<Controller> controller = policy.controller();
  controller->begin(goal);
  controller->act(observation, actions);
  return actions;
}

}  // namespace
}  // namespace kedge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace kedge;
  std::optional<Policy> policy;
  if (!reads([&] { return Policy::from_bytes(text_of(bytes, size), "input"); }, policy)) return 0;
  std::vector<double> actions;
  if (!reads([&] { return first_actions(*policy); }, actions)) return 0;
  require(same(actions, first_actions(Policy::from_bytes(policy->to_bytes(), "again"))));
  return 0;
}
