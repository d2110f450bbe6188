#pragma once

// The training kernel of form chains: a thread block trains one chain of a replica for many steps. The two
// blocks of a replica are a cluster: each gives the other what its last layer computes, and both compute the
// loss.
//
// - Eight warps compute: four have every other 16 slots, and of these each every fourth 8 features. So values
//   go from layer to layer without the other warps.
// - Seven more update weights. Each tile of weights has a warp that owns it (DeviceChain::tile), with its
//   moments in registers; who computes owns some too, of the first layers. New weights go to the other of two
//   copies, so nobody waits for who still reads the old.
// - One warp draws the pairs of the next step.
//
// Laws: as of form block.

#include <limits>

#include "kedge/nn/cuda_dense.cuh"
#include "kedge/nn/cuda_rows.cuh"

namespace kedge::cuda {

constexpr unsigned chain_warps = DeviceChain::computing_warps, drawing_warp = DeviceChain::warps,
                   chain_threads = 32 * (drawing_warp + 1);
constexpr unsigned parts = 4;  // warps that share slots
// Barriers of some warps: of all who compute, of those who share slots, and by layer of all but the one that
// draws.
constexpr unsigned chain_barrier = 1, slots_barrier = 2, layer_barrier = 4;
constexpr unsigned gradient_threads = 32 * DeviceChain::warps;

/// What a block of a chain works on. Places are offsets in its shared memory, so that the compiler knows of
/// every access that it goes there.
struct ChainBlock {
  const DeviceChains& chains;
  const DeviceChain& chain;
  unsigned own;  // which of the chains
  uint32_t bias_first, bias_second, values, inputs, input_floats;

  // By step in turn: two copies of weights with biases, two buffers of inputs, and so on.
  static __device__ uint32_t turn(uint64_t t) { return static_cast<uint32_t>(t & 1); }
  __device__ uint32_t weights(uint64_t t) const { return turn(t) * chains.parameter_floats; }
  __device__ uint32_t input(uint64_t t) const { return inputs + turn(t) * input_floats; }
  /// What the other chain gave.
  __device__ uint32_t other(uint64_t t, uint32_t slots) const {
    return values + chains.other_at + turn(t) * slots * chain.layer[chain.layers - 1].y_row;
  }
  /// Of errors, by slot.
  __device__ uint32_t squares(uint64_t t, uint32_t slots) const {
    return values + chains.squares_at + turn(t) * slots;
  }
  /// Tells that it is there.
  __device__ Signal* signal(uint64_t t) const {
    return reinterpret_cast<Signal*>(block_memory() + values + chains.signal_at) + turn(t);
  }
};

/// In bytes.
inline size_t chain_memory(const DeviceChains& chains, size_t input_floats) {
  return sizeof(float) *
         (2 * chains.parameter_floats + 2 * chains.bias_floats + chains.value_floats + 2 * input_floats);
}

__device__ __forceinline__ ChainBlock block_of(const DeviceChains& chains, const ProgramView& program,
                                               unsigned own) {
  const uint32_t biases = 2 * chains.parameter_floats, values = biases + 2 * chains.bias_floats;
  return {chains,
          chains.chain[own],
          own,
          biases,
          biases + chains.bias_floats,
          values,
          values + chains.value_floats,
          program.input_floats};
}

__device__ __forceinline__ float& at(uint32_t place) { return block_memory()[place]; }
__device__ __forceinline__ float2 read2(uint32_t place) { return reinterpret_cast<const float2&>(at(place)); }
__device__ __forceinline__ void write2(uint32_t place, float a, float b) {
  reinterpret_cast<float2&>(at(place)) = {a, b};
}

/// A tile of a warp. What is small is added apart, in two sums that do not wait for each other.
struct TileSum {
  float c[4] = {}, small[4] = {}, other_small[4] = {};

  template <Precision precision>
  __device__ __forceinline__ void add(const Parts<precision, 4>& a, const Parts<precision, 2>& b) {
    if constexpr (precision == Precision::exact) {
      multiply_add(small, a.low, b.high);
      multiply_add(other_small, a.high, b.low);
    }
    multiply_add(c, a.high, b.high);
  }
  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int i = 0; i < 4; ++i) c[i] += small[i] + other_small[i];
  }
};

