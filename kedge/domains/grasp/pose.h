#pragma once

// Pose: how an object is turned, moved and scaled, and the ranges poses are drawn from (appendix D.1):
//
//              train and in        oos
//   angle      [0, 1.2 pi]         (1.2 pi, 2 pi)        about z
//   x and y    [0, 0.5] each       (0.5, 0.7) each       metres
//   scale      [0.7, 1.3]          (1.3, 1.6)
//
// A row out of support is so in all four at once. The paper gives no order; that of its released code is to
// turn, then to move, then to scale about the origin, so that the move is scaled too, and we keep it.

#include "kedge/core/rng.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/grasp/surface.h"

namespace kedge {

struct Pose {
  double angle = 0, x = 0, y = 0, scale = 1;
};

/// What varies between the rows of a domain; the rest stays as in Pose{}.
enum class GraspMotion { all, rotation, scale };

/// Uniform over the ranges, independently. Draws the same amount of numbers whatever varies.
Pose draw_pose(GraspMotion motion, Split split, Rng& rng);

/// The map of a pose, with its sine and cosine at hand.
class PosedFrame {
 public:
  explicit PosedFrame(const Pose& pose);
  Point operator()(Point p) const {
    return {scale_ * (cosine_ * p.x - sine_ * p.y + x_), scale_ * (sine_ * p.x + cosine_ * p.y + y_),
            scale_ * p.z};
  }

 private:
  double cosine_, sine_, x_, y_, scale_;
};

}  // namespace kedge
