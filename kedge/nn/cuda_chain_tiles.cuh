#pragma once

// Tiles of weights: their gradient, and Adam behind it, by the warps that own them.

#include "kedge/nn/cuda_chain_block.cuh"

namespace kedge::cuda {

__device__ __forceinline__ ops::Moments<float> adam_step_of(float gradient, float value, float first,
                                                            float second, const AdamStep& step) {
  return ops::adam(gradient, ops::Moments<float>{value, first, second}, step, root);
}

/// The moments of a tile, as lanes hold its two halves.
struct TileMoments {
  float first[2][4], second[2][4];
};

/// Weights of one half of a tile after a step of Adam.
__device__ __forceinline__ void update_half(uint32_t from, uint32_t to, uint32_t below, const TileSum& sum,
                                            float (&first)[4], float (&second)[4], const AdamStep& step) {
  const float2 top = read2(from), bottom = read2(from + below);
  const float before[4] = {top.x, top.y, bottom.x, bottom.y};
  float after[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const ops::Moments<float> moments = adam_step_of(sum.c[i], before[i], first[i], second[i], step);
    after[i] = moments.value;
    first[i] = moments.first;
    second[i] = moments.second;
  }
  write2(to, after[0], after[1]);
  write2(to + below, after[2], after[3]);
}

/// A tile's gradient, and Adam behind it. The first tile of a row has the biases too.
template <Precision precision>
__device__ __forceinline__ void update_tile(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                            const DeviceTile& tile, TileMoments& moments,
                                            const AdamStep& step, unsigned lane) {
  const DeviceLayer& layer = block.chain.layer[tile.layer];
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t dy_row = layer.y_row, x_row = layer.x_row, halves = tile.halves;
  const uint32_t dy = block.values + layer.gradient_at + q * dy_row + tile.row + g;
  const uint32_t x =
      (tile.layer == 0 ? block.input(t) : block.values) + layer.x_at + q * x_row + tile.column + g;
  const uint32_t other_half = halves == 2 ? 8 : 0;
  TileSum sums[2];
  float bias[2] = {};
  each_depth<2, 0>(p.slots, [&](auto number, uint32_t slot) {
    constexpr int count = decltype(number)::value;
    float d[count][4], v[count][2][2];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const uint32_t from = dy + (slot + 8 * i) * dy_row;
      d[i][0] = shared_at(from), d[i][1] = shared_at(from + 8), d[i][2] = shared_at(from + 4 * dy_row),
      d[i][3] = shared_at(from + 4 * dy_row + 8);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const uint32_t value = x + (slot + 8 * i) * x_row + n * other_half;
        v[i][n][0] = shared_at(value), v[i][n][1] = shared_at(value + 4 * x_row);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      add_products<precision>(sums, d[i], v[i]);
      bias[0] += d[i][0] + d[i][2];
      bias[1] += d[i][1] + d[i][3];
    }
  });
  const uint32_t from = block.weights(t), to = block.weights(t + 1);
  const uint32_t place = layer.weight_at + (tile.row + g) * layer.weight_row + tile.column + 2 * q,
                 below = 8 * layer.weight_row;
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    sums[n].finish();
    if (n < static_cast<int>(halves))
      update_half(from + place + 8 * n, to + place + 8 * n, below, sums[n], moments.first[n],
                  moments.second[n], step);
  }
  if (tile.column > 0) return;
#pragma unroll
  for (int apart = 1; apart < 4; apart *= 2) {
    bias[0] += __shfl_xor_sync(~0u, bias[0], apart);
    bias[1] += __shfl_xor_sync(~0u, bias[1], apart);
  }
  if (q >= 2) return;
  const uint32_t own = layer.bias_at + tile.row + g + 8 * q,
                 moment = layer.biases_before + tile.row + g + 8 * q;
  const ops::Moments<float> after =
      adam_step_of(q == 0 ? bias[0] : bias[1], shared_at(from + own), shared_at(block.bias_first + moment),
                   shared_at(block.bias_second + moment), step);
  shared_at(to + own) = after.value;
  shared_at(block.bias_first + moment) = after.first;
  shared_at(block.bias_second + moment) = after.second;
}

/// The tiles of a warp, up to `most`.
template <int most>
struct OwnTiles {
  const DeviceTile* tiles;
  uint32_t count;
  TileMoments moments[most];

  /// Calls move(number in registers, the same in global memory) for all moments, which begin at `first`.
  template <class Move>
  __device__ __forceinline__ void each_moment(const DeviceChain& chain, float* first, uint32_t to_second,
                                              unsigned lane, const Move& move) {
    const unsigned g = lane >> 2, q = lane & 3;
#pragma unroll
    for (int i = 0; i < most; ++i)
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        if (i >= static_cast<int>(count) || n >= tiles[i].halves) continue;
        const DeviceLayer& layer = chain.layer[tiles[i].layer];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float* const there = first + chain.parameter_at + layer.weight_at +
                               (tiles[i].row + g + e / 2 * 8) * layer.weight_row + tiles[i].column + 8 * n +
                               2 * q + e % 2;
          move(moments[i].first[n][e], there[0]);
          move(moments[i].second[n][e], there[to_second]);
        }
      }
  }
};

}  // namespace kedge::cuda
