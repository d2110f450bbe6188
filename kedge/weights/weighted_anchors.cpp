#include "kedge/weights/weighted_anchors.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

// Of the rows of exactly this weight the `count` closest (all where there are fewer). The index gives the
// closest of all rows, so it is asked for more and more until enough of them are wanted ones.
std::vector<AnchorMatch> closest_of_weight(const AnchorIndex& index, std::span<const float> weights,
                                           std::span<const double> point, float weight, size_t count) {
  const size_t rows = weights.size();
  const auto there_are = static_cast<size_t>(std::count(weights.begin(), weights.end(), weight));
  count = std::min(count, there_are);
  std::vector<AnchorMatch> found;
  for (size_t asked = std::min(rows, 4 * count);; asked = std::min(rows, 4 * asked)) {
    found.clear();
    for (const AnchorMatch& match : index.find(point, {.rule = AnchorRule::many, .count = asked})) {
      if (weights[match.anchor] == weight && found.size() < count) found.push_back(match);
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
  const bool draws = options.rule == AnchorRule::weight_sample;
  const size_t count = draws ? 1 : std::min(options.count, weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0)) return index.find(point, {.rule = AnchorRule::many, .count = count});
  if (draws) return {drawn_by_weight(index, weights, total, point)};

  std::vector<float> sorted(weights.begin(), weights.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(count - 1), sorted.end(),
                   std::greater<>());
  const float least = sorted[count - 1];
  std::vector<AnchorMatch> found;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] > least) found.push_back(index.match(point, row));
  }
  std::sort(found.begin(), found.end(), [&](const AnchorMatch& a, const AnchorMatch& b) {
    if (weights[a.anchor] != weights[b.anchor]) return weights[a.anchor] > weights[b.anchor];
    return a.distance != b.distance ? a.distance < b.distance : a.anchor < b.anchor;
  });
  // A row of weight 0 answers nothing.
  if (least > 0) {
    for (const AnchorMatch& match : closest_of_weight(index, weights, point, least, count - found.size()))
      found.push_back(match);
  }
  return found;
}

}  // namespace kedge
