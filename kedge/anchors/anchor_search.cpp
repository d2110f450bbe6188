#include "kedge/anchors/anchor_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace kedge {
namespace {

constexpr float largest = std::numeric_limits<float>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
// With more slack than this, squares of single precision could overflow.
constexpr double greatest_slack = 1e6;
// Covers the rounding of a sum of up to 129 squares and of the limit itself.
constexpr double inflation = 1 + 2e-5;
// Cost of one anchor at one node, and of each axis, in vector operations of the matrix product.
constexpr double node_overhead = 30, per_axis = 3.5;

// Prefetches the first axes of a node that will be visited soon.
inline void fetch_early(const float* from) {
  constexpr size_t lines = 8;
  for (size_t line = 0; line < lines; ++line) __builtin_prefetch(from + line * search_width);
}

}  // namespace

AnchorSearch::AnchorSearch(const DifferenceIndex& index, std::span<const double> point, size_t count,
                           double radius)
    : pool_(index.pool()),
      built_(index.built()),
      point_(point),
      axes_(built_.axes.count()),
      anchors_(built_.anchors.size()),
      blocks_((anchors_ + width - 1) / width),
      radius_(radius),
      slack_(built_.axes.slack(point)),
      best_(anchors_, infinity),
      place_(anchors_, 0),
      own_limit_(blocks_ * width, largest),
      leaders_(anchors_, count),
      bound_(infinity),
      limit_(largest),
      targets_((axes_ + 1) * width),
      hits_(most_hits),
      delta_(pool_.delta_size()) {
  // A limit of 0 switches off the lanes after the last anchor.
  std::fill(own_limit_.begin() + static_cast<std::ptrdiff_t>(anchors_), own_limit_.end(), 0.0f);
  if (!pool_.space.is_linear()) return;
  query_.resize(axes_);
  built_.axes.project_point(point, query_.data(), 1);
}

float AnchorSearch::limit_of(double distance) const {
  const double projected = (distance + slack_) * inflation;
  const double squared = projected * projected;
  if (!(squared < static_cast<double>(largest))) return largest;
  return std::nextafter(static_cast<float>(squared), largest);
}

uint32_t AnchorSearch::lanes_of(size_t block) const {
  const size_t left = anchors_ - block * width;
  return left >= width ? 0xFFFFu : (1u << left) - 1;
}

void AnchorSearch::load_block(size_t block, float* targets, uint32_t lanes) const {
  if (!query_.empty()) {
    const float* const anchors = built_.projected.data() + block * axes_ * width;
    for (size_t k = 0; k < axes_; ++k)
      for (size_t i = 0; i < width; ++i) targets[k * width + i] = query_[k] - anchors[k * width + i];
  } else {
    std::vector<double> delta(pool_.delta_size());
    for (uint32_t left = lanes; left; left &= left - 1) {
      const size_t i = static_cast<size_t>(std::countr_zero(left));
      pool_.target(point_, built_.anchors[block * width + i], delta);
      built_.axes.project_delta(pool_, delta, targets + i, width);
    }
  }
  if (!built_.tree.has_rest()) return;
  for (uint32_t left = lanes; left; left &= left - 1) {
    float* const target = targets + std::countr_zero(left);
    target[axes_ * width] = length_from(target, built_.tree.leading(), axes_, width);
  }
}

void AnchorSearch::look_exactly(uint32_t anchor, uint32_t place) {
  pool_.target(point_, built_.anchors[anchor], delta_);
  const double squared = pool_.squared_distance(delta_, place);
  if (squared > best_[anchor] || (squared == best_[anchor] && place >= place_[anchor])) return;
  const bool falls = squared < best_[anchor];
  best_[anchor] = squared;
  place_[anchor] = place;
  if (!falls) return;
  own_limit_[anchor] = limit_of(std::sqrt(squared));
  leaders_.offer(anchor, squared);
  const double bound = std::max(radius_, std::sqrt(leaders_.bound()));
  if (bound < bound_) {
    bound_ = bound;
    limit_ = limit_of(bound);
  }
}

void AnchorSearch::search_everything() {
  for (uint32_t i = 0; i < anchors_; ++i) {
    const NearestDifference found = pool_.nearest(point_, built_.anchors[i]);
    best_[i] = found.squared;
    place_[i] = found.place;
  }
}

void AnchorSearch::refresh_limits() {
  for (size_t i = 0; i < width; ++i) limits_[i] = std::min(limit_, own_limit_[block_ * width + i]);
}

void AnchorSearch::open_block(size_t block) {
  block_ = block;
  load_block(block, targets_.data(), lanes_of(block));
  refresh_limits();
  const size_t leading = built_.tree.leading(), count = std::min(width, anchors_ - block * width);
  for (size_t k = 0; k < leading; ++k) {
    if (!query_.empty()) {
      const float* const box = built_.anchor_boxes.data() + (block * leading + k) * 2;
      low_[k] = query_[k] - box[1];
      high_[k] = query_[k] - box[0];
    } else {
      const auto [low, high] = std::minmax_element(&targets_[k * width], &targets_[k * width] + count);
      low_[k] = *low;
      high_[k] = *high;
    }
  }
}

void AnchorSearch::look_at(uint32_t anchor, size_t leaf, const SearchHit& hit) {
  const auto look = [&](uint32_t i) {
    if (hit.distances[i] <= std::min(limit_, own_limit_[anchor]))
      look_exactly(anchor, built_.tree.row(leaf, i));
  };
  // The nearest first: after it, the limit usually excludes the others.
  uint32_t first = static_cast<uint32_t>(std::countr_zero(hit.mask));
  for (uint32_t left = hit.mask; left; left &= left - 1) {
    const uint32_t i = static_cast<uint32_t>(std::countr_zero(left));
    if (hit.distances[i] < hit.distances[first]) first = i;
  }
  look(first);
  for (uint32_t left = hit.mask & ~(1u << first); left; left &= left - 1)
    look(static_cast<uint32_t>(std::countr_zero(left)));
}

