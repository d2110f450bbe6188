#include "kedge/anchors/sum_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/kernels/kernels.h"

namespace kedge {
namespace {

constexpr size_t width = search_width;
// Leaves whose products with sixteen anchors fit in the first cache.
constexpr size_t leaves_together = 32;
constexpr float epsilon = std::numeric_limits<float>::epsilon();
// Squared; a search with so much slack that coordinates come near it does not project at all.
constexpr float far_away = 1e30f;
// Vector operations for each 16 differences: shift and compare; and of the product, beside its axes.
constexpr double shift_cost = 2.5, product_overhead = 4;

}  // namespace

double SumScan::cost(const BoxTree& tree, size_t queries) {
  return static_cast<double>(tree.leaves()) *
         (shift_cost + (static_cast<double>(tree.axes()) + product_overhead) / static_cast<double>(queries));
}

SumScan::SumScan(const BoxTree& tree, const AlignedVector<float>& anchors)
    : tree_(tree),
      anchors_(anchors),
      axes_(tree.axes()),
      blocks_(anchors.size() / (axes_ * width)),
      doubled_(tree.leaves() * axes_ * width),
      squares_(tree.leaves() * width) {
  for (size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    const float* const points = tree.points(leaf);
    for (size_t k = 0; k < axes_; ++k) {
      for (size_t i = 0; i < width; ++i) {
        const float x = points[k * width + i];
        float& square = squares_[leaf * width + i];
        doubled_[(leaf * axes_ + k) * width + i] = std::isinf(x) ? 0 : 2 * x;
        square = std::isinf(x) ? far_away : square + x * x;
      }
    }
  }
  for (size_t block = 0; block < blocks_; ++block)
    for (size_t i = 0; i < width; ++i)
      longest_anchor_ =
          std::max(longest_anchor_, length_from(anchors.data() + block * axes_ * width + i, 0, axes_, width));
}

float SumScan::error(std::span<const float> query) const {
  const float length = length_from(query.data(), 0, axes_, 1) + longest_anchor_ + tree_.longest();
  return static_cast<float>(4 * axes_ + 32) * epsilon * length * length;
}

void SumScan::scan_leaves(size_t first, size_t count, const Matrix<float>& queries,
                          Matrix<float>& least) const {
  const size_t rows = count * width;
  AlignedVector<float> shifts(queries.rows() * rows), products(rows * width);
  for (size_t leaf = 0; leaf < count; ++leaf)
    kernels().gemm({.m = queries.rows(),
                    .n = width,
                    .k = axes_,
                    .a = queries.data(),
                    .a_row = axes_,
                    .a_col = 1,
                    .b = doubled_.data() + (first + leaf) * axes_ * width,
                    .b_row = width,
                    .c = shifts.data() + leaf * width,
                    .c_row = rows});
  for (size_t block = 0; block < blocks_; ++block) {
    for (size_t leaf = 0; leaf < count; ++leaf)
      kernels().gemm({.m = width,
                      .n = width,
                      .k = axes_,
                      .a = doubled_.data() + (first + leaf) * axes_ * width,
                      .a_row = 1,
                      .a_col = width,
                      .b = anchors_.data() + block * axes_ * width,
                      .b_row = width,
                      .c = products.data() + leaf * width * width,
                      .c_row = width,
                      .bias = squares_.data() + (first + leaf) * width});
    search_kernels().lower_to_shifted(products.data(), rows,
                                      {.count = queries.rows(),
                                       .shifts = shifts.data(),
                                       .shift_row = rows,
                                       .least = least.data() + block * width,
                                       .least_row = least.cols()});
  }
}

Matrix<float> SumScan::nearest(const Matrix<float>& queries, const StopCheck& stop_check) const {
  Matrix<float> least(queries.rows(), blocks_ * width);
  std::fill(least.data(), least.data() + least.rows() * least.cols(), far_away);
  for (size_t first = 0; first < tree_.leaves(); first += leaves_together) {
    check_stop(stop_check);
    scan_leaves(first, std::min(leaves_together, tree_.leaves() - first), queries, least);
  }
  for (size_t q = 0; q < queries.rows(); ++q) {
    for (size_t block = 0; block < blocks_; ++block) {
      float squared[width] = {};
      for (size_t k = 0; k < axes_; ++k) {
        const float* const anchors = anchors_.data() + (block * axes_ + k) * width;
        for (size_t i = 0; i < width; ++i) {
          const float e = queries(q, k) - anchors[i];
          squared[i] += e * e;
        }
      }
      for (size_t i = 0; i < width; ++i) least(q, block * width + i) += squared[i];
    }
  }
  return least;
}

}  // namespace kedge
