#pragma once

// ProductScan: compares many targets with every point of a BoxTree, for data in which boxes exclude few.
//
// The squared distance |t|^2 + |d|^2 - 2 t.d of a target t and a point d is an entry of a matrix product. The
// product uses some of the leading axes only; pairs that are near enough on these are computed on all axes.
// Law: every point within the last limit of a target is looked at for it.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kedge/anchors/box_tree.h"

namespace kedge {

class ProductScan {
 public:
  /// Targets that one scan may have.
  static constexpr size_t most_targets = 512;

  /// The cost of scanning a tree, in vector operations.
  static double cost(const BoxTree& tree, size_t targets);

  ProductScan(const BoxTree& tree, size_t targets);

  /// Room for the numbers of a target, to be filled in before `run`.
  std::span<float> target(size_t t) { return {targets_.data() + t * tree_.axes(), tree_.axes()}; }

  /// limit(t): beyond this squared distance target t wants no point; below 0, none at all. It may fall while
  /// the scan runs.
  using Limit = std::function<float(size_t)>;
  /// look(t, row): at a row of the tree within the limit of target t.
  using Look = std::function<void(size_t, uint32_t)>;

  /// How many leading axes the product should use, estimated on a sample: a choice of speed, not of results.
  size_t cheapest_axes(const Limit& limit) const;
  void run(size_t axes, const Limit& limit, const Look& look);

 private:
  std::span<const float> target(size_t t) const { return {targets_.data() + t * tree_.axes(), tree_.axes()}; }
  void fill_factors(size_t axes);
  float product_limit(float limit, size_t t) const;
  void multiply(const float* points);

  const BoxTree& tree_;
  size_t count_, axes_ = 0, terms_ = 0;  // axes_: those that the product uses
  // Factors of the product. Left: a row (-2 t, 1) for each target. Right: a column (d, |d|^2) for each point.
  AlignedVector<float> targets_, left_, right_, values_, squares_, limits_;
  std::vector<uint16_t> masks_;
};

}  // namespace kedge
