#pragma once

// PairSieve: for small pools whose differences fill many dimensions, a way to rule out 512 of them at a time.
//
// Of a target and a difference whose distance is at most r, at most one axis lies more than r / sqrt 2 apart.
// Anchors are put into buckets by their place on each axis. For one query and one r a bucket has, for each
// chunk of 512 differences, a mask of those too far apart on that axis; an anchor combines the masks of its
// buckets, and what is too far apart on two axes is ruled out. The masks come from stored ones, "below this
// cut", for cuts all along each axis. Linear spaces only.

#include <cstdint>
#include <span>
#include <vector>

#include "kedge/anchors/box_tree.h"
#include "kedge/core/aligned.h"
#include "kedge/kernels/search_kernels.h"

namespace kedge {

class PairSieve {
 public:
  static constexpr size_t most_axes = sieve_row, least_axes = 4, most_pairs = 65536;

  PairSieve() = default;
  /// `anchors` as [block][axis][16].
  PairSieve(const BoxTree& tree, std::span<const float> anchors, size_t count);

  /// Whether a tree is one that a sieve can be made of, and pays for.
  static bool suits(const BoxTree& tree) {
    return tree.axes() >= least_axes && tree.leaves() * search_width <= most_pairs;
  }

  bool empty() const { return axes_ == 0; }
  size_t axes() const { return axes_; }
  size_t chunks() const { return points_.size() / (sieve_chunk * sieve_row); }

  /// Which stored masks make those of the buckets, for a query and a distance between projections.
  struct Cuts {
    std::vector<uint8_t> low, high;  // [axis][bucket]
  };
  void cut(std::span<const float> query, double distance, Cuts& cuts) const;
  /// The masks of all buckets for one chunk, as [axis][bucket][8].
  void fill(size_t chunk, const Cuts& cuts, AlignedVector<uint64_t>& apart) const;

  /// [place in the chunk][axis], what is missing being zero.
  const float* points(size_t chunk) const { return points_.data() + chunk * sieve_chunk * sieve_row; }
  /// [anchor of the block][axis].
  const uint8_t* buckets(size_t block) const { return buckets_.data() + block * search_width * sieve_row; }
  size_t bytes() const;

 private:
  static constexpr size_t cuts_per_axis = 64, words = sieve_chunk / 64;
  void cut_differences(const BoxTree& tree);
  void sort_anchors(std::span<const float> anchors, size_t count, size_t all_axes);

  size_t axes_ = 0;
  std::vector<float> at_;                // [axis][cut], the first below and the last above everything
  std::vector<float> least_, greatest_;  // [axis][bucket] of the anchors
  std::vector<float> widest_;            // [axis] greatest amount of an anchor
  AlignedVector<uint64_t> below_;        // [chunk][axis][cut][8]
  AlignedVector<float> points_;
  std::vector<uint8_t> buckets_;
};

}  // namespace kedge
