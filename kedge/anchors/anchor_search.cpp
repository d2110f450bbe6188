#include "kedge/anchors/anchor_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kedge/anchors/product_scan.h"

namespace kedge {
namespace {

constexpr float largest = std::numeric_limits<float>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

AnchorSearch::AnchorSearch(const DifferenceIndex& index, std::span<const double> point, size_t count,
                           double radius)
    : BoxSearch(index.built().tree),
      pool_(index.pool()),
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
      delta_(pool_.delta_size()) {
  // A limit of 0 switches off the lanes after the last anchor.
  std::fill(own_limit_.begin() + static_cast<std::ptrdiff_t>(anchors_), own_limit_.end(), 0.0f);
  if (!pool_.space.is_linear()) return;
  query_.resize(axes_);
  built_.axes.project_point(pool_, point, query_.data(), 1);
}

uint32_t AnchorSearch::lanes_of(size_t block) const {
  const size_t left = anchors_ - block * width;
  return left >= width ? 0xFFFFu : (1u << left) - 1;
}

void AnchorSearch::load_block(size_t block, uint32_t lanes) {
  float* const targets = this->targets();
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
  finish_targets(lanes);
}

void AnchorSearch::look_exactly(uint32_t anchor, uint32_t place) {
  pool_.target(point_, built_.anchors[anchor], delta_);
  const double squared = pool_.squared_distance(delta_, place);
  if (squared > best_[anchor] || (squared == best_[anchor] && place >= place_[anchor])) return;
  const bool falls = squared < best_[anchor];
  best_[anchor] = squared;
  place_[anchor] = place;
  if (!falls) return;
  own_limit_[anchor] = projected_limit(std::sqrt(squared), slack_);
  leaders_.offer(anchor, squared);
  const double bound = std::max(radius_, std::sqrt(leaders_.bound()));
  if (bound < bound_) {
    bound_ = bound;
    limit_ = projected_limit(bound, slack_);
  }
}

void AnchorSearch::search_everything() {
  for (uint32_t i = 0; i < anchors_; ++i) {
    const NearestDifference found = pool_.nearest(point_, built_.anchors[i]);
    best_[i] = found.squared;
    place_[i] = found.place;
  }
}

void AnchorSearch::open_block(size_t block) {
  block_ = block;
  load_block(block, lanes_of(block));
  refresh_limits();
  const size_t leading = built_.tree.leading(), count = std::min(width, anchors_ - block * width);
  for (size_t k = 0; k < leading; ++k) {
    if (!query_.empty()) {
      const float* const box = built_.anchor_boxes.data() + (block * leading + k) * 2;
      low_[k] = query_[k] - box[1];
      high_[k] = query_[k] - box[0];
    } else {
      const float* const numbers = targets() + k * width;
      const auto [low, high] = std::minmax_element(numbers, numbers + count);
      low_[k] = *low;
      high_[k] = *high;
    }
  }
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
    load_block(block_, 1);
    tried.emplace_back(descend(0), static_cast<uint32_t>(block_));
  }
  const size_t promising = std::min(tried.size(), 2 + leaders_.count() / 8 + tried.size() / 16);
  std::partial_sort(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(promising), tried.end());
  std::vector<uint32_t> order;
  std::vector<bool> first(blocks_);
  for (size_t i = 0; i < promising; ++i) {
    block_ = tried[i].second;
    order.push_back(tried[i].second);
    first[block_] = true;
    load_block(block_, lanes_of(block_));
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
  const float limit = *std::max_element(limits().begin(), limits().end());
  const uint32_t near = search_kernels().boxes_near(built_.tree.boxes(level, node), built_.tree.leading(),
                                                    low_.data(), high_.data(), limit);
  if (std::popcount(near) > most_children) return visit(level, node, lanes);
  for (uint32_t left = near; left; left &= left - 1)
    visit_together(level - 1, node * width + static_cast<size_t>(std::countr_zero(left)));
}

bool AnchorSearch::search_tree(double cost) {
  if (!can_project()) {
    search_everything();
    return true;
  }
  const std::vector<uint32_t> order = seed();
  const size_t trial = 4 + blocks_ / 64;
  for (size_t i = 0; i < order.size(); ++i) {
    if (work_ > cost * static_cast<double>(std::max(i, trial) * width)) {
      left_.assign(order.begin() + static_cast<std::ptrdiff_t>(i), order.end());
      return false;
    }
    open_block(order[i]);
    visit_together(built_.tree.top_level(), 0);
  }
  return true;
}

void AnchorSearch::scan_left() {
  std::vector<uint32_t> anchors;
  for (uint32_t block : left_)
    for (size_t i = block * width; i < std::min(anchors_, (block + 1) * width); ++i)
      anchors.push_back(static_cast<uint32_t>(i));
  scan(anchors, 0);
}

void AnchorSearch::scan_near(std::span<const float> nearest, float error) {
  constexpr double inflation = 1 + 1e-6;  // covers the rounding of a reach
  std::vector<double> reach(anchors_);    // at least the distance of each anchor
  for (size_t i = 0; i < anchors_; ++i) {
    reach[i] = (std::sqrt(static_cast<double>(std::max(nearest[i], 0.0f) + error)) + slack_) * inflation;
    own_limit_[i] = std::min(own_limit_[i], projected_limit(reach[i], slack_));
  }
  std::nth_element(reach.begin(), reach.begin() + static_cast<std::ptrdiff_t>(leaders_.count() - 1),
                   reach.end());
  bound_ = std::min(bound_, std::max(radius_, reach[leaders_.count() - 1]));
  limit_ = std::min(limit_, projected_limit(bound_, slack_));
  std::vector<uint32_t> anchors;
  for (uint32_t i = 0; i < anchors_; ++i)
    if (nearest[i] - error <= limit_) anchors.push_back(i);
  scan(anchors, axes_);
}

void AnchorSearch::load_target(uint32_t anchor, std::span<float> target) const {
  if (query_.empty()) {
    std::vector<double> delta(pool_.delta_size());
    pool_.target(point_, built_.anchors[anchor], delta);
    return built_.axes.project_delta(pool_, delta, target.data(), 1);
  }
  const float* const from = built_.projected.data() + anchor / width * axes_ * width + anchor % width;
  for (size_t k = 0; k < axes_; ++k) target[k] = query_[k] - from[k * width];
}

void AnchorSearch::scan(std::span<const uint32_t> anchors, size_t scan_axes) {
  for (size_t first = 0; first < anchors.size(); first += ProductScan::most_targets) {
    const std::span<const uint32_t> part =
        anchors.subspan(first, std::min(ProductScan::most_targets, anchors.size() - first));
    ProductScan scan(built_.tree, part.size());
    for (size_t t = 0; t < part.size(); ++t) load_target(part[t], scan.target(t));
    const auto limit = [&](size_t t) { return limit_of(part[t]); };
    if (scan_axes == 0) scan_axes = scan.cheapest_axes(limit);
    scan.run(scan_axes, limit, [&](size_t t, uint32_t place) { look_exactly(part[t], place); });
  }
}

std::vector<NearestDifference> AnchorSearch::result() const {
  std::vector<NearestDifference> found;
  for (uint32_t i = 0; i < anchors_; ++i)
    if (std::sqrt(best_[i]) <= bound_ || bound_ == infinity)
      found.push_back({built_.anchors[i], place_[i], best_[i]});
  return found;
}

}  // namespace kedge
