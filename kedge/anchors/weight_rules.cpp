// The rules of AnchorIndex::find that go by weight.

#include <algorithm>
#include <cassert>
#include <numeric>

#include "kedge/anchors/anchors.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"

namespace kedge {

std::vector<AnchorMatch> AnchorIndex::find_by_weight(std::span<const double> point,
                                                     const AnchorOptions& options,
                                                     std::span<const float> weights) const {
  if (weights.size() != points().rows())
    throw Error("anchors", fmt::format("rule '{}' needs a weight for each of the {} training rows; found {}; "
                                       "fit a model with weights of pairs or take another rule",
                                       to_text(options), points().rows(), weights.size()));
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const size_t count = options.rule == AnchorRule::weight ? options.count : 1;
  if (!(total > 0)) return find(point, {.rule = AnchorRule::many, .count = count});
  if (options.rule == AnchorRule::weight_sample) return {drawn_by_weight(point, weights, total)};
  const float greatest = *std::max_element(weights.begin(), weights.end());
  const float share = options.rule == AnchorRule::weight_greatest ? 1 : trusted_share;
  return closest_trusted(point, weights, share * greatest, count);
}

// The `count` closest rows of at least this weight (all of them where there are fewer). The index can only
// give the closest of all rows, so it is asked for four times as many until enough of them have the weight.
std::vector<AnchorMatch> AnchorIndex::closest_trusted(std::span<const double> point,
                                                      std::span<const float> weights, float least,
                                                      size_t count) const {
  const size_t rows = weights.size();
  count = std::min(count, static_cast<size_t>(std::count_if(weights.begin(), weights.end(),
                                                            [&](float weight) { return weight >= least; })));
  std::vector<AnchorMatch> found;
  for (size_t asked = std::min(rows, 4 * count);; asked = std::min(rows, 4 * asked)) {
    found.clear();
    for (const AnchorMatch& match : find(point, {.rule = AnchorRule::many, .count = asked})) {
      if (weights[match.anchor] >= least && found.size() < count) found.push_back(match);
    }
    if (found.size() == count) return found;
    assert(asked < rows);
  }
}

AnchorMatch AnchorIndex::drawn_by_weight(std::span<const double> point, std::span<const float> weights,
                                         double total) const {
  Rng rng(content_key(point), Stream::anchor);
  double left = rng.uniform() * total;
  size_t last = 0;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] <= 0) continue;
    last = row;
    left -= static_cast<double>(weights[row]);
    if (left < 0) break;
  }
  return match(point, last);
}

}  // namespace kedge
