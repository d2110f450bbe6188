#pragma once

// Adroit: a hand with 24 joints on an arm with six takes a ball off a table and carries it to a target.
//
// An action has one number for each joint, clipped to [-1, 1], which stands for the range of the joint's
// drive. An observation has the 30 joint positions, then the places of ball, palm and target in the world.
// An episode has 200 steps of 0.01 s and begins with the arm stretched out and the ball at rest at the
// origin. The error is the distance of the ball from the target.
//
// The ball is held when it touches the hand and nothing else, and its centre is higher than 0.06. It lies on
// the table at 0.035, so 0.06 is 25 mm of lift, more than a ball that rolls or is squeezed shows, and less
// than half way to the lowest target at 0.15.

#include <string_view>

#include "kedge/domains/simulated_domain.h"

namespace kedge {

SimulationSpec adroit_simulation();

/// Acts by a plan in JSON text, as SimulatedDomain::search_expert gives it. Throws Error on other text.
Expert adroit_expert(std::string_view plan);

/// Fresh targets: in support x and y are from 0 to 0.3, out of it from -0.3 to 0; z is from 0.15 to 0.35.
Matrix<double> adroit_targets(Split split, size_t count, uint64_t seed);

SimulatedDomain adroit_domain();

}  // namespace kedge
