#pragma once

// The training kernel of form chains: a thread block trains one chain of a replica for many steps. The two
// blocks of a replica are a cluster: each gives the other what its last layer computes, and both compute the
// loss.
//
// - Four warps compute: two have every other 16 slots, and of these one every other 8 features. So values
//   go from layer to layer without the other warps.
// - Eleven warps own the weights, each every eleventh tile of 16 x 8 from the last layer on. Moments are in
//   their registers. New weights go to the other of two copies, so nobody waits for who still reads the old.
// - One warp draws the pairs of the next step.
//
// Laws: as of form block.

#include "kedge/nn/cuda_dense.cuh"
#include "kedge/nn/cuda_rows.cuh"

namespace kedge::cuda {

constexpr unsigned chain_warps = 4, owner_warps = 11, drawing_warp = chain_warps + owner_warps,
                   chain_threads = 32 * (drawing_warp + 1);
// Barriers of some warps: of the two that share slots, and of all who compute or own, by layer.
constexpr unsigned slots_barrier = 2, layer_barrier = 4;
constexpr unsigned gradient_threads = 32 * (chain_warps + owner_warps);

/// What a block of a chain works on, in its shared memory.
struct ChainBlock {
  const DeviceChains& chains;
  const DeviceChain& chain;
  float* weights[2];  // with biases; by step in turn
  float* bias_first;
  float* bias_second;
  float* values;
  float* inputs[2];
};

/// In bytes.
inline size_t chain_memory(const DeviceChains& chains, size_t input_floats) {
  return sizeof(float) *
         (2 * chains.parameter_floats + 2 * chains.bias_floats + chains.value_floats + 2 * input_floats);
}

__device__ __forceinline__ ChainBlock block_of(const DeviceChains& chains, const DeviceChain& chain,
                                               const ProgramView& program, float* memory) {
  const auto take = [&](uint32_t floats) {
    float* const at = memory;
    memory += floats;
    return at;
  };
  ChainBlock block{.chains = chains,
                   .chain = chain,
                   .weights = {},
                   .bias_first = nullptr,
                   .bias_second = nullptr,
                   .values = nullptr,
                   .inputs = {}};
  for (float*& weights : block.weights) weights = take(chains.parameter_floats);
  block.bias_first = take(chains.bias_floats);
  block.bias_second = take(chains.bias_floats);
  block.values = take(chains.value_floats);
  for (float*& inputs : block.inputs) inputs = take(program.input_floats);
  return block;
}

__device__ __forceinline__ float2 read2(const float* from) { return *reinterpret_cast<const float2*>(from); }
__device__ __forceinline__ void write2(float* to, float a, float b) {
  *reinterpret_cast<float2*>(to) = {a, b};
}

/// A tile of a warp: what is small is added apart.
struct TileSum {
  float c[4] = {}, small[4] = {};

  template <Precision precision>
  __device__ __forceinline__ void add(const Parts<precision, 4>& a, const Parts<precision, 2>& b) {
    if constexpr (precision == Precision::exact) {
      multiply_add(small, a.low, b.high);
      multiply_add(small, a.high, b.low);
    }
    multiply_add(c, a.high, b.high);
  }
  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int i = 0; i < 4; ++i) c[i] += small[i];
  }
};

/// The warps that compute slots 16 s ... 16 s + 15 wait for each other.
__device__ __forceinline__ void wait_for_slots(unsigned warp) { barrier_of<64>(slots_barrier + warp / 2); }

/// Values of `tiles` times 8 features of 16 slots, every other 8 of them. Depth is taken in pairs of
/// neighbours: lane (g, q) has 2q and 2q + 1.
template <Precision precision, int tiles>
__device__ __forceinline__ void layer_tiles(const DeviceLayer& layer, const float* x, const float* weights,
                                            const float* biases, float* values, uint32_t slot,
                                            uint32_t feature, float* also, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t below = 8 * layer.x_row, next = 16 * layer.weight_row, depth = layer.in;
  x += (slot + g) * layer.x_row + 2 * q;
  const float* w = weights + (feature + g) * layer.weight_row + 2 * q;
  TileSum sums[tiles];
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    const float2 bias = read2(biases + feature + 16 * n + 2 * q);
    sums[n].c[0] = sums[n].c[2] = bias.x;
    sums[n].c[1] = sums[n].c[3] = bias.y;
  }
