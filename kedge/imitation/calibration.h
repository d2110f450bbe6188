#pragma once

// Calibration of policies: what errors of the actions to expect, learned by holding out whole demonstrations,
// those with the outermost goals first (kedge/trials/rehearsal.h). The error of a demonstration is the mean
// over its steps of the distance between its action and the policy's.

#include <span>

#include "kedge/imitation/imitate.h"

namespace kedge {

struct CalibratedPolicy {
  const ImitationRequest& request;
  Policy& policy;
};

/// Steps of the rehearsals for a request; 0 when there are too few demonstrations or none are wanted.
uint64_t calibration_steps(const ImitationRequest& request);

/// Sets the errors to expect of each policy whose options want them. Unknown where the rehearsals fail and
/// after a stop.
void calibrate(std::span<const CalibratedPolicy> policies, const RunOptions& run);

}  // namespace kedge
