#include "kedge/anchors/difference_pool.h"

#include <limits>

namespace kedge {

double DifferencePool::squared_distance(std::span<const double> target, size_t place) const {
  const Pair pair = pairs[place];
  const std::span<const double> query = points.row(pair.query), anchor = points.row(pair.anchor);
  if (!space.is_linear()) {
    std::vector<double> delta(scale.size());
    space.minus(query, anchor, delta);
    return space.squared_distance(target, delta, scale);
  }
  // The same operations as Space has for linear groups, without its copies.
  double sum = 0;
  for (size_t j = 0; j < scale.size(); ++j) {
    const double e = (target[j] - (query[j] - anchor[j])) / scale[j];
    sum += e * e;
  }
  return sum;
}

NearestDifference DifferencePool::nearest(std::span<const double> point, size_t anchor) const {
  std::vector<double> delta(delta_size());
  target(point, anchor, delta);
  NearestDifference best{static_cast<uint32_t>(anchor), 0, std::numeric_limits<double>::infinity()};
  for (size_t p = 0; p < pairs.size(); ++p) {
    const double squared = squared_distance(delta, p);
    if (squared < best.squared) best = {best.anchor, static_cast<uint32_t>(p), squared};
  }
  return best;
}

}  // namespace kedge
