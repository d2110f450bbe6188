#pragma once

// CarryPlan: how the hand takes the ball and carries it, in numbers that were searched for.
//
// The arm goes to the grasp, the hand closes, and the arm goes on to where the ball is at its target. All of
// it is a function of time and target alone, and smooth in both: nothing depends on what is observed.
//
// The places of the arm are closed-form. Its three slides come before its three hinges, so a point p of the
// forearm is at base + axes (slides + rotation(hinges) p). Hinges are chosen, slides follow from the place
// that the ball is to have.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "kedge/core/json.h"
#include "kedge/demonstrations/simulation.h"

namespace kedge {

inline constexpr size_t adroit_arm_joints = 6, adroit_hand_joints = 24,
                        adroit_joints = adroit_arm_joints + adroit_hand_joints;

/// In the order of positions and of drives.
inline constexpr std::array<const char*, adroit_joints> adroit_joint_names = {
    "ARTx", "ARTy", "ARTz", "ARRx", "ARRy", "ARRz", "WRJ1", "WRJ0", "FFJ3", "FFJ2",
    "FFJ1", "FFJ0", "MFJ3", "MFJ2", "MFJ1", "MFJ0", "RFJ3", "RFJ2", "RFJ1", "RFJ0",
    "LFJ4", "LFJ3", "LFJ2", "LFJ1", "LFJ0", "THJ4", "THJ3", "THJ2", "THJ1", "THJ0"};

struct CarryPlan {
  std::array<double, adroit_arm_joints> grasp{};    ///< joint positions of the arm where the hand closes
  std::array<double, adroit_hand_joints> open{};    ///< controls of wrist and fingers on the way there
  std::array<double, adroit_hand_joints> closed{};  ///< and from the grasp on
  std::array<double, 3> ball{};                     ///< where the forearm carries the ball, in its own axes

  /// Throws Error, which calls the text an expert of adroit, on what is no plan.
  static CarryPlan parse(std::string_view json);
  Json json() const;

  /// Joint positions of the arm that bring the ball to a place in the world.
  std::array<double, adroit_arm_joints> arm_at(std::span<const double> place) const;
};

/// The ranges of the drives, low and high.
using AdroitRanges = std::array<std::array<double, 2>, adroit_joints>;
AdroitRanges adroit_ranges();

/// When the phases of an episode begin and end, in seconds.
struct CarryTimes {
  double forward_ends = 0.45;  ///< over the table to the ball
  double down_begins = 0.15, down_ends = 0.65;
  double close_begins = 0.6, close_ends = 0.85;
  double carry_begins = 0.85, carry_ends = 1.8;
};
inline constexpr CarryTimes carry_times;
inline constexpr double adroit_step_seconds = 0.01;

/// Acts by the plan, step after step.
class CarryController final : public Controller {
 public:
  CarryController(const CarryPlan& plan, const AdroitRanges& ranges) : plan_(plan), ranges_(ranges) {}

  void begin(std::span<const double> goal) override;
  void act(std::span<const double> observation, std::span<double> action) override;

 private:
  CarryPlan plan_;
  AdroitRanges ranges_;
  std::array<double, adroit_arm_joints> end_{};
  size_t step_ = 0;
};

}  // namespace kedge
