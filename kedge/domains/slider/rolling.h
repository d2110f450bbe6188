#pragma once

// The ball once it is out of reach: it rolls without slipping, and its joint's damping slows it.
//
// A rolling ball resists like 7/5 of its mass, and damping of its turning acts like a force of damping /
// radius^2 times its speed. So its speed decays exponentially.

#include <cmath>

namespace kedge::slider {

inline constexpr double step_seconds = 0.1;
inline constexpr size_t steps = 200;
inline constexpr double end = step_seconds * static_cast<double>(steps);
inline constexpr double target = -1;
inline constexpr double pusher_mass = 10, motor_gear = 10;
inline constexpr double pusher_damping = 0.5;
inline constexpr double contact =
    -0.47;  ///< place of the pusher on its rail where it touches the resting ball

// Where things stand in an observation.
inline constexpr size_t pusher_x = 0, ball_x = 2, pusher_vx = 9, ball_vx = 11;

inline double rolling_mass(double mass) { return 1.4 * mass; }
inline constexpr double rolling_drag = 0.001 / (0.02 * 0.02) + 0.001;

/// How far a ball of speed 1 still rolls in this time.
inline double roll(double mass, double seconds) {
  const double decay = rolling_mass(mass) / rolling_drag;
  return decay * -std::expm1(-seconds / decay);
}

/// The velocity with which a ball at `place` is at the target in the end.
inline double needed_velocity(double mass, double time, double place) {
  return (target - place) / roll(mass, end - time);
}

}  // namespace kedge::slider