/// Calls run(integral constant of count, k) for `depth` numbers, 8 times count at a time: what a call reads,
/// it reads before it computes. A depth that is known, and not 0, has no loop.
template <int most, uint32_t known, class Run>
__device__ __forceinline__ void each_depth(uint32_t depth, const Run& run) {
  uint32_t k = 0;
  if constexpr (known > 0) {
#pragma unroll
    for (; k + 8 * most <= known; k += 8 * most) run(std::integral_constant<int, most>{}, k);
#pragma unroll
    for (; k < known; k += 8) run(std::integral_constant<int, 1>{}, k);
  } else {
#pragma unroll 1
    for (; k + 8 * most <= depth; k += 8 * most) run(std::integral_constant<int, most>{}, k);
#pragma unroll 1
    for (; k < depth; k += 8) run(std::integral_constant<int, 1>{}, k);
  }
}

/// Calls run(integral constant) of a layer's number of inputs: of the usual ones that number, so that the
/// compiler knows where everything stands; of others 0.
template <class Run>
__device__ __forceinline__ void of_width(uint32_t width, const Run& run) {
  if (width == 32)
    run(std::integral_constant<uint32_t, 32>{});
  else if (width == 64)
    run(std::integral_constant<uint32_t, 64>{});
  else if (width == 16)
    run(std::integral_constant<uint32_t, 16>{});
  else
    run(std::integral_constant<uint32_t, 0>{});
}

/// What an activation lets pass is above this.
__device__ __forceinline__ float least_of(const DeviceLayer& layer) {
  return layer.is_relu ? 0.0f : -std::numeric_limits<float>::infinity();
}

/// The warps that share slots wait for each other.
__device__ __forceinline__ void wait_for_slots(unsigned warp) {
  barrier_of<32 * parts>(slots_barrier + warp / parts);
}

/// Values of `tiles` times 8 features of 16 slots, every fourth 8 of them. Depth is taken in pairs of
/// neighbours: lane (g, q) has 2q and 2q + 1. The last layer of two chains gives them to the other block.
template <Precision precision, int tiles, uint32_t known>
__device__ __forceinline__ void layer_tiles(const ChainBlock& block, const DeviceLayer& layer, uint64_t t,
                                            uint32_t x, uint32_t slots, uint32_t slot, uint32_t feature,
                                            bool gives, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  // Rows of weights are as far apart as those of what they multiply.
  const uint32_t row = known > 0 ? row_of(known) : layer.x_row, below = 8 * row, next = 8 * parts * row;
  const uint32_t w = block.weights(t) + layer.weight_at + (feature + g) * row + 2 * q,
                 biases = block.weights(t) + layer.bias_at + feature + 2 * q;
  x += (slot + g) * row + 2 * q;
  TileSum sums[tiles];
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    const float2 bias = read2(biases + 8 * parts * n);
    sums[n].c[0] = sums[n].c[2] = bias.x;
    sums[n].c[1] = sums[n].c[3] = bias.y;
  }
  each_depth<(tiles < 3 ? 4 : 2), known>(layer.in, [&](auto number, uint32_t k) {
    constexpr int count = decltype(number)::value;
    float2 high[count], low[count], pairs[count][tiles];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      high[i] = read2(x + k + 8 * i);
      low[i] = read2(x + below + k + 8 * i);
#pragma unroll
      for (int n = 0; n < tiles; ++n) pairs[i][n] = read2(w + n * next + k + 8 * i);
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Parts<precision, 4> a;
      a.set(0, high[i].x), a.set(1, low[i].x), a.set(2, high[i].y), a.set(3, low[i].y);
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        Parts<precision, 2> b;
        b.set(0, pairs[i][n].x), b.set(1, pairs[i][n].y);
        sums[n].add(a, b);
      }
    }
  });
  const uint32_t y = block.values + layer.y_at, other = block.other(t, slots);
  const float least = least_of(layer);
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t high = (slot + g) * layer.y_row + feature + 8 * parts * n + 2 * q,
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
      d[i][0] = at(from), d[i][1] = at(from + 8 * row), d[i][2] = at(from + 4),
      d[i][3] = at(from + 8 * row + 4);
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        const uint32_t weight = w + (k + 8 * i) * weight_row + 8 * parts * n;
        v[i][n][0] = at(weight), v[i][n][1] = at(weight + 4 * weight_row);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Parts<precision, 4> a;
#pragma unroll
      for (int e = 0; e < 4; ++e) a.set(e, d[i][e]);
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        Parts<precision, 2> b;
        b.set(0, v[i][n][0]), b.set(1, v[i][n][1]);
        sums[n].add(a, b);
      }
    }
  });
  const float least = least_of(before);
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t high = block.values + (slot + g) * before.y_row + feature + 8 * parts * n + 2 * q,
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
  const uint32_t part = warp % parts, all = (width / 8 + parts - 1 - part) / parts;
  uint32_t done = 0;
  const auto feature = [&] { return 8 * part + 8 * parts * done; };