#pragma unroll 2
  for (uint32_t k = 0; k < depth; k += 8) {
    const float2 top = read2(x + k), bottom = read2(x + below + k);
    Parts<precision, 4> a;
    a.set(0, top.x), a.set(1, bottom.x), a.set(2, top.y), a.set(3, bottom.y);
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
      const float2 pair = read2(w + n * next + k);
      Parts<precision, 2> b;
      b.set(0, pair.x), b.set(1, pair.y);
      sums[n].add(a, b);
    }
  }
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t at = (slot + g) * layer.y_row + feature + 16 * n + 2 * q, low = at + 8 * layer.y_row;
    if (layer.is_relu) {
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = c[i] > 0 ? c[i] : 0;
    }
    if (layer.is_sin) {
      float slopes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = sin_pi(c[i], slopes[i]);
      write2(values + layer.slope_at + at, slopes[0], slopes[1]);
      write2(values + layer.slope_at + low, slopes[2], slopes[3]);
    }
    write2(values + layer.y_at + at, c[0], c[1]);
    write2(values + layer.y_at + low, c[2], c[3]);
    if (also) {
      write2(also + at, c[0], c[1]);
      write2(also + low, c[2], c[3]);
    }
  }
}

/// The gradient of `tiles` times 8 inputs of a layer, every other 8 of them, for 16 slots, as one of what the
/// activation of the layer before reads.
template <Precision precision, int tiles>
__device__ __forceinline__ void gradient_tiles(const DeviceLayer& layer, const DeviceLayer& before,
                                               const float* weights, float* values, uint32_t slot,
                                               uint32_t feature, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t row = layer.y_row, weight_row = layer.weight_row, depth = layer.out;
  const float* dy = values + layer.gradient_at + (slot + g) * row + q;
  const float* w = weights + q * weight_row + feature + g;
  TileSum sums[tiles];
#pragma unroll 2
  for (uint32_t k = 0; k < depth; k += 8) {
    Parts<precision, 4> a;
    a.set(0, dy[k]), a.set(1, dy[8 * row + k]), a.set(2, dy[k + 4]), a.set(3, dy[8 * row + k + 4]);
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
      Parts<precision, 2> b;
      b.set(0, w[k * weight_row + 16 * n]), b.set(1, w[(k + 4) * weight_row + 16 * n]);
      sums[n].add(a, b);
    }
  }
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t at = (slot + g) * before.y_row + feature + 16 * n + 2 * q, low = at + 8 * before.y_row;
    if (before.is_relu) {
      const float2 top = read2(values + before.y_at + at), bottom = read2(values + before.y_at + low);
      c[0] = top.x > 0 ? c[0] : 0, c[1] = top.y > 0 ? c[1] : 0;
      c[2] = bottom.x > 0 ? c[2] : 0, c[3] = bottom.y > 0 ? c[3] : 0;
    }
    if (before.is_sin) {
      const float2 top = read2(values + before.slope_at + at), bottom = read2(values + before.slope_at + low);
      c[0] *= top.x, c[1] *= top.y, c[2] *= bottom.x, c[3] *= bottom.y;
    }
    write2(values + before.gradient_at + at, c[0], c[1]);
    write2(values + before.gradient_at + low, c[2], c[3]);
  }
}

/// Calls run(integral constant of tiles, first feature) for this warp's part of `width` features: every other
/// 8, up to four of these at once.
template <class Run>
__device__ __forceinline__ void each_tiles(uint32_t width, unsigned warp, const Run& run) {
  const uint32_t part = warp % 2, all = (width / 8 + 1 - part) / 2;
  uint32_t done = 0;
  const auto feature = [&] { return 8 * part + 16 * done; };
#pragma unroll 1
  for (; done + 4 <= all; done += 4) run(std::integral_constant<int, 4>{}, feature());
  if (done + 2 <= all) {
    run(std::integral_constant<int, 2>{}, feature());
    done += 2;
  }
  if (done < all) run(std::integral_constant<int, 1>{}, feature());
}

