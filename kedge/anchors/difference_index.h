#pragma once

// DifferenceIndex: finds the anchors whose target (query minus anchor) is nearest to a difference of the
// pool.
//
// The differences are kept in a tree of bounding boxes, in single precision, along their principal axes.
// Every anchor searches that tree, sixteen anchors at a time. All anchors share one bound: the distance of
// the last anchor that the result would hold. Differences that the boxes do not exclude are compared by
// DifferencePool in double precision. So the result is the same as that of comparing everything, to the last
// bit and with the same choice among equal distances. Where boxes exclude few differences, matrix products
// take the place of the tree: sum_scan.h for many points at once, product_scan.h for few. The search counts
// its operations to decide that.
//
// The first search builds the tree. Copies of the index share it. Any number of threads may search at once.

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kedge/anchors/box_tree.h"
#include "kedge/anchors/difference_pool.h"
#include "kedge/anchors/principal_axes.h"
#include "kedge/core/stop_check.h"

namespace kedge {

class DifferenceIndex {
 public:
  DifferenceIndex() = default;
  explicit DifferenceIndex(DifferencePool pool);

  /// Builds the tree now, so that the first search need not.
  void build() const { built(); }

  const DifferencePool& pool() const { return pool_; }

  using Found = std::vector<NearestDifference>;

  /// The `count` closest anchors (all of them where there are fewer), closest first.
  Found closest(std::span<const double> point, size_t count) const;
  /// Every anchor within `radius`, closest first. Where there is none, every anchor at the least distance.
  Found within(std::span<const double> point, double radius) const;
  // The same for each row of `points`. Many together cost less than each alone.
  std::vector<Found> closest(MatrixView<const double> points, size_t count,
                             const StopCheck& stop_check = {}) const;
  std::vector<Found> within(MatrixView<const double> points, double radius,
                            const StopCheck& stop_check = {}) const;

  /// Memory of the index without the pool and the points.
  size_t bytes() const;

 private:
  friend class AnchorSearch;

  struct Built {
    explicit Built(const DifferencePool& pool);

    PrincipalAxes axes;
    BoxTree tree;
    AlignedVector<uint32_t> anchors;  // training rows in compact_order; sixteen make a block
    AlignedVector<float> projected;   // [block][axis][16] of the anchors; linear spaces only
    std::vector<float> anchor_boxes;  // [block][leading axis][least, greatest] of them
  };
  struct Later {
    std::once_flag once;
    std::unique_ptr<const Built> built;
  };
  const Built& built() const;
  std::vector<Found> search(MatrixView<const double> points, size_t count, double radius,
                            const StopCheck& stop_check) const;
  void search_together(MatrixView<const double> points, size_t count, double radius,
                       const StopCheck& stop_check, std::span<Found> found) const;

  DifferencePool pool_;
  std::shared_ptr<Later> later_;
};

}  // namespace kedge
