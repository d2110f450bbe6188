#include "kedge/domains/adroit/carry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/domains/physics/physics.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

using Place = std::array<double, 3>;

constexpr Place base = {0, -0.7, 0.2};  // of the forearm, all joints at 0
constexpr double table_height = 0.035;  // of the ball's centre on the table

// The forearm and all it carries as one stiff body: mass, first and second moment about its hinges.
struct Load {
  double mass, moment, inertia;
};
constexpr Load arm_load = {4.911, 1.587, 0.54};
constexpr Load ball_load = {0.1796, 0.0898, 0.0449};  // in the hand, half a metre from the hinges
constexpr double gravity = 9.81, gain = 500, stiffness = 200, damping = 20;

// Half of a rise comes from the hinge, half from the slide, whose 0.2 m are not enough; a part of a move to
// the side comes from the hinge, as the slide ends at 0.25 and targets at 0.3.
constexpr double pitch_per_metre = 1.0, yaw_per_metre = 0.6;

/// World axes to those of the forearm with all joints at 0, and back: x to -x, y to z, z to y. The model's
/// own rotation is 0.0016 rad from this, which the search of `ball` takes in.
Place turned(const Place& p) { return {-p[0], p[2], p[1]}; }

Place rotated(std::span<const double> hinges, const Place& p) {
  const double cx = std::cos(hinges[0]), sx = std::sin(hinges[0]);
  const double cy = std::cos(hinges[1]), sy = std::sin(hinges[1]);
  const double cz = std::cos(hinges[2]), sz = std::sin(hinges[2]);
  const Place z = {cz * p[0] - sz * p[1], sz * p[0] + cz * p[1], p[2]};
  const Place y = {cy * z[0] + sy * z[2], z[1], cy * z[2] - sy * z[0]};
  return {y[0], cx * y[1] - sx * y[2], sx * y[1] + cx * y[2]};
}

/// A path from 0 to 1 of least jerk, with its first two derivatives.
struct Progress {
  double place = 0, speed = 0, acceleration = 0;
};
Progress least_jerk(double time, double begins, double ends) {
  const double length = ends - begins, s = std::clamp((time - begins) / length, 0.0, 1.0);
  return {s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (1 - s) * (1 - s) / length,
          60 * s * (1 - s) * (1 - 2 * s) / (length * length)};
}

/// What the arm's joints are to be at a time.
struct Reference {
  std::array<Progress, adroit_arm_joints> joints;
  double carried = 0;  ///< how much of the ball's weight is on the hand

  void add(size_t joint, double way, const Progress& progress) {
    joints[joint].place += way * progress.place;
    joints[joint].speed += way * progress.speed;
    joints[joint].acceleration += way * progress.acceleration;
  }
};

/// The controls that move the arm along the reference: what drives, dampers, inertia and weight need. Slides
/// and hinges pull at each other through the moment of the arm.
std::array<double, adroit_arm_joints> arm_controls(const Reference& reference) {
  const auto& q = reference.joints;
  const Load load = {arm_load.mass + reference.carried * ball_load.mass,
                     arm_load.moment + reference.carried * ball_load.moment,
                     arm_load.inertia + reference.carried * ball_load.inertia};
  const double level = std::cos(q[3].place) * std::cos(q[4].place);
  const std::array<double, adroit_arm_joints> inertial = {
      load.mass * q[0].acceleration + load.moment * level * q[4].acceleration,
      load.mass * (q[1].acceleration + gravity) - load.moment * level * q[3].acceleration,
      load.mass * q[2].acceleration,
      load.inertia * q[3].acceleration - load.moment * level * (q[1].acceleration + gravity),
      load.inertia * q[4].acceleration + load.moment * level * q[0].acceleration,
      0};
  std::array<double, adroit_arm_joints> controls{};
  for (size_t j = 0; j < controls.size(); ++j)
    controls[j] = (stiffness * q[j].place + damping * q[j].speed + inertial[j]) / gain;
  return controls;
}

template <size_t n>
void read_numbers(const Json& json, const std::string& name, std::array<double, n>& numbers) {
  const auto found = exactly<std::vector<double>>(json.at(name), name);
  if (found.size() != n) json.at(name).refuse(name, fmt::format("a list of {} numbers", n));
  std::copy(found.begin(), found.end(), numbers.begin());
}

}  // namespace

AdroitRanges adroit_ranges() {
  const Physics physics(embedded::adroit_adroit_xml, "adroit");
  AdroitRanges ranges{};
  for (size_t i = 0; i < ranges.size(); ++i)
    std::copy_n(physics.control_range(i).begin(), 2, ranges[i].begin());
  return ranges;
}

CarryPlan CarryPlan::parse(std::string_view text) try {
  const Json json = Json::parse(text);
  CarryPlan plan;
  read_numbers(json, "grasp", plan.grasp);
  read_numbers(json, "open", plan.open);
  read_numbers(json, "closed", plan.closed);
  read_numbers(json, "ball", plan.ball);
  return plan;
} catch (const JsonError& error) {
  throw Error("expert", fmt::format("an expert of adroit needs the JSON that its search writes; {}; search "
                                    "again or take the expert that is built in",
                                    error.fault()));
}

Json CarryPlan::json() const {
  return {{"grasp", grasp}, {"open", open}, {"closed", closed}, {"ball", ball}};
}

std::array<double, adroit_arm_joints> CarryPlan::arm_at(std::span<const double> place) const {
  std::array<double, adroit_arm_joints> arm{};
  arm[3] = grasp[3] - pitch_per_metre * (place[2] - table_height);
  arm[4] = grasp[4] - yaw_per_metre * place[0];
  arm[5] = grasp[5];
  const Place way = turned({place[0] - base[0], place[1] - base[1], place[2] - base[2]});
  const Place held = rotated(std::span(arm).subspan(3), ball);
  for (size_t i = 0; i < 3; ++i) arm[i] = way[i] - held[i];
  return arm;
}

void CarryController::begin(std::span<const double> goal) {
  end_ = plan_.arm_at(goal);
  step_ = 0;
}

void CarryController::act(std::span<const double>, std::span<double> action) {
  // A control is held for a step: the reference is taken at its middle.
  const double time = (static_cast<double>(step_++) + 0.5) * adroit_step_seconds;
  const CarryTimes& at = carry_times;
  const Progress forward = least_jerk(time, 0, at.forward_ends);
  const Progress down = least_jerk(time, at.down_begins, at.down_ends);
  const Progress carry = least_jerk(time, at.carry_begins, at.carry_ends);
  Reference reference;
  reference.carried = least_jerk(time, at.carry_begins, at.carry_begins + 0.25).place;
  for (size_t j = 0; j < adroit_arm_joints; ++j) {
    const bool lowers = j == 1 || j == 3;
    reference.add(j, plan_.grasp[j], lowers ? down : forward);
    reference.add(j, end_[j] - plan_.grasp[j], carry);
  }
  std::array<double, adroit_joints> controls{};
  std::ranges::copy(arm_controls(reference), controls.begin());
  const double closing = least_jerk(time, at.close_begins, at.close_ends).place;
  for (size_t j = 0; j < adroit_hand_joints; ++j)
    controls[adroit_arm_joints + j] = std::lerp(plan_.open[j], plan_.closed[j], closing);
  for (size_t j = 0; j < adroit_joints; ++j) {
    const auto [low, high] = ranges_[j];
    action[j] = std::clamp((2 * controls[j] - low - high) / (high - low), -1.0, 1.0);
  }
}

}  // namespace kedge