/// Four lanes for each slot: the prediction, its loss, and the gradient of what the chain gives in its place.
__device__ __forceinline__ void chain_loss(const ChainBlock& block, const ProgramView& p,
                                           const float* input, const float* other, float* losses, Loss kind,
                                           uint32_t slot, unsigned part) {
  const DeviceLayer& last = block.chain.layer[block.chain.layers - 1];
  const uint32_t rank = block.chains.rank, outputs = p.outputs;
  float* const y = block.values + last.y_at + slot * last.y_row;
  const float* const z = other + slot * last.y_row;
  const bool is_product = block.chains.count == 2;
  float* const errors = block.values + block.chains.error_at + slot * outputs;
  const float* const target = input + p.target_at + slot * p.target_row;
  const DeviceValue& anchor = p.values[static_cast<uint32_t>(Input::anchor_output)];
  float squares = 0;
#pragma unroll 1
  for (uint32_t k = 0; k < outputs; ++k) {
    float prediction = 0;
    if (is_product) {
      for (uint32_t r = part; r < rank; r += 4) prediction += y[k * rank + r] * z[k * rank + r];
      prediction += __shfl_xor_sync(~0u, prediction, 1);
      prediction += __shfl_xor_sync(~0u, prediction, 2);
    } else {
      prediction = y[k];
    }
    if (block.chains.adds_anchor) prediction += input[anchor.at + slot * anchor.slot_stride + k];
    const float error = prediction - target[k];
    squares += error * error;
    if (k % 4 == part) errors[k] = error;
  }
  const ops::PairLoss pair =
      slot < p.batch ? pair_loss(p, kind, squares, input[p.pair_weight_at + slot]) : ops::PairLoss{0, 0};
  if (part == 0) losses[slot] = static_cast<float>(pair.loss);
  __syncwarp();
#pragma unroll 1
  for (uint32_t k = 0; k < outputs; ++k) {
    const float gradient = pair.slope * errors[k];
    if (is_product)
      for (uint32_t r = part; r < rank; r += 4) y[k * rank + r] = gradient * z[k * rank + r];
    else if (k % 4 == part)
      y[k] = gradient;
  }
}

/// A step of a warp that computes.
template <Precision precision>
__device__ __forceinline__ void compute_chain(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              unsigned own, Loss kind, bool updates, unsigned warp,
                                              unsigned lane) {
  const DeviceChain& chain = block.chain;
  const float* const weights = block.weights[t % 2];
  const float* const input = block.inputs[t % 2];
  const uint32_t first = warp / 2 * 16, slots = p.slots;
  const bool is_product = block.chains.count == 2;
  float* const other = block.values + block.chains.other_at + t % 2 * slots * chain.layer[chain.layers - 1].y_row;
#pragma unroll 1
  for (uint32_t l = 0; l < chain.layers; ++l) {
    const DeviceLayer& layer = chain.layer[l];
    const float* const x = (l == 0 ? input : block.values) + layer.x_at;
    float* const also = is_product && l + 1 == chain.layers ? in_block(other, 1 - own) : nullptr;
#pragma unroll 1
    for (uint32_t slot = first; slot < slots; slot += 32)
      each_tiles(layer.out, warp, [&](auto tiles, uint32_t feature) {
        layer_tiles<precision, decltype(tiles)::value>(layer, x, weights + layer.weight_at, weights + layer.bias_at,
                                        block.values, slot, feature, also, lane);
      });
    if (l + 1 < chain.layers || !is_product) wait_for_slots(warp);
  }
  if (is_product) {
    arrive_at_cluster();
    wait_for_cluster();
  }
  float* const losses = block.values + block.chains.loss_at + t % 2 * slots;
#pragma unroll 1
  for (uint32_t slot = first; slot < slots; slot += 32)
    chain_loss(block, p, input, other, losses, kind, slot + warp % 2 * 8 + lane / 4, lane % 4);
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
        gradient_tiles<precision, decltype(tiles)::value>(layer, before, weights + layer.weight_at, block.values, slot,
                                           feature, lane);
      });
  }
}

/// Where a tile of 16 x 8 weights stands, in one register.
struct TilePlace {
  static constexpr uint32_t none = ~0u;
  uint32_t packed;

  __device__ bool is_there() const { return packed != none; }
  __device__ uint32_t layer() const { return packed >> 24; }
  __device__ uint32_t row() const { return packed >> 12 & 0xfff; }
  __device__ uint32_t column() const { return packed & 0xfff; }
};

/// Of the chain's tiles from the last layer on.
__device__ __forceinline__ TilePlace tile_place(const DeviceChain& chain, uint32_t number) {
  uint32_t l = chain.layers;
  while (l-- > 0) {
    const uint32_t tiles = chain.layer[l].tiles(), columns = chain.layer[l].in / 8;
    if (number < tiles) return {l << 24 | number / columns * 16 << 12 | number % columns * 8};
    number -= tiles;
  }
  return {TilePlace::none};
}

__device__ __forceinline__ ops::Moments<float> adam_step_of(float gradient, float value, float first,
                                                            float second, const AdamStep& step) {
  return ops::adam(gradient, ops::Moments<float>{value, first, second}, step, root);
}

