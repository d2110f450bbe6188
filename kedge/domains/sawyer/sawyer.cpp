#include "kedge/domains/sawyer/sawyer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kedge/domains/goals.h"
#include "kedge_embedded.h"

namespace kedge {
namespace {

constexpr int physics_steps = 5;  // of a time step
constexpr double reach_of_action = 0.01;
constexpr Place lowest_hand = {-0.5, 0.40, 0.05}, highest_hand = {0.5, 1, 0.5};
constexpr double widest_opening = 0.1;
// The arm starts far off, stretched upwards; this many time steps bring it to its place.
constexpr int settling_steps = 50;

}  // namespace

double distance(std::span<const double> a, std::span<const double> b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Sawyer::Sawyer(const Place& hand, const Place& object)
    : physics_(embedded::sawyer_sawyer_xml, "sawyer"),
      hand_(physics_.body_place("hand")),
      object_(physics_.body_place("object")),
      right_finger_(physics_.site_place("right_finger")),
      left_finger_(physics_.site_place("left_finger")) {
  physics_.reset();
  physics_.controls()[0] = -1;
  physics_.controls()[1] = 1;
  for (int i = 0; i < settling_steps; ++i) {
    draw_hand_to(hand);
    physics_.step(physics_steps);
  }
  std::copy_n(object.begin(), 3, physics_.positions().begin() + physics_.joint_position("object"));
  std::fill_n(physics_.velocities().begin() + physics_.joint_velocity("object"), 6, 0.0);
  physics_.forward();
  start_ = physics_.snapshot();
}

void Sawyer::reset() { physics_.restore(*start_); }

void Sawyer::draw_hand_to(const Place& place) {
  std::copy(place.begin(), place.end(), physics_.mocap_position().begin());
  const double half = std::sqrt(0.5);
  const std::array<double, 4> fingers_down = {half, 0, half, 0};
  std::copy(fingers_down.begin(), fingers_down.end(), physics_.mocap_rotation().begin());
}

void Sawyer::act(std::span<const double> action) {
  Place aim;
  for (size_t i = 0; i < 3; ++i)
    aim[i] = std::clamp(physics_.mocap_position()[i] + reach_of_action * std::clamp(action[i], -1.0, 1.0),
                        lowest_hand[i], highest_hand[i]);
  draw_hand_to(aim);
  physics_.controls()[0] = action[3];
  physics_.controls()[1] = -action[3];
  physics_.step(physics_steps);
}

double Sawyer::opening() const {
  return std::clamp(distance(right_finger_, left_finger_) / widest_opening, 0.0, 1.0);
}

std::vector<std::string> sawyer_actions() { return {"move_x", "move_y", "move_z", "close"}; }

Matrix<double> GoalBoxes::draw(Split split, size_t count, uint64_t seed) const {
  return split == Split::oos ? box_goals(oos_low, oos_high, count, split, seed)
                             : box_goals(train_low, train_high, count, split, seed);
}

}  // namespace kedge
