#include "kedge/domains/grasp/pose.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kedge {
namespace {

struct Ranges {
  double train_low, train_high, oos_high;  ///< oos goes on where train ends
};

constexpr Ranges angles = {0, 1.2 * std::numbers::pi, 2 * std::numbers::pi};
constexpr Ranges moves = {0, 0.5, 0.7};
constexpr Ranges scales = {0.7, 1.3, 1.6};

double draw(const Ranges& ranges, Split split, Rng& rng) {
  if (split != Split::oos) return rng.uniform(ranges.train_low, ranges.train_high);
  // The lower end belongs to train, and the upper one of the angles is 0 again, which belongs to it too.
  return std::clamp(rng.uniform(ranges.train_high, ranges.oos_high),
                    std::nextafter(ranges.train_high, ranges.oos_high),
                    std::nextafter(ranges.oos_high, ranges.train_high));
}

}  // namespace

Pose draw_pose(GraspMotion motion, Split split, Rng& rng) {
  Pose pose;
  pose.angle = draw(angles, split, rng);
  pose.x = draw(moves, split, rng);
  pose.y = draw(moves, split, rng);
  pose.scale = draw(scales, split, rng);
  if (motion == GraspMotion::rotation) return {.angle = pose.angle};
  if (motion == GraspMotion::scale) return {.scale = pose.scale};
  return pose;
}

PosedFrame::PosedFrame(const Pose& pose)
    : cosine_(std::cos(pose.angle)),
      sine_(std::sin(pose.angle)),
      x_(pose.x),
      y_(pose.y),
      scale_(pose.scale) {}

}  // namespace kedge