/// A tile's gradient, and Adam behind it. The first column of tiles has the biases too.
template <Precision precision>
__device__ __forceinline__ void update_tile(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                            const TilePlace& place, float (&first)[4], float (&second)[4],
                                            const AdamStep& step, unsigned lane) {
  const DeviceLayer& layer = block.chain.layer[place.layer()];
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t dy_row = layer.y_row, x_row = layer.x_row;
  const float* dy = block.values + layer.gradient_at + q * dy_row + place.row() + g;
  const float* x = (place.layer() == 0 ? block.inputs[t % 2] : block.values) + layer.x_at + q * x_row +
                   place.column() + g;
  const float* const from = block.weights[t % 2];
  float* const to = block.weights[(t + 1) % 2];
  const uint32_t at = layer.weight_at + (place.row() + g) * layer.weight_row + place.column() + 2 * q,
                 below = at + 8 * layer.weight_row;
  const float2 top = read2(from + at), bottom = read2(from + below);
  TileSum sum;
  float bias[2] = {};
#pragma unroll 2
  for (uint32_t s = 0; s < p.slots; s += 8) {
    const float d[4] = {dy[0], dy[8], dy[4 * dy_row], dy[4 * dy_row + 8]};
    Parts<precision, 4> a;
#pragma unroll
    for (int i = 0; i < 4; ++i) a.set(i, d[i]);
    Parts<precision, 2> b;
    b.set(0, x[0]), b.set(1, x[4 * x_row]);
    sum.add(a, b);
    bias[0] += d[0] + d[2];
    bias[1] += d[1] + d[3];
    dy += 8 * dy_row;
    x += 8 * x_row;
  }
  sum.finish();
  const float before[4] = {top.x, top.y, bottom.x, bottom.y};
  float after[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const ops::Moments<float> moments = adam_step_of(sum.c[i], before[i], first[i], second[i], step);
    after[i] = moments.value;
    first[i] = moments.first;
    second[i] = moments.second;
  }
  write2(to + at, after[0], after[1]);
  write2(to + below, after[2], after[3]);
  if (place.column() > 0) return;
#pragma unroll
  for (int apart = 1; apart < 4; apart *= 2) {
    bias[0] += __shfl_xor_sync(~0u, bias[0], apart);
    bias[1] += __shfl_xor_sync(~0u, bias[1], apart);
  }
  if (q >= 2) return;
  const uint32_t own = place.row() + g + 8 * q, moment = layer.biases_before + own;
  const ops::Moments<float> moments =
      adam_step_of(q == 0 ? bias[0] : bias[1], from[layer.bias_at + own], block.bias_first[moment],
                   block.bias_second[moment], step);
  to[layer.bias_at + own] = moments.value;
  block.bias_first[moment] = moments.first;
  block.bias_second[moment] = moments.second;
}

/// The moments of a tile in global memory, or back there.
template <class Move>
__device__ __forceinline__ void each_moment(const DeviceChain& chain, const TilePlace& place, float* first,
                                            uint32_t to_second, unsigned lane, const Move& move) {
  const DeviceLayer& layer = chain.layer[place.layer()];
  const unsigned g = lane >> 2, q = lane & 3;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float* const at = first + chain.parameter_at + layer.weight_at +
                      (place.row() + g + i / 2 * 8) * layer.weight_row + place.column() + 2 * q + i % 2;
    move(i, at[0], at[to_second]);
  }
}

/// Biases of global memory and their places among the moments of the block.
template <class Move>
__device__ __forceinline__ void each_bias(const DeviceChain& chain, float* first, const Move& move) {
  for (uint32_t l = 0; l < chain.layers; ++l)
    for (uint32_t i = threadIdx.x; i < chain.layer[l].out; i += chain_threads)
      move(first + chain.parameter_at + chain.layer[l].bias_at + i, chain.layer[l].biases_before + i);
}

/// The loss of a step.
__device__ __forceinline__ void add_up_losses(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              double* to, unsigned lane) {
  const float* const losses = block.values + block.chains.loss_at + t % 2 * p.slots;
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) total += losses[slot];
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) to[t] = total;
}

