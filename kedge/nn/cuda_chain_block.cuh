#pragma once

// What a block of form chains works on, in its shared memory, and what its warps compute with.

#include <type_traits>

#include "kedge/nn/cuda_dense.cuh"
#include "kedge/nn/cuda_rows.cuh"

namespace kedge::cuda {

constexpr unsigned computing_warps = DeviceChain::computing_warps, drawing_warp = DeviceChain::warps,
                   chain_threads = 32 * (drawing_warp + 1);
constexpr unsigned slot_warps = 4;  // warps that share slots
// Barriers of some warps: of all who compute, of those who share slots, and by layer of all but the one that
// draws.
constexpr unsigned chain_barrier = 1, slots_barrier = 2, layer_barrier = 4;
constexpr unsigned gradient_threads = 32 * DeviceChain::warps;
static_assert(slots_barrier + computing_warps / slot_warps <= layer_barrier &&
              layer_barrier + DeviceChain::most_layers <= 16);

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

__device__ __forceinline__ float& shared_at(uint32_t place) { return block_memory()[place]; }
__device__ __forceinline__ float2 read2(uint32_t place) {
  return reinterpret_cast<const float2&>(shared_at(place));
}
__device__ __forceinline__ void write2(uint32_t place, float a, float b) {
  reinterpret_cast<float2&>(shared_at(place)) = {a, b};
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

/// Adds the products of eight numbers of depth: a lane's four of the rows with its two of each tile.
template <Precision precision, int tiles>
__device__ __forceinline__ void add_products(TileSum (&sums)[tiles], const float (&rows)[4],
                                             const float (&columns)[tiles][2]) {
  Parts<precision, 4> a;
#pragma unroll
  for (int i = 0; i < 4; ++i) a.set(i, rows[i]);
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    Parts<precision, 2> b;
    b.set(0, columns[n][0]), b.set(1, columns[n][1]);
    sums[n].add(a, b);
  }
}

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

}  // namespace kedge::cuda
