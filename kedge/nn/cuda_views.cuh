#pragma once

// What a kernel sees: a program, a replica, and the memory that a block works on.

#include "kedge/nn/adam.h"
#include "kedge/nn/device_plan.h"
#include "kedge/nn/ops.h"
#include "kedge/pairs/pair_features.h"

namespace kedge::cuda {

constexpr unsigned compute_warps = WarpTasks::warps, compute_threads = 32 * compute_warps,
                   block_threads = compute_threads + 32;

/// A program on the device.
struct ProgramView {
  const DeviceValue* values;
  const DeviceOp* ops;
  const uint32_t* columns;
  const uint32_t* users;
  const DeviceTask* tasks;
  WarpTasks by_warp;
  uint32_t value_count;
  uint32_t batch, slots, outputs;
  uint32_t value_floats, input_floats, parameter_floats;
  uint32_t target_at, target_row, pair_weight_at;
  uint32_t parts_at, parts_of_row;  // of the last product
  uint32_t reads;                   // bit by Input
};

/// One replica of a launch.
struct ReplicaView {
  TrainingData data;
  Stream stream;
  uint64_t seed, first_step, steps;
  Loss loss;
  float* parameters;     // then both moments
  float* scratch;        // form grid: values, then two buffers of inputs
  const AdamStep* adam;  // by step of the launch; null: the loss alone is measured
  double* losses;        // by step of the launch
};

/// What a block works on.
struct Block {
  const ProgramView& program;
  float* values;
  float* parameters;
  float* first;
  float* second;
  const float* input;  // the buffer of this step

  __device__ const float* value(const DeviceValue& v, uint32_t index) const {
    return (index < static_cast<uint32_t>(input_count) ? input : values) + v.at;
  }
};

/// Writes or adds a gradient of a value's output as one of what its activation reads.
__device__ __forceinline__ void give_gradient(const Block& block, const DeviceValue& v, uint32_t at,
                                              float gradient, bool adds) {
  if (v.is_relu) gradient = block.values[v.at + at] > 0 ? gradient : 0;
  if (v.is_sin) gradient *= block.values[v.slope_at + at];
  float& to = block.values[v.gradient_at + at];
  to = adds ? to + gradient : gradient;
}

}  // namespace kedge::cuda