#pragma unroll 1
  for (; done + 3 <= all; done += 3) run(std::integral_constant<int, 3>{}, feature());
  if (done + 2 == all) run(std::integral_constant<int, 2>{}, feature());
  if (done + 1 == all) run(std::integral_constant<int, 1>{}, feature());
}

/// Eight lanes for each slot.
constexpr uint32_t slot_lanes = 8;

/// A lane's part of the sum over `rank` products of two rows. All lanes go through loops of one length.
__device__ __forceinline__ float part_of_product(uint32_t y, uint32_t z, uint32_t rank, unsigned part) {
  float sum = 0;
  uint32_t r = 0;
#pragma unroll 1
  for (; rank % 4 == 0 && r + 4 * slot_lanes <= rank; r += 4 * slot_lanes) {
    const float4 a = reinterpret_cast<const float4&>(at(y + r + 4 * part)),
                 b = reinterpret_cast<const float4&>(at(z + r + 4 * part));
    sum += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
  }
#pragma unroll 1
  for (; r < rank; r += slot_lanes) {
    const uint32_t own = r + part < rank ? r + part : r;
    const float product = at(y + own) * at(z + own);
    sum += r + part < rank ? product : 0;
  }
  return sum;
}

/// Writes its part of the gradient of the first row in place of it.
__device__ __forceinline__ void part_of_gradient(uint32_t y, uint32_t z, uint32_t rank, unsigned part,
                                                 float gradient) {
  uint32_t r = 0;
#pragma unroll 1
  for (; rank % 4 == 0 && r + 4 * slot_lanes <= rank; r += 4 * slot_lanes) {
    const float4 b = reinterpret_cast<const float4&>(at(z + r + 4 * part));
    reinterpret_cast<float4&>(at(y + r + 4 * part)) = {gradient * b.x, gradient * b.y, gradient * b.z,
                                                       gradient * b.w};
  }
#pragma unroll 1
  for (; r < rank; r += slot_lanes)
    if (r + part < rank) at(y + r + part) = gradient * at(z + r + part);
}

/// Of a slot whose squares of errors are added up.
__device__ __forceinline__ ops::PairLoss loss_of(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                                 Loss kind, uint32_t slot, float squares) {
  return slot < p.batch ? pair_loss(p, kind, squares, at(block.input(t) + p.pair_weight_at + slot))
                        : ops::PairLoss{0, 0};
}

/// Eight lanes for each slot: the prediction, its error, and the gradient of what the chain gives in its
/// place.
__device__ __forceinline__ void chain_loss(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                           Loss kind, uint32_t slot, unsigned part) {
  constexpr uint32_t at_once = 4;  // outputs
  const DeviceLayer& last = block.chain.layer[block.chain.layers - 1];
  const uint32_t rank = block.chains.rank, outputs = p.outputs, input = block.input(t);
  const uint32_t y = block.values + last.y_at + slot * last.y_row,
                 z = block.other(t, p.slots) + slot * last.y_row;
  const bool is_product = block.chains.count == 2;
  const uint32_t errors = block.values + block.chains.error_at + slot * outputs,
                 targets = input + p.target_at + slot * p.target_row;
  float squares = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < outputs; first += at_once) {
    float predictions[at_once];
#pragma unroll
    for (uint32_t i = 0; i < at_once; ++i) {
      const uint32_t k = first + i < outputs ? first + i : outputs - 1;
      predictions[i] = is_product ? part_of_product(y + k * rank, z + k * rank, rank, part)
                                  : (part == 0 ? at(y + k) : 0.0f);
    }
#pragma unroll
    for (unsigned apart = 1; apart < slot_lanes; apart *= 2)
#pragma unroll
      for (uint32_t i = 0; i < at_once; ++i) predictions[i] += __shfl_xor_sync(~0u, predictions[i], apart);
#pragma unroll
    for (uint32_t i = 0; i < at_once; ++i) {
      const uint32_t k = first + i;
      if (k >= outputs) continue;
      if (block.chains.adds_anchor)
        predictions[i] += at(input + block.chains.anchor_at + slot * block.chains.anchor_row + k);
      const float error = predictions[i] - at(targets + k);
      squares += error * error;
      if (part == i) at(errors + k) = error;
    }
  }
  // The loss itself takes a division of doubles: that of the warp that draws.
  const float slope = loss_of(block, p, t, kind, slot, squares).slope;
  if (part == 0) at(block.squares(t, p.slots) + slot) = squares;
  __syncwarp();
  if (is_product) {
#pragma unroll 2
    for (uint32_t k = 0; k < outputs; ++k)
      part_of_gradient(y + k * rank, z + k * rank, rank, part, slope * at(errors + k));
  } else {
    for (uint32_t k = part; k < outputs; k += slot_lanes) at(y + k) = slope * at(errors + k);
  }
}

