#pragma once

// The slider: a pusher on a rail strikes a ball of known mass so that it is at x = -1 when the episode ends.
//
// The floor lets the ball roll, and its joint's damping slows it: a ball of 5 kg loses its speed in 2.8 s,
// one of 130 kg in 73 s. So a light ball stops before the end, and a heavy one is still rolling. The pusher
// reaches the ball only over the last 3 cm of its rail.
//
// The environment that the paper's authors released changes the mass but not the inertia, and begins with the
// ball half in the floor and a quaternion of zero. Here the inertia goes with the mass, and the ball rests on
// the floor.

#include <array>

#include "kedge/domains/simulated_domain.h"

namespace kedge {

/// Kilograms, low and high.
inline constexpr std::array<double, 2> slider_train_mass = {60, 130}, slider_oos_mass = {5, 15};

SimulatedDomain slider_domain();

}  // namespace kedge
