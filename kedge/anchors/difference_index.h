#pragma once

// DifferenceIndex: for a query, the anchors whose target (query minus anchor) is nearest to a difference of
// the pool; exact, ties included, and much faster than trying all of them.
//
// The differences stand in a tree of boxes along their principal axes, in single precision. Every anchor
// descends that tree, sixteen anchors at a time, under one bound that all share: the distance of the worst
// anchor that would still be kept. What the boxes cannot rule out is decided by DifferencePool in double
// precision, so the answer is that of brute force to the last bit. The first blocks of anchors tell, by
// counting, how the others are best done: with many anchors the tree is gone through once for all of them
// (anchor_sweep.cpp); where boxes rule out too little to pay, masks of pairs take over (anchor_sieve.cpp) or
// a matrix product (anchor_scan.cpp).
//
// The first search builds the tree, once, whichever thread it runs on; copies share it. Beyond that a search
// changes nothing in the index: any number of threads may search at once.

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kedge/anchors/box_tree.h"
#include "kedge/anchors/difference_pool.h"
#include "kedge/anchors/principal_axes.h"

namespace kedge {

class DifferenceIndex {
 public:
  DifferenceIndex() = default;
  explicit DifferenceIndex(DifferencePool pool);

  /// Does what the first search would do on its way.
  void build() const { built(); }

  const DifferencePool& pool() const { return pool_; }

  /// The `count` closest anchors (all of them where there are fewer), best first.
  std::vector<NearestDifference> closest(std::span<const double> point, size_t count) const;
  /// Every anchor within `radius`, or at the least distance where none is, best first.
  std::vector<NearestDifference> within(std::span<const double> point, double radius) const;

  /// Memory held beside the pool and the points.
  size_t bytes() const;

 private:
  friend class AnchorSearch;

  struct Built {
    explicit Built(const DifferencePool& pool);

    PrincipalAxes axes;
    BoxTree tree;
    AlignedVector<uint32_t> anchors;  // training rows in compact order: sixteen and sixteen make a block
    AlignedVector<float> projected;   // [block][axis][16] of the anchors; linear spaces only
    std::vector<float> anchor_boxes;  // [block][leading axis][least, greatest] of them
  };
  struct Later {
    std::once_flag once;
    std::unique_ptr<const Built> built;
  };
  const Built& built() const;

  DifferencePool pool_;
  std::shared_ptr<Later> later_;
};

}  // namespace kedge
