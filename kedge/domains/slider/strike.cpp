#include "kedge/domains/slider/strike.h"

#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/domains/slider/rolling.h"

namespace kedge {
namespace {

constexpr double approach_rate = 3;  // 1/s; slow enough for a motor that is set every tenth of a second
constexpr double rolling = 1e-3;     // m/s; a ball faster than that was struck

/// The motor's action that gives the pusher this acceleration at this speed.
double action_for(double acceleration, double speed) {
  return (slider::pusher_mass * acceleration + slider::pusher_damping * speed) / slider::motor_gear;
}

/// The acceleration that brings a critically damped body to rest at `place`.
double hold(double rate, double place, double x, double v) {
  return rate * rate * (place - x) - 2 * rate * v;
}

}  // namespace

const std::vector<StrikeKind>& strike_kinds() {
  using N = StrikeNumbers;
  static const StrikeDial time{"strike_time", &N::strike_time, 2.4, 0.5, 1.2, 5};
  static const StrikeDial at_zero{"speed_at_zero", &N::speed_at_zero, 0.2, 0.1, 0, 1};
  static const StrikeDial per_kg{"speed_per_kg", &N::speed_per_kg, 0.005, 0.002, 0, 0.02};
  static const StrikeDial share{"speed_share", &N::speed_share, 0.8, 0.2, 0.1, 1.5};
  static const StrikeDial push{"push_time", &N::push_time, 1, 0.3, 0.2, 3};
  static const StrikeDial catch_up{"catch_up", &N::catch_up, 0.25, 0.1, 0.1, 1};
  static const StrikeDial rate{"hold_rate", &N::hold_rate, 1.5, 0.7, 0.3, 5};
  static const std::vector<StrikeKind> kinds = {
      {.name = "smooth",
       .title = "strikes at a fixed time with a speed linear in the mass, then pushes the ball to its speed",
       .law = SpeedLaw::linear,
       .after = AfterStrike::push,
       .dials = {time, at_zero, per_kg, push, catch_up, rate}},
      {.name = "mechanics",
       .title = "like smooth, with a strike speed that follows from the equations of motion",
       .law = SpeedLaw::mechanics,
       .after = AfterStrike::push,
       .dials = {time, share, push, catch_up, rate}},
      {.name = "strike",
       .title = "strikes at a fixed time with a speed linear in the mass, and takes no notice of the ball",
       .law = SpeedLaw::linear,
       .after = AfterStrike::hold,
       .dials = {time, at_zero, per_kg, rate}},
      {.name = "saturating",
       .title = "full force until the pusher has a speed linear in the mass, full brake when the ball rolls",
       .law = SpeedLaw::linear,
       .after = AfterStrike::brake,
       .dials = {at_zero, per_kg}}};
  return kinds;
}

void StrikeController::begin(std::span<const double> goal) {
  mass_ = goal[0];
  step_ = 0;
  if (kind_.law == SpeedLaw::linear) {
    speed_ = numbers_.speed_at_zero + numbers_.speed_per_kg * mass_;
  } else {
    const double together = slider::pusher_mass + slider::rolling_mass(mass_);
    speed_ = -numbers_.speed_share * slider::needed_velocity(mass_, numbers_.strike_time, 0) * together /
             slider::pusher_mass;
  }
}

/// Follows the cubic that begins at rest and is at the ball at the strike time with the strike speed.
double StrikeController::approach(double time, double x, double v) const {
  const double end = numbers_.strike_time, way = slider::contact, gain = speed_ * end;
  const double square = (3 * way + gain) / (end * end), cube = -(2 * way + gain) / (end * end * end);
  const double wanted_x = time * time * (square + cube * time),
               wanted_v = time * (2 * square + 3 * cube * time);
  // The middle of the step, over which the action stays the same.
  const double acceleration = 2 * square + 6 * cube * (time + slider::step_seconds / 2);
  return action_for(acceleration + hold(approach_rate, wanted_x, x, v) + 2 * approach_rate * wanted_v,
                    wanted_v);
}

double StrikeController::bang(std::span<const double> o) const {
  const double v = o[slider::pusher_vx];
  const bool struck = o[slider::ball_vx] < -rolling;
  const double wanted = struck ? 0 : -speed_;
  return std::clamp(action_for((wanted - v) / slider::step_seconds, v), -1.0, 1.0);
}

void StrikeController::act(std::span<const double> o, std::span<double> action) {
  const double time = static_cast<double>(step_++) * slider::step_seconds;
  const double x = o[slider::pusher_x], v = o[slider::pusher_vx];
  if (kind_.after == AfterStrike::brake) {
    action[0] = bang(o);
  } else if (time < numbers_.strike_time) {
    action[0] = approach(time, x, v);
  } else if (kind_.after == AfterStrike::push && time < numbers_.strike_time + numbers_.push_time) {
    const double together = slider::pusher_mass + slider::rolling_mass(mass_);
    const double wanted = slider::needed_velocity(mass_, time, o[slider::ball_x]);
    action[0] =
        (together * (wanted - o[slider::ball_vx]) / numbers_.catch_up + slider::rolling_drag * wanted) /
        slider::motor_gear;
  } else {
    action[0] = action_for(hold(numbers_.hold_rate, slider::contact, x, v), 0);
  }
}

Json strike_json(const StrikeKind& kind, const StrikeNumbers& numbers) {
  Json json = Json::object();
  for (const StrikeDial& dial : kind.dials) json[dial.name] = numbers.*dial.number;
  return json;
}

StrikeNumbers strike_from_json(const StrikeKind& kind, const Json& json) {
  StrikeNumbers numbers;
  for (const StrikeDial& dial : kind.dials) {
    const std::string name = kind.name + "." + dial.name;
    const Json& value = json.at(dial.name);
    const double number = exactly<double>(value, name);
    if (!(number >= dial.low && number <= dial.high))
      value.refuse(name, fmt::format("a number from {} to {}", dial.low, dial.high));
    numbers.*dial.number = number;
  }
  return numbers;
}

std::vector<Expert> slider_experts(std::string_view json_text) try {
  const Json json = Json::parse(json_text);
  std::vector<Expert> experts;
  for (const StrikeKind& kind : strike_kinds()) {
    const StrikeNumbers numbers = strike_from_json(kind, json.at(kind.name));
    experts.push_back({.name = kind.name, .title = kind.title, .make = [&kind, numbers] {
                         return std::make_unique<StrikeController>(kind, numbers);
                       }});
  }
  return experts;
} catch (const JsonError& error) {
  throw Error("slider", "needs the numbers of its experts; " + error.fault() +
                            "; make them again with the search of the slider's experts");
}

}  // namespace kedge
