#include "kedge/anchors/box_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kedge {
namespace {

constexpr float largest = std::numeric_limits<float>::max();
// Covers the rounding of a sum of up to 129 squares and of the limit itself.
constexpr double inflation = 1 + 2e-5;
// Cost of one target at one node, and of each axis, in vector operations of the matrix product.
constexpr double node_overhead = 30, per_axis = 3.5;

// Prefetches the first axes of a node that will be visited soon.
inline void fetch_early(const float* from) {
  constexpr size_t lines = 8;
  for (size_t line = 0; line < lines; ++line) __builtin_prefetch(from + line * search_width);
}

}  // namespace

float projected_limit(double distance, double slack) {
  const double projected = (distance + slack) * inflation;
  const double squared = projected * projected;
  if (!(squared < static_cast<double>(largest))) return largest;
  return std::nextafter(static_cast<float>(squared), largest);
}

BoxSearch::BoxSearch(const BoxTree& tree)
    : tree_(tree), targets_((tree.axes() + 1) * width), hits_(most_hits) {}

void BoxSearch::finish_targets(uint32_t lanes) {
  if (!tree_.has_rest()) return;
  for (uint32_t left = lanes; left; left &= left - 1) {
    float* const target = targets_.data() + std::countr_zero(left);
    target[tree_.axes() * width] = length_from(target, tree_.leading(), tree_.axes(), width);
  }
}

void BoxSearch::refresh_limits() {
  for (uint32_t i = 0; i < width; ++i) limits_[i] = limit(i);
}

void BoxSearch::look_at(uint32_t lane, size_t leaf, const SearchHit& hit) {
  const auto look_if_within = [&](uint32_t i) {
    if (hit.distances[i] <= limit(lane)) look(lane, tree_.row(leaf, i));
  };
  // The nearest first: after it, the limit usually excludes the others.
  uint32_t first = static_cast<uint32_t>(std::countr_zero(hit.mask));
  for (uint32_t left = hit.mask; left; left &= left - 1) {
    const uint32_t i = static_cast<uint32_t>(std::countr_zero(left));
    if (hit.distances[i] < hit.distances[first]) first = i;
  }
  look_if_within(first);
  for (uint32_t left = hit.mask & ~(1u << first); left; left &= left - 1)
    look_if_within(static_cast<uint32_t>(std::countr_zero(left)));
}

SearchBoxes BoxSearch::boxes(size_t level, size_t node) const {
  return {tree_.boxes(level, node), tree_.leading(), tree_.has_rest() ? tree_.axes() : 0};
}

void BoxSearch::visit_leaves(size_t node, uint32_t alive) {
  size_t computed = 0;
  const size_t count =
      search_kernels().leaves_within(boxes(1, node), tree_.points(node * width), tree_.axes(),
                                     {targets_.data(), limits_.data(), alive}, hits_.data(), &computed);
  work_ += node_overhead * std::popcount(alive) + per_axis * static_cast<double>(computed);
  for (size_t i = 0; i < count; ++i) look_at(hits_[i].target, node * width + hits_[i].leaf, hits_[i]);
  if (count > 0) refresh_limits();
}

void BoxSearch::visit(size_t level, size_t node, uint32_t alive) {
  if (work_ > most_work_) return;
  if (level == 1) return visit_leaves(node, alive);
  uint16_t masks[width], inside[width] = {};
  float least[width];
  const size_t computed = search_kernels().boxes_within(
      boxes(level, node), {targets_.data(), limits_.data(), alive}, masks, least);
  work_ += node_overhead * std::popcount(alive) + per_axis * static_cast<double>(computed);
  uint32_t children = 0;
  for (; alive; alive &= alive - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(alive));
    children |= masks[lane];
    for (uint32_t left = masks[lane]; left; left &= left - 1)
      inside[std::countr_zero(left)] |= static_cast<uint16_t>(1u << lane);
  }
  uint8_t order[width];
  size_t count = 0;
  for (; children; children &= children - 1) {
    const uint8_t child = static_cast<uint8_t>(std::countr_zero(children));
    fetch_early(tree_.boxes(level - 1, node * width + child));
    size_t i = count++;
    for (; i > 0 && least[order[i - 1]] > least[child]; --i) order[i] = order[i - 1];
    order[i] = child;
  }
  for (size_t i = 0; i < count; ++i) {
    if (least[order[i]] > *std::max_element(limits_.begin(), limits_.end())) return;
    visit(level - 1, node * width + order[i], inside[order[i]]);
  }
}

float BoxSearch::descend(uint32_t lane) {
  limits_[lane] = largest;
  size_t node = 0;
  uint16_t masks[width];
  float least[width];
  const auto nearest = [&] { return static_cast<size_t>(std::min_element(least, least + width) - least); };
  for (size_t level = tree_.top_level(); level > 0; --level) {
    search_kernels().boxes_within(boxes(level, node), {targets_.data(), limits_.data(), 1u << lane}, masks,
                                  least);
    node = node * width + nearest();
  }
  search_kernels().distances(tree_.points(node), tree_.axes(), targets_.data() + lane, least);
  const size_t place = nearest();
  if (least[place] <= limit(lane)) look(lane, tree_.row(node, place));
  return least[place];
}

}  // namespace kedge
