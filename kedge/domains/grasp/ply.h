#pragma once

// PLY: a cloud as a file that mesh viewers open (ASCII PLY 1.0, vertices with colours, metres). For looking
// at scenes; nothing reads them back.

#include <cstdint>
#include <ostream>
#include <vector>

#include "kedge/domains/grasp/grasp.h"

namespace kedge {

struct ColouredPoint {
  Point point;
  uint8_t red = 0, green = 0, blue = 0;
};

void write_ply(std::ostream& out, const std::vector<ColouredPoint>& points);

/// The cloud in grey, the grasp point in red, the key points in blue: first the cloud's points, in order,
/// then the grasp point, then the key points, then a small ball of points around each of these seven, which
/// alone would be lost in the cloud.
std::vector<ColouredPoint> coloured(const GraspScene& scene);

}  // namespace kedge
