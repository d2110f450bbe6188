// The part of AnchorSearch for data in which boxes exclude few differences. It computes the squared distance
// |t|^2 + |d|^2 - 2 t.d of every target t and every difference d as a matrix product. The product uses some
// of the leading axes only; pairs that are near enough on these are computed on all axes (survivors).

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kedge/anchors/anchor_search.h"
#include "kedge/kernels/kernels.h"

namespace kedge {
namespace {

constexpr float largest = std::numeric_limits<float>::max();
constexpr float epsilon = std::numeric_limits<float>::epsilon();
constexpr size_t chunk_blocks = 32;
// Vector operations: for each 16 differences in addition to the axes, and for each survivor.
constexpr double pass_overhead = 4, survivor_cost = 60;

}  // namespace

double AnchorSearch::scan_cost(size_t blocks) const {
  return static_cast<double>(blocks * width) * static_cast<double>(built_.tree.leaves()) *
         (static_cast<double>(axes_) + pass_overhead);
}

// The number of leading axes of least cost, estimated on a sample of blocks and leaves.
size_t AnchorSearch::choose_scan_axes(std::span<const uint32_t> blocks) {
  constexpr size_t tried_blocks = 4, tried_leaves = 16;
  const size_t leaves = built_.tree.leaves();
  std::vector<size_t> survivors(axes_ + 1, 0);
  size_t pairs = 0;
  for (size_t b = 0; b < tried_blocks; ++b) {
    open_block(blocks[b * blocks.size() / tried_blocks]);
    for (size_t l = 0; l < tried_leaves; ++l) {
      const float* const points = built_.tree.points(l * leaves / tried_leaves);
      for (size_t pair = 0; pair < width * width; ++pair, ++pairs) {
        const size_t i = pair / width, j = pair % width;
        float sum = 0;
        for (size_t k = 0; k < axes_ && sum <= limits_[i]; ++k) {
          const float e = targets_[k * width + i] - points[k * width + j];
          sum += e * e;
          if (sum <= limits_[i]) ++survivors[k + 1];
        }
      }
    }
  }
  size_t best = axes_;
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = 1; k <= axes_; ++k) {
    const double share = static_cast<double>(survivors[k]) / static_cast<double>(pairs);
    const double cost = static_cast<double>(k) + static_cast<double>(width) * share * survivor_cost;
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

void AnchorSearch::look_at_survivor(uint32_t anchor, const float* target, size_t leaf, size_t place) {
  const float* const points = built_.tree.points(leaf) + place;
  float sum = 0;
  for (size_t k = 0; k < axes_; ++k) {
    const float e = target[k] - points[k * width];
    sum += e * e;
  }
  if (sum <= std::min(limit_, own_limit_[anchor])) look_exactly(anchor, built_.tree.row(leaf, place));
}

// Factors of the product. Left: a row (-2 t, 1) for each target. Right: a column (d, |d|^2) for each
// difference.
struct AnchorSearch::ScanChunk {
  ScanChunk(size_t rows_, size_t axes_, size_t all_axes)
      : rows(rows_),
        axes(axes_),
        terms(axes_ + 1),
        left(rows * terms),
        right(terms * width),
        values(rows * width),
        squares(rows),
        limits(rows),
        targets(rows * all_axes),
        masks(rows) {}

  void multiply(const float* points) {
    std::copy(points, points + axes * width, right.begin());
    float* const square = right.data() + axes * width;
    std::fill(square, square + width, 0.0f);
    for (size_t k = 0; k < axes; ++k)
      for (size_t j = 0; j < width; ++j) square[j] += points[k * width + j] * points[k * width + j];
    kernels().gemm({.m = rows,
                    .n = width,
                    .k = terms,
                    .a = left.data(),
                    .a_row = terms,
                    .a_col = 1,
                    .b = right.data(),
                    .b_row = width,
                    .c = values.data(),
                    .c_row = width,
                    .bias = squares.data()});
    search_kernels().values_within(values.data(), rows, limits.data(), masks.data());
  }

  size_t rows, axes, terms;
  AlignedVector<float> left, right, values, squares, limits, targets;
  std::vector<uint16_t> masks;
};

void AnchorSearch::fill_chunk(std::span<const uint32_t> blocks, ScanChunk& chunk) {
  for (size_t r = 0; r < chunk.rows; ++r) {
    if (r % width == 0) open_block(blocks[r / width]);
    float* const target = chunk.targets.data() + r * axes_;
    for (size_t k = 0; k < axes_; ++k) target[k] = targets_[k * width + r % width];
    for (size_t k = 0; k < chunk.axes; ++k) {
      chunk.left[r * chunk.terms + k] = -2 * target[k];
      chunk.squares[r] += target[k] * target[k];
    }
    chunk.left[r * chunk.terms + chunk.axes] = 1;
  }
}

// The product subtracts large numbers, so its rounding error grows with the squared lengths of t and d.
float AnchorSearch::product_limit(uint32_t anchor, const ScanChunk& chunk, size_t r) const {
  if (anchor >= anchors_) return -largest;
  const float length = std::sqrt(chunk.squares[r]) + built_.tree.longest();
  const float error = static_cast<float>(2 * chunk.terms + 16) * epsilon * length * length;
  return std::min(largest, std::min(limit_, own_limit_[anchor]) + error);
}

void AnchorSearch::scan_chunk(std::span<const uint32_t> blocks, size_t scan_axes) {
  constexpr size_t refresh_every = 64;
  ScanChunk chunk(blocks.size() * width, scan_axes, axes_);
  fill_chunk(blocks, chunk);
  for (size_t leaf = 0; leaf < built_.tree.leaves(); ++leaf) {
    for (size_t r = 0; leaf % refresh_every == 0 && r < chunk.rows; ++r)
      chunk.limits[r] = product_limit(static_cast<uint32_t>(blocks[r / width] * width + r % width), chunk, r);
    chunk.multiply(built_.tree.points(leaf));
    for (size_t r = 0; r < chunk.rows; ++r) {
      if (!chunk.masks[r]) continue;
      const uint32_t anchor = static_cast<uint32_t>(blocks[r / width] * width + r % width);
      for (uint32_t mask = chunk.masks[r]; mask; mask &= mask - 1)
        look_at_survivor(anchor, chunk.targets.data() + r * axes_, leaf,
                         static_cast<size_t>(std::countr_zero(mask)));
      chunk.limits[r] = product_limit(anchor, chunk, r);
    }
  }
}

void AnchorSearch::scan(std::span<const uint32_t> blocks) {
  const size_t scan_axes = choose_scan_axes(blocks);
  for (size_t first = 0; first < blocks.size(); first += chunk_blocks)
    scan_chunk(blocks.subspan(first, std::min(chunk_blocks, blocks.size() - first)), scan_axes);
}

}  // namespace kedge
