#pragma once

// The domain `push`: a hand takes hold of a puck and shoves it over a table to a place. Places to the right
// are demonstrated, places to the left are out of support.
//
// No error is below 0.01: goals lie that much below the middle of a puck on the table.

#include "kedge/domains/simulated_domain.h"

namespace kedge {

SimulatedDomain push_domain();

}  // namespace kedge
