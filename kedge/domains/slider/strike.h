#pragma once

// Strikes: how the slider's experts set the ball rolling, each with a few numbers that a search finds.
//
//   smooth      reaches the ball at a fixed time with a speed linear in the mass, then pushes it until it has
//               the speed that takes it to the target
//   mechanics   the same, but the pusher's speed at the ball follows from the equations of motion
//   strike      reaches the ball like smooth and only holds its place after it: no feedback from the ball
//   saturating  full force until the pusher has a speed linear in the mass, full brake when the ball rolls
//
// Only the feedback of a push mends what a collision leaves to chance: how much speed it gives depends on
// where within a step of the simulation it happens.

#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/json.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {

struct StrikeNumbers {
  double strike_time = 2;      ///< seconds from the start until the pusher reaches the ball
  double speed_at_zero = 0.2;  ///< speed of the pusher at the ball, m/s: this + speed_per_kg mass
  double speed_per_kg = 0.005;
  double speed_share = 0.8;  ///< or this share of the speed that gives the ball its own in a dead collision
  double push_time = 1;      ///< seconds from the strike until pushing ends
  double catch_up = 0.2;     ///< seconds in which a push makes up for the speed that is missing
  double hold_rate = 1.5;    ///< how stiffly the pusher holds its place at the end, 1/s
};

enum class SpeedLaw { linear, mechanics };
enum class AfterStrike { push, hold, brake };

/// A number that is searched: where the search begins and what it may be.
struct StrikeDial {
  std::string name;
  double StrikeNumbers::*number;
  double mean, spread, low, high;
};

/// A kind of strike, before its numbers are known.
struct StrikeKind {
  std::string name, title;
  SpeedLaw law = SpeedLaw::linear;
  AfterStrike after = AfterStrike::push;
  std::vector<StrikeDial> dials;
};

const std::vector<StrikeKind>& strike_kinds();

class StrikeController : public Controller {
 public:
  StrikeController(const StrikeKind& kind, const StrikeNumbers& numbers) : kind_(kind), numbers_(numbers) {}

  void begin(std::span<const double> goal) override;
  void act(std::span<const double> observation, std::span<double> action) override;

 private:
  double approach(double time, double place, double speed) const;
  double bang(std::span<const double> observation) const;

  StrikeKind kind_;
  StrikeNumbers numbers_;
  double mass_ = 0, speed_ = 0;
  size_t step_ = 0;
};

/// The numbers of a kind as {"strike_time": 2.1, ...}.
Json strike_json(const StrikeKind& kind, const StrikeNumbers& numbers);
/// Throws JsonError when a number is missing or out of its range.
StrikeNumbers strike_from_json(const StrikeKind& kind, const Json& json);

/// One expert for each kind, out of text as `search_slider_experts` writes it. Throws Error.
std::vector<Expert> slider_experts(std::string_view json_text);

}  // namespace kedge
