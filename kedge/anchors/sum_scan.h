#pragma once

// SumScan: how near each anchor comes to each of several queries by a difference of the pool, for data in
// which boxes exclude few.
//
// For a query q, an anchor a and a difference d,
//   |q - a - d|^2 = |q - a|^2 + (|d|^2 + 2 a.d) - 2 q.d.
// The term in brackets is the same for all queries, so one matrix product serves all of them. What is left
// for each query, anchor and difference is a subtraction and a comparison, however many axes there are.
// Law: an entry is wrong by at most `error`.

#include <span>

#include "kedge/anchors/box_tree.h"
#include "kedge/core/stop_check.h"

namespace kedge {

class SumScan {
 public:
  /// With fewer, a product for each (ProductScan) is as fast.
  static constexpr size_t fewest_queries = 8;

  /// The cost of one anchor of one of so many queries, in vector operations.
  static double cost(const BoxTree& tree, size_t queries);

  /// The tree of differences and the anchors, [block][axis][16]. Both must outlive the scan.
  SumScan(const BoxTree& tree, const AlignedVector<float>& anchors);

  /// By query and anchor: the squared distance of the nearest difference.
  Matrix<float> nearest(const Matrix<float>& queries, const StopCheck& stop_check) const;
  float error(std::span<const float> query) const;

 private:
  void scan_leaves(size_t first, size_t count, const Matrix<float>& queries, Matrix<float>& least) const;

  const BoxTree& tree_;
  const AlignedVector<float>& anchors_;
  size_t axes_, blocks_;
  float longest_anchor_ = 0;
  AlignedVector<float> doubled_;  // [leaf][axis][16]: 2 d; 0 at places without a difference
  AlignedVector<float> squares_;  // [leaf][16]: |d|^2; far beyond all others at such places
};

}  // namespace kedge
