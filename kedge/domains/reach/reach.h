#pragma once

// The domain `reach`: a hand goes to a place in the air. Places to the right are demonstrated, places to the
// left are out of support.

#include "kedge/domains/simulated_domain.h"

namespace kedge {

SimulatedDomain reach_domain();

}  // namespace kedge
