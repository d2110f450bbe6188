#pragma once

// Values and gradients of the layers of a chain, by the warps that compute.

#include <limits>

#include "kedge/nn/cuda_chain_block.cuh"

namespace kedge::cuda {

/// What an activation lets pass is above this.
__device__ __forceinline__ float least_of(const DeviceLayer& layer) {
  return layer.is_relu ? 0.0f : -std::numeric_limits<float>::infinity();
}

/// The warps that share slots wait for each other.
__device__ __forceinline__ void wait_for_slots(unsigned warp) {
  barrier_of<32 * slot_warps>(slots_barrier + warp / slot_warps);
}

/// Values of `tiles` times 8 features of 16 slots, every fourth 8 of them. Depth is taken in pairs of
/// neighbours: lane (g, q) has 2q and 2q + 1. The last layer of two chains gives them to the other block.
template <Precision precision, int tiles, uint32_t known>
__device__ __forceinline__ void layer_tiles(const ChainBlock& block, const DeviceLayer& layer, uint64_t t,
                                            uint32_t x, uint32_t slots, uint32_t slot, uint32_t feature,
                                            bool gives, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  // Rows of weights are as far apart as those of what they multiply.
  const uint32_t row = known > 0 ? row_of(known) : layer.x_row, below = 8 * row, next = 8 * slot_warps * row;
  const uint32_t w = block.weights(t) + layer.weight_at + (feature + g) * row + 2 * q,
                 biases = block.weights(t) + layer.bias_at + feature + 2 * q;
  x += (slot + g) * row + 2 * q;
  TileSum sums[tiles];
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    const float2 bias = read2(biases + 8 * slot_warps * n);
    sums[n].c[0] = sums[n].c[2] = bias.x;
    sums[n].c[1] = sums[n].c[3] = bias.y;
  }
  each_depth<(tiles < 3 ? 4 : 2), known>(layer.in, [&](auto number, uint32_t k) {
    constexpr int count = decltype(number)::value;
    float v[count][4], pairs[count][tiles][2];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float2 high = read2(x + k + 8 * i), low = read2(x + below + k + 8 * i);
      v[i][0] = high.x, v[i][1] = low.x, v[i][2] = high.y, v[i][3] = low.y;
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        const float2 pair = read2(w + n * next + k + 8 * i);
        pairs[i][n][0] = pair.x, pairs[i][n][1] = pair.y;
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) add_products<precision>(sums, v[i], pairs[i]);
  });
  const uint32_t y = block.values + layer.y_at, other = block.other(t, slots);
  const float least = least_of(layer);
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t high = (slot + g) * layer.y_row + feature + 8 * slot_warps * n + 2 * q,
                   low = high + 8 * layer.y_row;
#pragma unroll
    for (int i = 0; i < 4; ++i) c[i] = c[i] > least ? c[i] : least;
    if (layer.is_sin) {
      float slopes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = sin_pi(c[i], slopes[i]);
      write2(block.values + layer.slope_at + high, slopes[0], slopes[1]);
      write2(block.values + layer.slope_at + low, slopes[2], slopes[3]);
    }
    write2(y + high, c[0], c[1]);
    write2(y + low, c[2], c[3]);
    if (gives) {
      give(block_memory() + other + high, c[0], c[1], block.signal(t), 1 - block.own);
      give(block_memory() + other + low, c[2], c[3], block.signal(t), 1 - block.own);
    }
  }
}

/// The gradient of `tiles` times 8 inputs of a layer, every fourth 8 of them, for 16 slots, as one of what
/// the activation of the layer before reads.
template <Precision precision, int tiles, uint32_t known>
__device__ __forceinline__ void gradient_tiles(const ChainBlock& block, const DeviceLayer& layer,
                                               const DeviceLayer& before, uint64_t t, uint32_t slot,
                                               uint32_t feature, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t row = layer.y_row, weight_row = known > 0 ? row_of(known) : layer.weight_row;
  const uint32_t dy = block.values + layer.gradient_at + (slot + g) * row + q;
  const uint32_t w = block.weights(t) + layer.weight_at + q * weight_row + feature + g;
  TileSum sums[tiles];
  each_depth<(tiles < 3 ? 4 : 2), 0>(layer.out, [&](auto number, uint32_t k) {
    constexpr int count = decltype(number)::value;
    float d[count][4], v[count][tiles][2];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const uint32_t from = dy + k + 8 * i;
      d[i][0] = shared_at(from), d[i][1] = shared_at(from + 8 * row), d[i][2] = shared_at(from + 4),
      d[i][3] = shared_at(from + 8 * row + 4);
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        const uint32_t weight = w + (k + 8 * i) * weight_row + 8 * slot_warps * n;
        v[i][n][0] = shared_at(weight), v[i][n][1] = shared_at(weight + 4 * weight_row);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) add_products<precision>(sums, d[i], v[i]);
  });
  const float least = least_of(before);
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t high = block.values + (slot + g) * before.y_row + feature + 8 * slot_warps * n + 2 * q,
                   low = high + 8 * before.y_row;
    const float2 top = read2(before.y_at + high), bottom = read2(before.y_at + low);
    c[0] = top.x > least ? c[0] : 0, c[1] = top.y > least ? c[1] : 0;
    c[2] = bottom.x > least ? c[2] : 0, c[3] = bottom.y > least ? c[3] : 0;
    if (before.is_sin) {
      const float2 slope = read2(before.slope_at + high), other = read2(before.slope_at + low);
      c[0] *= slope.x, c[1] *= slope.y, c[2] *= other.x, c[3] *= other.y;
    }
    write2(before.gradient_at + high, c[0], c[1]);
    write2(before.gradient_at + low, c[2], c[3]);
  }
}

/// Calls run(integral constant of tiles, first feature) for this warp's part of `width` features: every
/// fourth 8, up to three of these at once.
template <class Run>
__device__ __forceinline__ void each_tiles(uint32_t width, unsigned warp, const Run& run) {
  const uint32_t part = warp % slot_warps, all = (width / 8 + slot_warps - 1 - part) / slot_warps;
  uint32_t done = 0;
  const auto feature = [&] { return 8 * part + 8 * slot_warps * done; };
#pragma unroll 1
  for (; done + 3 <= all; done += 3) run(std::integral_constant<int, 3>{}, feature());
  if (done + 2 == all) run(std::integral_constant<int, 2>{}, feature());
  if (done + 1 == all) run(std::integral_constant<int, 1>{}, feature());
}

}  // namespace kedge::cuda
