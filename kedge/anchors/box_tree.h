#pragma once

// BoxTree: a tree of points with bounding boxes, in the memory layout that SearchKernels read.
//
// A leaf (level 0) has sixteen points. Any other node has up to sixteen children and holds their boxes: the
// children of node i of level l are nodes 16 i ... 16 i + 15 of level l - 1. The root is node 0 of the
// highest level, which is at least 1. A box bounds the leading axes, one row for each. Where there are more
// axes, one more row bounds the length of the rest of the vector.

#include <cstdint>
#include <span>
#include <vector>

#include "kedge/core/aligned.h"
#include "kedge/core/matrix.h"
#include "kedge/kernels/search_kernels.h"

namespace kedge {

/// An order of `rows` in which rows 16 i ... 16 i + 15 are near each other, and so are the rows of each group
/// of 16^k. Made by cutting the rows at the median of the widest axis, and then each part in the same way.
AlignedVector<uint32_t> compact_order(MatrixView<const float> rows);

/// Length of a vector without its axes before `first`.
float length_from(const float* row, size_t first, size_t axes, size_t stride);

class BoxTree {
 public:
  static constexpr size_t most_leading = 15;

  BoxTree() = default;
  explicit BoxTree(MatrixView<const float> rows);

  size_t axes() const { return axes_; }
  size_t leading() const { return leading_; }
  bool has_rest() const { return axes_ > leading_; }
  size_t leaves() const { return order_.size() / search_width; }
  size_t top_level() const { return boxes_.size(); }

  const float* points(size_t leaf) const { return points_.data() + leaf * axes_ * search_width; }
  const float* boxes(size_t level, size_t node) const {
    return boxes_[level - 1].data() + node * box_rows() * 2 * search_width;
  }
  /// The row of `rows` that is at a place of a leaf.
  uint32_t row(size_t leaf, size_t place) const { return order_[leaf * search_width + place]; }
  /// Length of the longest point.
  float longest() const { return longest_; }
  size_t bytes() const;

 private:
  size_t box_rows() const { return leading_ + (has_rest() ? 1 : 0); }
  AlignedVector<float> leaf_boxes() const;
  AlignedVector<float> enclosing(const AlignedVector<float>& below) const;

  size_t axes_ = 0, leading_ = 0;
  float longest_ = 0;
  AlignedVector<uint32_t> order_;            // padded to whole leaves
  AlignedVector<float> points_;              // [leaf][axis][16]
  std::vector<AlignedVector<float>> boxes_;  // by level - 1: [node][axis][least 16, greatest 16]
};

}  // namespace kedge
