#include <cmath>

#include "kedge/domains/laws/laws.h"

namespace kedge {
namespace {

constexpr double time_step = 0.01;  // s

/// Place and velocity in a vertical plane; also their rates of change.
struct State {
  double x, y, vx, vy;
};

State along(const State& s, double t, const State& rate) {
  return {s.x + t * rate.x, s.y + t * rate.y, s.vx + t * rate.vx, s.vy + t * rate.vy};
}

State rate_of(const State& s, double drag) {
  const double slowing = drag * std::hypot(s.vx, s.vy);
  return {s.vx, s.vy, -slowing * s.vx, -gravity - slowing * s.vy};
}

/// One step of the classical method of Runge and Kutta.
State step(const State& s, double t, double drag) {
  const State a = rate_of(s, drag), b = rate_of(along(s, t / 2, a), drag),
              c = rate_of(along(s, t / 2, b), drag), d = rate_of(along(s, t, c), drag);
  const auto mean = [](double a1, double b1, double c1, double d1) {
    return (a1 + 2 * b1 + 2 * c1 + d1) / 6;
  };
  return along(s, t,
               {mean(a.x, b.x, c.x, d.x), mean(a.y, b.y, c.y, d.y), mean(a.vx, b.vx, c.vx, d.vx),
                mean(a.vy, b.vy, c.vy, d.vy)});
}

/// The part of a step after which `value` of the state is 0: it is positive before the step and not after.
template <class Value>
double crossing(const State& s, double drag, Value value) {
  double before = 0, after = time_step;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = (before + after) / 2;
    (value(step(s, middle, drag)) > 0 ? before : after) = middle;
  }
  return after;
}

}  // namespace

Flight fly(double speed, double elevation, double drag) {
  State s{0, 0, speed * std::cos(elevation), speed * std::sin(elevation)};
  Flight flight{0, 0, 0};
  const auto height = [](const State& state) { return state.y; };
  const auto climb = [](const State& state) { return state.vy; };
  for (;;) {
    const State next = step(s, time_step, drag);
    if (s.vy > 0 && next.vy <= 0) flight.apex = step(s, crossing(s, drag, climb), drag).y;
    if (next.vy <= 0 && next.y <= 0) break;
    s = next;
    flight.time += time_step;
  }
  const double rest = crossing(s, drag, height);
  flight.range = step(s, rest, drag).x;
  flight.time += rest;
  return flight;
}

}  // namespace kedge