/// A step of a warp that computes.
template <Precision precision>
__device__ __forceinline__ void compute_chain(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              Loss kind, bool updates, unsigned warp, unsigned lane) {
  const DeviceChain& chain = block.chain;
  const uint32_t first = warp / parts * 16, slots = p.slots;
  const bool is_product = block.chains.count == 2;
  if (is_product && warp == 0 && lane == 0)
    expect(block.signal(t), slots * chain.layer[chain.layers - 1].out * sizeof(float));
#pragma unroll 1
  for (uint32_t l = 0; l < chain.layers; ++l) {
    const DeviceLayer& layer = chain.layer[l];
    const uint32_t x = (l == 0 ? block.input(t) : block.values) + layer.x_at;
    const bool gives = is_product && l + 1 == chain.layers;
#pragma unroll 1
    for (uint32_t slot = first; slot < slots; slot += 32)
      each_tiles(layer.out, warp, [&](auto tiles, uint32_t feature) {
        of_width(layer.in, [&](auto known) {
          layer_tiles<precision, decltype(tiles)::value, decltype(known)::value>(block, layer, t, x, slots,
                                                                                 slot, feature, gives, lane);
        });
      });
    wait_for_slots(warp);
  }
  if (is_product) wait_for(block.signal(t), block.turn(t / 2));
#pragma unroll 1
  for (uint32_t slot = first; slot < slots; slot += 32)
    chain_loss(block, p, t, kind, slot + warp % parts * (32 / slot_lanes) + lane / slot_lanes,
               lane % slot_lanes);
  if (!updates) return;
#pragma unroll 1
  for (uint32_t l = chain.layers - 1;; --l) {
    arrive_at<gradient_threads>(layer_barrier + l);
    if (l == 0) return;
    wait_for_slots(warp);
    const DeviceLayer &layer = chain.layer[l], &before = chain.layer[l - 1];
#pragma unroll 1
    for (uint32_t slot = first; slot < slots; slot += 32)
      each_tiles(layer.in, warp, [&](auto tiles, uint32_t feature) {
        of_width(layer.in, [&](auto known) {
          gradient_tiles<precision, decltype(tiles)::value, decltype(known)::value>(block, layer, before, t,
                                                                                    slot, feature, lane);
        });
      });
  }
}

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
      d[i][0] = at(from), d[i][1] = at(from + 8), d[i][2] = at(from + 4 * dy_row),
      d[i][3] = at(from + 4 * dy_row + 8);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const uint32_t value = x + (slot + 8 * i) * x_row + n * other_half;
        v[i][n][0] = at(value), v[i][n][1] = at(value + 4 * x_row);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Parts<precision, 4> a;
#pragma unroll
      for (int e = 0; e < 4; ++e) a.set(e, d[i][e]);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        Parts<precision, 2> b;
        b.set(0, v[i][n][0]), b.set(1, v[i][n][1]);
        sums[n].add(a, b);
      }
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
      adam_step_of(q == 0 ? bias[0] : bias[1], at(from + own), at(block.bias_first + moment),
                   at(block.bias_second + moment), step);
  at(to + own) = after.value;
  at(block.bias_first + moment) = after.first;
  at(block.bias_second + moment) = after.second;
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

/// Biases of global memory and their places among the moments of the block.
template <class Move>
__device__ __forceinline__ void each_bias(const DeviceChain& chain, float* first, const Move& move) {
  for (uint32_t l = 0; l < chain.layers; ++l)
    for (uint32_t i = threadIdx.x; i < chain.layer[l].out; i += chain_threads)
      move(first + chain.parameter_at + chain.layer[l].bias_at + i, chain.layer[l].biases_before + i);
}

/// The loss of a step, before the inputs of the step after the next take the place of its own.
__device__ __forceinline__ void add_up_losses(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              Loss kind, double* to, unsigned lane) {
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32)
    total += loss_of(block, p, t, kind, slot, at(block.squares(t, p.slots) + slot)).loss;
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) to[t] = total;
}

