#pragma once

// The prediction of one chain or two, its loss and the gradient of that.

#include "kedge/nn/cuda_chain_block.cuh"

namespace kedge::cuda {

/// Eight lanes for each slot.
constexpr uint32_t slot_lanes = 8;

/// A lane's part of the sum over `rank` products of two rows. All lanes go through loops of one length.
__device__ __forceinline__ float part_of_product(uint32_t y, uint32_t z, uint32_t rank, unsigned part) {
  float sum = 0;
  uint32_t r = 0;
#pragma unroll 1
  for (; rank % 4 == 0 && r + 4 * slot_lanes <= rank; r += 4 * slot_lanes) {
    const float4 a = reinterpret_cast<const float4&>(shared_at(y + r + 4 * part)),
                 b = reinterpret_cast<const float4&>(shared_at(z + r + 4 * part));
    sum += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
  }
#pragma unroll 1
  for (; r < rank; r += slot_lanes) {
    const uint32_t own = r + part < rank ? r + part : r;
    const float product = shared_at(y + own) * shared_at(z + own);
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
    const float4 b = reinterpret_cast<const float4&>(shared_at(z + r + 4 * part));
    reinterpret_cast<float4&>(shared_at(y + r + 4 * part)) = {gradient * b.x, gradient * b.y, gradient * b.z,
                                                              gradient * b.w};
  }
#pragma unroll 1
  for (; r < rank; r += slot_lanes)
    if (r + part < rank) shared_at(y + r + part) = gradient * shared_at(z + r + part);
}

/// Of a slot whose squares of errors are added up.
__device__ __forceinline__ ops::PairLoss loss_of(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                                 Loss kind, uint32_t slot, float squares) {
  return slot < p.batch ? pair_loss(p, kind, squares, shared_at(block.input(t) + p.pair_weight_at + slot))
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
                                  : (part == 0 ? shared_at(y + k) : 0.0f);
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
        predictions[i] += shared_at(input + block.chains.anchor_at + slot * block.chains.anchor_row + k);
      const float error = predictions[i] - shared_at(targets + k);
      squares += error * error;
      if (part == i) shared_at(errors + k) = error;
    }
  }
  // The loss itself takes a division of doubles: that of the warp that draws.
  const float slope = loss_of(block, p, t, kind, slot, squares).slope;
  if (part == 0) shared_at(block.squares(t, p.slots) + slot) = squares;
  __syncwarp();
  if (is_product) {
#pragma unroll 2
    for (uint32_t k = 0; k < outputs; ++k)
      part_of_gradient(y + k * rank, z + k * rank, rank, part, slope * shared_at(errors + k));
  } else {
    for (uint32_t k = part; k < outputs; k += slot_lanes) shared_at(y + k) = slope * shared_at(errors + k);
  }
}

/// The loss of a step, before the inputs of the step after the next take the place of its own.
__device__ __forceinline__ void add_up_losses(const ChainBlock& block, const ProgramView& p, uint64_t t,
                                              Loss kind, double* to, unsigned lane) {
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32)
    total += loss_of(block, p, t, kind, slot, shared_at(block.squares(t, p.slots) + slot)).loss;
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) to[t] = total;
}

}  // namespace kedge::cuda
