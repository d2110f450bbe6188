#pragma once

// Sawyer: an arm with a gripper at a table with a puck, the world of the domains `reach` and `push`. It is
// moved as in Meta-World: an action shifts the place that the hand is drawn to, and says how hard the fingers
// close.
//
// Laws: every reset leads to the same state, bit for bit. What is seen is the state 2.5 ms before the end of
// the time step, as in Meta-World: places are computed at the start of a step of the physics.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/demonstrations/simulation.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/physics/physics.h"

namespace kedge {

using Place = std::array<double, 3>;

/// The distance of two points of three coordinates.
double distance(std::span<const double> a, std::span<const double> b);

class Sawyer {
 public:
  static constexpr size_t actions = 4;

  /// Where hand and puck are to be at the start of an episode.
  Sawyer(const Place& hand, const Place& object);

  void reset();
  /// Goes one time step, 12.5 ms, on. The first three numbers say how many centimetres the place moves that
  /// the hand is drawn to, beyond one they count as one; the fourth closes the fingers (1) or opens them
  /// (-1).
  void act(std::span<const double> action);

  std::span<const double> hand() const { return hand_; }
  std::span<const double> object() const { return object_; }
  /// Of the fingers, 0 to 1.
  double opening() const;

 private:
  void draw_hand_to(const Place& place);

  Physics physics_;
  std::span<const double> hand_, object_, right_finger_, left_finger_;
  std::shared_ptr<const Physics::Snapshot> start_;
};

/// Names of the four numbers of an action.
std::vector<std::string> sawyer_actions();

/// Where the goals of a domain may lie.
struct GoalBoxes {
  Place train_low, train_high, oos_low, oos_high;

  Matrix<double> draw(Split split, size_t count, uint64_t seed) const;
};

}  // namespace kedge
