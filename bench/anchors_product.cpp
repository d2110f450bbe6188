#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bench/anchors.h"
#include "kedge/kernels/kernels.h"
#include "kedge/kernels/search_kernels.h"

namespace kedge::bench {
namespace {

constexpr size_t block_pairs = 256, block_anchors = 64;

}  // namespace

BlockedProduct::BlockedProduct(const DifferencePool& pool)
    : pool_(pool),
      padded_((pool.pairs.size() + block_pairs - 1) / block_pairs * block_pairs),
      terms_(pool.delta_size() + 1),
      right_(terms_ * padded_) {
  const size_t axes = pool.delta_size();
  for (size_t p = 0; p < padded_; ++p) {
    float square = 0;
    if (p >= pool.pairs.size()) {
      square = std::numeric_limits<float>::infinity();
    } else {
      const Pair pair = pool.pairs[p];
      for (size_t k = 0; k < axes; ++k) {
        const double d = (pool.points(pair.query, k) - pool.points(pair.anchor, k)) / pool.scale[k];
        right_[k * padded_ + p] = static_cast<float>(d);
        square += static_cast<float>(d * d);
      }
      longest_ = std::max(longest_, std::sqrt(square));
    }
    right_[axes * padded_ + p] = square;
  }
}

NearestDifference BlockedProduct::nearest(std::span<const double> point, size_t anchors) const {
  const size_t axes = terms_ - 1;
  NearestDifference best{0, 0, std::numeric_limits<double>::infinity()};
  std::vector<double> delta(axes);
  std::vector<float> left(block_anchors * terms_), squares(block_anchors), limits(block_anchors * 16);
  std::vector<float> values(block_anchors * block_pairs);
  std::vector<uint16_t> masks(block_anchors * block_pairs / 16);
  float limit = std::numeric_limits<float>::max();
  for (size_t first = 0; first < anchors; first += block_anchors) {
    const size_t rows = std::min(block_anchors, anchors - first);
    float longest = longest_;
    for (size_t r = 0; r < rows; ++r) {
      pool_.target(point, first + r, delta);
      squares[r] = 0;
      for (size_t k = 0; k < axes; ++k) {
        const float t = static_cast<float>(delta[k] / pool_.scale[k]);
        left[r * terms_ + k] = -2 * t;
        squares[r] += t * t;
      }
      left[r * terms_ + axes] = 1;
      longest = std::max(longest, longest_ + std::sqrt(squares[r]));
    }
    const float error =
        static_cast<float>(2 * terms_ + 16) * std::numeric_limits<float>::epsilon() * longest * longest;
    for (size_t p = 0; p < padded_; p += block_pairs) {
      kernels().gemm({.m = rows,
                      .n = block_pairs,
                      .k = terms_,
                      .a = left.data(),
                      .a_row = terms_,
                      .a_col = 1,
                      .b = right_.data() + p,
                      .b_row = padded_,
                      .c = values.data(),
                      .c_row = block_pairs,
                      .bias = squares.data()});
      const size_t groups = rows * block_pairs / 16;
      limits.assign(groups, std::min(std::numeric_limits<float>::max(), limit + error));
      search_kernels().values_within(values.data(), groups, limits.data(), masks.data());
      for (size_t g = 0; g < groups; ++g) {
        for (uint32_t mask = masks[g]; mask; mask &= mask - 1) {
          const size_t at = g * 16 + static_cast<size_t>(std::countr_zero(mask));
          if (!(values[at] <= limit + error)) continue;
          const uint32_t anchor = static_cast<uint32_t>(first + at / block_pairs);
          const uint32_t place = static_cast<uint32_t>(p + at % block_pairs);
          pool_.target(point, anchor, delta);
          const NearestDifference found{anchor, place, pool_.squared_distance(delta, place)};
          if (!closer(found, best)) continue;
          best = found;
          limit = static_cast<float>(best.squared) * (1 + 1e-5f);
        }
      }
    }
  }
  return best;
}

}  // namespace kedge::bench
