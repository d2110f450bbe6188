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

#include "kedge/nn/cuda_chain_layers.cuh"
#include "kedge/nn/cuda_chain_loss.cuh"
#include "kedge/nn/cuda_chain_tiles.cuh"

namespace kedge::cuda {

/// A step of a warp that computes.
template <Precision precision>
__device__ __forceinline__ void compute_chain(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              Loss kind, bool updates, unsigned warp, unsigned lane) {
  const DeviceChain& chain = block.chain;
  const uint32_t first = warp / slot_warps * 16, slots = p.slots;
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
    chain_loss(block, p, t, kind, slot + warp % slot_warps * (32 / slot_lanes) + lane / slot_lanes,
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

/// Biases of global memory and their places among the moments of the block.
template <class Move>
__device__ __forceinline__ void each_bias(const DeviceChain& chain, float* first, const Move& move) {
  for (uint32_t l = 0; l < chain.layers; ++l)
    for (uint32_t i = threadIdx.x; i < chain.layer[l].out; i += chain_threads)
      move(first + chain.parameter_at + chain.layer[l].bias_at + i, chain.layer[l].biases_before + i);
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
  const bool computes = warp < computing_warps;
#pragma unroll 1
  for (uint64_t t = 0; t < steps; ++t) {
    const AdamStep step = adam ? adam[t] : AdamStep{};
    if (computes) {
      compute_chain<precision>(block, p, t, kind, adam != nullptr, warp, lane);
      if (adam) barrier_of<32 * computing_warps>(chain_barrier);
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
    shared_at(block.weights(0) + i) = shared_at(block.weights(1) + i) = parameters[i];
  for (uint32_t i = threadIdx.x; i < chains.value_floats + 2 * program.input_floats; i += chain_threads)
    shared_at(block.values + i) = 0;
  each_bias(chain, moments, [&](const float* from, uint32_t place) {
    shared_at(block.bias_first + place) = from[0];
    shared_at(block.bias_second + place) = from[program.parameter_floats];
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
    parameters[i] = shared_at(block.weights(steps) + i);
  each_bias(chain, moments, [&](float* to, uint32_t place) {
    to[0] = shared_at(block.bias_first + place);
    to[program.parameter_floats] = shared_at(block.bias_second + place);
  });
}

}  // namespace kedge::cuda
