#pragma once

// RowIndex: finds the training rows nearest to a point.
//
// The search is that of DifferenceIndex with rows in place of differences: a tree of boxes over the projected
// training points, a matrix product where boxes exclude few, and every candidate compared in double
// precision. Law: the result is that of comparing every row, to the last bit; of equal distances the first
// row. It does not depend on the points that are searched beside it, nor on the number of threads.
//
// The first search builds the tree. Copies share it. Any number of threads may search at once.

#include <memory>
#include <span>
#include <vector>

#include "kedge/anchors/difference_pool.h"
#include "kedge/core/thread_pool.h"

namespace kedge {

struct NearestRow {
  uint32_t row = 0;
  double squared = 0;  ///< infinite where there is no such row

  double distance() const { return std::sqrt(squared); }
  bool operator==(const NearestRow&) const = default;
};

/// Squared distance of a point and a training row. `delta` is scratch of the size of a delta.
double row_squared_distance(const DifferencePool& pool, std::span<const double> point, size_t row,
                            std::span<double> delta);

class RowIndex {
 public:
  RowIndex();

  /// `pool` is the same in every call for one index and its copies. Rows at less than `least` are passed
  /// over.
  NearestRow nearest(const DifferencePool& pool, std::span<const double> point, double least = 0) const;
  /// For each row of `points` the `count` nearest rows, or all where there are fewer, the nearest first.
  std::vector<std::vector<NearestRow>> closest(const DifferencePool& pool, MatrixView<const double> points,
                                               size_t count, ThreadPool& threads) const;
  /// The nearest one for each row of `points`.
  std::vector<NearestRow> nearest(const DifferencePool& pool, MatrixView<const double> points,
                                  ThreadPool& threads, double least = 0) const;

 private:
  friend class RowSearch;
  struct Built;
  struct Later;
  const Built& built(const DifferencePool& pool) const;
  /// `count` rows for each point, one after the other.
  std::vector<NearestRow> search(const DifferencePool& pool, MatrixView<const double> points, size_t count,
                                 ThreadPool& threads, double least) const;

  std::shared_ptr<Later> later_;
};

}  // namespace kedge