/// All steps of a warp that owns up to `most` tiles. Without Adam it only waits.
template <Precision precision, int most>
__device__ __forceinline__ void own_tiles(const ChainBlock& block, const ProgramView& p,
                                          const ReplicaView& replica, unsigned number, unsigned lane) {
  const DeviceChain& chain = block.chain;
  const AdamStep* const adam = replica.adam;
  float* const moments = replica.parameters + p.parameter_floats;
  TilePlace places[most];
  float first[most][4], second[most][4];
#pragma unroll
  for (int i = 0; i < most; ++i) {
    places[i] = tile_place(chain, number + owner_warps * i);
    if (places[i].is_there())
      each_moment(chain, places[i], moments, p.parameter_floats, lane, [&](int n, float m, float v) {
        first[i][n] = m;
        second[i][n] = v;
      });
  }
  const uint64_t steps = replica.steps;
#pragma unroll 1
  for (uint64_t t = 0; t < steps; ++t) {
    const AdamStep step = adam ? adam[t] : AdamStep{};
    if (block.chains.count == 2) {
      arrive_at_cluster();
      wait_for_cluster();
    }
    if (adam) {
      uint32_t l = chain.layers;  // the first whose gradient is there
#pragma unroll
      for (int i = 0; i < most; ++i) {
        if (!places[i].is_there()) continue;
        while (l > places[i].layer()) barrier_of<gradient_threads>(layer_barrier + --l);
        update_tile<precision>(block, p, t, places[i], first[i], second[i], step, lane);
      }
      while (l > 0) barrier_of<gradient_threads>(layer_barrier + --l);
    }
    __syncthreads();
  }
  if (!adam) return;
#pragma unroll
  for (int i = 0; i < most; ++i)
    if (places[i].is_there())
      each_moment(chain, places[i], moments, p.parameter_floats, lane, [&](int n, float& m, float& v) {
        m = first[i][n];
        v = second[i][n];
      });
}

/// All steps of the warp that draws, which also adds up the losses of the step before.
__device__ __forceinline__ void draw_ahead(const ChainBlock& block, const ProgramView& p, uint32_t reads,
                                           const ReplicaView& replica, double* losses, unsigned lane) {
  const uint64_t steps = replica.steps;
#pragma unroll 1
  for (uint64_t t = 0; t < steps; ++t) {
    if (block.chains.count == 2) arrive_at_cluster();
    if (losses && t > 0) add_up_losses(block, p, t - 1, losses, lane);
    if (t + 1 < steps) draw(p, reads, replica, replica.first_step + t + 1, block.inputs[(t + 1) % 2], lane);
    if (block.chains.count == 2) wait_for_cluster();
    __syncthreads();
  }
  if (losses && steps > 0) add_up_losses(block, p, steps - 1, losses, lane);
}

template <Precision precision, int most_tiles>
__global__ void __launch_bounds__(chain_threads, 1)
    train_chains(const __grid_constant__ ProgramView program, const __grid_constant__ DeviceChains chains,
                 const ReplicaView* replicas) {
  const unsigned own = blockIdx.x % chains.count;
  const ReplicaView& replica = replicas[blockIdx.x / chains.count];
  const DeviceChain& chain = chains.chain[own];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const ChainBlock block = block_of(chains, chain, program, block_memory());
  float* const parameters = replica.parameters + chain.parameter_at;
  float* const moments = replica.parameters + program.parameter_floats;
  for (uint32_t i = threadIdx.x; i < chain.parameter_floats; i += chain_threads)
    block.weights[0][i] = block.weights[1][i] = parameters[i];
  for (uint32_t i = threadIdx.x; i < chains.value_floats + 2 * program.input_floats; i += chain_threads)
    block.values[i] = 0;
  each_bias(chain, moments, [&](const float* from, uint32_t place) {
    block.bias_first[place] = from[0];
    block.bias_second[place] = from[program.parameter_floats];
  });
  const uint32_t reads =
      1u << chain.input | (program.reads & 1u << static_cast<uint32_t>(Input::anchor_output));
  const uint64_t steps = replica.steps;
  __syncthreads();
  if (warp == drawing_warp && steps > 0)
    draw(program, reads, replica, replica.first_step, block.inputs[0], lane);
  __syncthreads();
  if (chains.count == 2) {  // both blocks are there
    arrive_at_cluster();
    wait_for_cluster();
  }

  if (warp < chain_warps) {
    const Loss kind = replica.loss;
    const bool updates = replica.adam != nullptr;
#pragma unroll 1
    for (uint64_t t = 0; t < steps; ++t) {
      compute_chain<precision>(block, program, t, own, kind, updates, warp, lane);
      __syncthreads();
    }
  } else if (warp == drawing_warp) {
    draw_ahead(block, program, reads, replica, own == 0 ? replica.losses : nullptr, lane);
  } else {
    own_tiles<precision, most_tiles>(block, program, replica, warp - chain_warps, lane);
  }

  if (!replica.adam) return;
  for (uint32_t i = threadIdx.x; i < chain.parameter_floats; i += chain_threads)
    parameters[i] = block.weights[steps % 2][i];
  each_bias(chain, moments, [&](float* to, uint32_t place) {
    to[0] = block.bias_first[place];
    to[program.parameter_floats] = block.bias_second[place];
  });
}

}  // namespace kedge::cuda