/// All steps of a warp that computes or only owns tiles. Without Adam nothing is updated.
template <Precision precision, int most>
__device__ __forceinline__ void compute_and_own(const ChainBlock& block, const ProgramView& p,
                                                const ReplicaView& replica, unsigned warp, unsigned lane) {
  const DeviceChain& chain = block.chain;
  const AdamStep* const adam = replica.adam;
  float* const moments = replica.parameters + p.parameter_floats;
  OwnTiles<most> own{&chain.tile[chain.first_tile[warp]],
                     static_cast<uint32_t>(chain.first_tile[warp + 1] - chain.first_tile[warp]),
                     {}};
  own.each_moment(chain, moments, p.parameter_floats, lane, [](float& here, float there) { here = there; });
  const Loss kind = replica.loss;
  const uint64_t steps = replica.steps;
  const bool computes = warp < chain_warps;
#pragma unroll 1
  for (uint64_t t = 0; t < steps; ++t) {
    const AdamStep step = adam ? adam[t] : AdamStep{};
    if (computes) {
      compute_chain<precision>(block, p, t, kind, adam != nullptr, warp, lane);
      if (adam) barrier_of<32 * chain_warps>(chain_barrier);
    }
    if (adam) {
      uint32_t l = computes ? 0 : chain.layers;  // the first whose gradient is there
#pragma unroll
      for (int i = 0; i < most; ++i) {
        if (i >= static_cast<int>(own.count)) continue;
        while (l > own.tiles[i].layer) barrier_of<gradient_threads>(layer_barrier + --l);
        update_tile<precision>(block, p, t, own.tiles[i], own.moments[i], step, lane);
      }
      while (l > 0) barrier_of<gradient_threads>(layer_barrier + --l);
    }
    __syncthreads();
  }
  if (!adam) return;
  own.each_moment(chain, moments, p.parameter_floats, lane, [](float here, float& there) { there = here; });
}

/// All steps of the warp that draws, which also adds up the losses of the step before.
__device__ __forceinline__ void draw_ahead(const ChainBlock& block, const ProgramView& p, uint32_t reads,
                                           const ReplicaView& replica, double* losses, unsigned lane) {
  const uint64_t steps = replica.steps;
#pragma unroll 1
  for (uint64_t t = 0; t < steps; ++t) {
    if (losses && t > 0) add_up_losses(block, p, t - 1, replica.loss, losses, lane);
    if (t + 1 < steps)
      draw(p, reads, replica, replica.first_step + t + 1, block_memory() + block.input(t + 1), lane);
    __syncthreads();
  }
  if (losses && steps > 0) add_up_losses(block, p, steps - 1, replica.loss, losses, lane);
}

template <Precision precision, int most_tiles>
__global__ void __launch_bounds__(chain_threads, 1)
    train_chains(const __grid_constant__ ProgramView program, const __grid_constant__ DeviceChains chains,
                 const ReplicaView* replicas) {
  const unsigned own = blockIdx.x % chains.count;
  const ReplicaView& replica = replicas[blockIdx.x / chains.count];
  const DeviceChain& chain = chains.chain[own];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const ChainBlock block = block_of(chains, program, own);
  float* const parameters = replica.parameters + chain.parameter_at;
  float* const moments = replica.parameters + program.parameter_floats;
  for (uint32_t i = threadIdx.x; i < chain.parameter_floats; i += chain_threads)
    at(block.weights(0) + i) = at(block.weights(1) + i) = parameters[i];
  for (uint32_t i = threadIdx.x; i < chains.value_floats + 2 * program.input_floats; i += chain_threads)
    at(block.values + i) = 0;
  each_bias(chain, moments, [&](const float* from, uint32_t place) {
    at(block.bias_first + place) = from[0];
    at(block.bias_second + place) = from[program.parameter_floats];
  });
  const uint32_t reads =
      1u << chain.input | (program.reads & 1u << static_cast<uint32_t>(Input::anchor_output));
  const uint64_t steps = replica.steps;
  __syncthreads();
  if (warp == drawing_warp && steps > 0)
    draw(program, reads, replica, replica.first_step, block_memory() + block.input(0), lane);
  if (chains.count == 2 && threadIdx.x < 2) begin(block.signal(threadIdx.x));
  __syncthreads();
  if (chains.count == 2) {  // both blocks are there, and their signals
    arrive_at_cluster();
    wait_for_cluster();
  }

  if (warp == drawing_warp)
    draw_ahead(block, program, reads, replica, own == 0 ? replica.losses : nullptr, lane);
  else
    compute_and_own<precision, most_tiles>(block, program, replica, warp, lane);

  if (!replica.adam) return;
  for (uint32_t i = threadIdx.x; i < chain.parameter_floats; i += chain_threads)
    parameters[i] = at(block.weights(steps) + i);
  each_bias(chain, moments, [&](float* to, uint32_t place) {
    to[0] = at(block.bias_first + place);
    to[program.parameter_floats] = at(block.bias_second + place);
  });
}

}  // namespace kedge::cuda
