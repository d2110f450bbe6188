#include "kedge/anchors/weighted_anchors.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

// Of the rows of at least this weight the `count` closest (all where there are fewer). The index gives the
// closest of all rows, so it is asked for more and more until enough of them are wanted ones.
std::vector<AnchorMatch> closest_trusted(const AnchorIndex& index, std::span<const float> weights,
                                         std::span<const double> point, float least, size_t count) {
  const size_t rows = weights.size();
  count = std::min(count, static_cast<size_t>(std::count_if(weights.begin(), weights.end(),
                                                            [&](float weight) { return weight >= least; })));
  std::vector<AnchorMatch> found;
  for (size_t asked = std::min(rows, 4 * count);; asked = std::min(rows, 4 * asked)) {
    found.clear();
    for (const AnchorMatch& match : index.find(point, {.rule = AnchorRule::many, .count = asked})) {
      if (weights[match.anchor] >= least && found.size() < count) found.push_back(match);
    }
    if (found.size() == count) return found;
    assert(asked < rows);
  }
}

AnchorMatch drawn_by_weight(const AnchorIndex& index, std::span<const float> weights, double total,
                            std::span<const double> point) {
  Rng rng(content_key(point), Stream::anchor);
  double left = rng.uniform() * total;
  size_t last = 0;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] <= 0) continue;
    last = row;
    left -= static_cast<double>(weights[row]);
    if (left < 0) break;
  }
  return index.match(point, last);
}

}  // namespace

std::vector<AnchorMatch> find_by_weight(const AnchorIndex& index, std::span<const float> weights,
                                        std::span<const double> point, const AnchorOptions& options) {
  assert(goes_by_weight(options.rule) && weights.size() == index.points().rows());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const size_t count = options.rule == AnchorRule::weight ? options.count : 1;
  if (!(total > 0)) return index.find(point, {.rule = AnchorRule::many, .count = count});
  if (options.rule == AnchorRule::weight_sample) return {drawn_by_weight(index, weights, total, point)};
  const float greatest = *std::max_element(weights.begin(), weights.end());
  const float share = options.rule == AnchorRule::weight_greatest ? 1 : trusted_share;
  return closest_trusted(index, weights, point, share * greatest, count);
}

}  // namespace kedge
