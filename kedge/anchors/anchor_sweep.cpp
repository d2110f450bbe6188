// The part of AnchorSearch for many anchors and many more differences: the tree is gone through once, each
// node with a list of the anchors that reach it, so that what does not fit into caches is read once and not
// once for each block of anchors. High up whole blocks are listed, from level 2 on single anchors.

#include <algorithm>
#include <bit>

#include "kedge/anchors/anchor_search.h"

namespace kedge {
namespace {

constexpr size_t single_level = 2;

}  // namespace

// Lists pay where they are long. An anchor's own limit is not asked, so the shared one must be tight.
bool AnchorSearch::sweep_pays() const {
  constexpr size_t least_listed = 8, least_share = 64;
  const BoxTree& tree = built_.tree;
  if (query_.empty() || radius_ > 0 || tree.top_level() <= single_level) return false;
  const size_t nodes = tree.leaves() / (width * width);
  return anchors_ >= least_listed * nodes && anchors_ >= least_share * leaders_.count();
}

void AnchorSearch::sweep(std::vector<uint32_t> blocks) {
  // Neighbours read the same part of the tree.
  std::sort(blocks.begin(), blocks.end());
  const size_t row = target_rows();
  rows_.resize(blocks_ * width * row);
  for (const uint32_t block : blocks) {
    load_block(block, targets_.data(), lanes_of(block));
    float* const to = rows_.data() + block * width * row;
    for (size_t i = 0; i < width; ++i)
      for (size_t k = 0; k < row; ++k) to[i * row + k] = targets_[k * width + i];
  }
  sweep_blocks(built_.tree.top_level(), 0, blocks);
}

void AnchorSearch::sweep_blocks(size_t level, size_t node, std::span<const uint32_t> blocks) {
  const size_t leading = built_.tree.leading();
  const float* const boxes = built_.tree.boxes(level, node);
  AnchorLists lists;
  for (const uint32_t block : blocks) {
    bound_block(block);
    uint32_t near = search_kernels().boxes_near(boxes, leading, low_.data(), high_.data(), limit_);
    if (near && level - 1 == single_level) load_block(block, targets_.data(), 0);
    for (; near; near &= near - 1) {
      const size_t child = static_cast<size_t>(std::countr_zero(near));
      if (level - 1 > single_level) {
        lists[child].push_back(block);
        continue;
      }
      uint32_t lanes = search_kernels().targets_near(boxes + child, leading, targets_.data(), limit_);
      for (lanes &= lanes_of(block); lanes; lanes &= lanes - 1)
        lists[child].push_back(block * static_cast<uint32_t>(width) +
                               static_cast<uint32_t>(std::countr_zero(lanes)));
    }
  }
  for (size_t child = 0; child < width; ++child) {
    if (lists[child].empty()) continue;
    if (level - 1 > single_level)
      sweep_blocks(level - 1, node * width + child, lists[child]);
    else
      sweep_anchors(node * width + child, lists[child]);
  }
}

void AnchorSearch::sweep_anchors(size_t node, std::span<const uint32_t> anchors) {
  masks_.resize(anchors.size());
  search_kernels().boxes_of_rows(boxes(single_level, node),
                                 {rows_.data(), target_rows(), anchors.data(), anchors.size(), limit_},
                                 masks_.data());
  for (std::vector<uint32_t>& list : single_lists_) list.clear();
  for (size_t i = 0; i < anchors.size(); ++i)
    for (uint32_t left = masks_[i]; left; left &= left - 1)
      single_lists_[static_cast<size_t>(std::countr_zero(left))].push_back(anchors[i]);
  for (size_t child = 0; child < width; ++child)
    for (size_t first = 0; first < single_lists_[child].size(); first += width)
      sweep_leaves(node * width + child,
                   std::span(single_lists_[child])
                       .subspan(first, std::min(width, single_lists_[child].size() - first)));
}

void AnchorSearch::sweep_leaves(size_t node, std::span<const uint32_t> anchors) {
  const size_t count = search_kernels().leaves_of_rows(
      boxes(1, node), built_.tree.points(node * width), axes_,
      {rows_.data(), target_rows(), anchors.data(), anchors.size(), limit_}, hits_.data());
  for (size_t h = 0; h < count; ++h)
    look_at(anchors[hits_[h].target], node * width + hits_[h].leaf, hits_[h]);
}

}  // namespace kedge