SearchBoxes AnchorSearch::boxes(size_t level, size_t node) const {
  const BoxTree& tree = built_.tree;
  return {tree.boxes(level, node), tree.leading(), tree.has_rest() ? axes_ : 0};
}

void AnchorSearch::visit_leaves(size_t node, uint32_t alive) {
  size_t computed = 0;
  const size_t count =
      search_kernels().leaves_within(boxes(1, node), built_.tree.points(node * width), axes_,
                                     {targets_.data(), limits_.data(), alive}, hits_.data(), &computed);
  work_ += node_overhead * std::popcount(alive) + per_axis * static_cast<double>(computed);
  for (size_t i = 0; i < count; ++i)
    look_at(static_cast<uint32_t>(block_ * width + hits_[i].target), node * width + hits_[i].leaf, hits_[i]);
  if (count > 0) refresh_limits();
}

void AnchorSearch::visit(size_t level, size_t node, uint32_t alive) {
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
    fetch_early(built_.tree.boxes(level - 1, node * width + child));
    size_t i = count++;
    for (; i > 0 && least[order[i - 1]] > least[child]; --i) order[i] = order[i - 1];
    order[i] = child;
  }
  for (size_t i = 0; i < count && least[order[i]] <= limit_; ++i)
    visit(level - 1, node * width + order[i], inside[order[i]]);
}

// Goes from the root to one leaf, at each node to the child whose box is nearest. Looks at the nearest point
// of that leaf and returns its projected distance, squared.
float AnchorSearch::descend(uint32_t lane) {
  const BoxTree& tree = built_.tree;
  limits_[lane] = largest;
  size_t node = 0;
  uint16_t masks[width];
  float least[width];
  const auto nearest = [&] { return static_cast<size_t>(std::min_element(least, least + width) - least); };
  for (size_t level = tree.top_level(); level > 0; --level) {
    search_kernels().boxes_within(boxes(level, node), {targets_.data(), limits_.data(), 1u << lane}, masks,
                                  least);
    node = node * width + nearest();
  }
  search_kernels().distances(tree.points(node), axes_, targets_.data() + lane, least);
  const size_t place = nearest();
  if (least[place] <= limit_)
    look_exactly(static_cast<uint32_t>(block_ * width + lane), tree.row(node, place));
  return least[place];
}

// Finds a first bound and the order in which to search the blocks. One anchor of each block descends (of
// every k-th block where there are many). The blocks with the least distances come first, and all of their
// anchors descend. The other blocks keep their order, because neighbours in it read the same part of the
// tree.
std::vector<uint32_t> AnchorSearch::seed() {
  constexpr size_t most_tried = 2048;
  const size_t step = (blocks_ + most_tried - 1) / most_tried;
  std::vector<std::pair<float, uint32_t>> tried;
  for (block_ = 0; block_ < blocks_; block_ += step) {
    load_block(block_, targets_.data(), 1);
    tried.emplace_back(descend(0), static_cast<uint32_t>(block_));
  }
  const size_t promising = std::min(tried.size(), 16 + tried.size() / 16);
  std::partial_sort(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(promising), tried.end());
  std::vector<uint32_t> order;
  std::vector<bool> first(blocks_);
  for (size_t i = 0; i < promising; ++i) {
    block_ = tried[i].second;
    order.push_back(tried[i].second);
    first[block_] = true;
    load_block(block_, targets_.data(), lanes_of(block_));
    for (uint32_t left = lanes_of(block_) & ~1u; left; left &= left - 1)
      descend(static_cast<uint32_t>(std::countr_zero(left)));
  }
  for (uint32_t block = 0; block < blocks_; ++block)
    if (!first[block]) order.push_back(block);
  return order;
}

// In the upper levels of the tree the anchors of a block need almost the same children. There the box around
// all targets of the block is compared with the children's boxes, once for sixteen anchors.
void AnchorSearch::visit_together(size_t level, size_t node) {
  constexpr size_t lowest_level = 3;
  constexpr int most_children = 4;
  const uint32_t lanes = lanes_of(block_);
  if (level < lowest_level) return visit(level, node, lanes);
  const float limit = *std::max_element(limits_.begin(), limits_.end());
  const uint32_t near = search_kernels().boxes_near(built_.tree.boxes(level, node), built_.tree.leading(),
                                                    low_.data(), high_.data(), limit);
  if (std::popcount(near) > most_children) return visit(level, node, lanes);
  for (uint32_t left = near; left; left &= left - 1)
    visit_together(level - 1, node * width + static_cast<size_t>(std::countr_zero(left)));
}

// Blocks go through the tree until that has cost more than the matrix product would have cost for them.
void AnchorSearch::search_blocks(std::span<const uint32_t> order) {
  const size_t trial = 4 + blocks_ / 64;
  for (size_t i = 0; i < order.size(); ++i) {
    if (work_ > scan_cost(std::max(i, trial))) return scan(order.subspan(i));
    open_block(order[i]);
    visit_together(built_.tree.top_level(), 0);
  }
}

std::vector<NearestDifference> AnchorSearch::run() {
  if (slack_ < greatest_slack)
    search_blocks(seed());
  else
    search_everything();
  std::vector<NearestDifference> found;
  for (uint32_t i = 0; i < anchors_; ++i)
    if (std::sqrt(best_[i]) <= bound_ || bound_ == infinity)
      found.push_back({built_.anchors[i], place_[i], best_[i]});
  return found;
}

}  // namespace kedge
