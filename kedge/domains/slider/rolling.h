#pragma once

// The slider's mechanics, as its experts know them: the numbers of the model, and the ball once it is out of
// reach. It rolls without slipping, and its joint's damping slows it.
//
// A rolling ball resists like its mass and its inertia / radius^2 together. Damping of its turning acts like
// a force of damping / radius^2 times its speed. So its speed decays exponentially.

#include <cmath>
#include <cstddef>

namespace kedge::slider {

inline constexpr double step_seconds = 0.1;
inline constexpr size_t steps = 200;
inline constexpr double end = step_seconds * static_cast<double>(steps);
inline constexpr double target = -1;
inline constexpr double pusher_mass = 10, motor_gear = 10;
inline constexpr double pusher_damping = 0.5;
/// Where the pusher stands on its rail when it touches the resting ball.
inline constexpr double contact = -0.47;

// Where things stand in an observation.
inline constexpr size_t pusher_x = 0, ball_x = 2, pusher_vx = 9, ball_vx = 11;

inline constexpr double ball_radius = 0.02, ball_damping = 0.001;
/// A ball sinks 0.37 mm into the simulated floor whatever its mass, and touches it at half that depth.
inline constexpr double rolling_radius = ball_radius - 0.00037 / 2;
inline double rolling_mass(double mass) {
  return mass * (1 + 0.4 * ball_radius * ball_radius / (rolling_radius * rolling_radius));
}
inline constexpr double rolling_drag = ball_damping / (rolling_radius * rolling_radius) + ball_damping;

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
