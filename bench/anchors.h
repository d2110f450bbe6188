#pragma once

// What the benchmark of the anchor search is made of: tables, and the brute force it is held against.

#include <string>

#include "kedge/anchors/difference_index.h"

namespace kedge::bench {

struct AnchorTask {
  std::string name;
  DifferencePool pool;
  Matrix<double> inside, outside;  ///< queries within the support, and 20 to 50 % beyond it
};

/// Names: composition (mixes of 2-4 of 80 random vectors), correlated (the same, the vectors in few leading
/// directions, as measured tables are), gauss, grasp (points of a turned, moved and scaled object), latent
/// (a curved map of four numbers, and noise), uniform.
AnchorTask make_task(const std::string& name, size_t rows, size_t pairs, size_t columns);

/// Holds the search to going through everything, in double precision; ends the program where they differ.
/// Each prints what was compared. The first takes a task whose pool is gone through for every anchor; the
/// second one too large for that: some of the closest anchors, and some drawn at random, each against the
/// whole pool.
void check_everything(const AnchorTask& task);
void check_samples(const DifferenceIndex& index, const AnchorTask& task);

/// The nearest anchor by |t|^2 + |d|^2 - 2 t.d over all differences and the first `anchors` anchors: a
/// blocked matrix product in single precision, what may be least decided in double.
class BlockedProduct {
 public:
  explicit BlockedProduct(const DifferencePool& pool);
  NearestDifference nearest(std::span<const double> point, size_t anchors) const;

 private:
  const DifferencePool& pool_;
  size_t padded_, terms_;
  std::vector<double> center_;
  std::vector<float> right_;  // [axis and square][pair]
  float longest_ = 0;
};

}  // namespace kedge::bench
