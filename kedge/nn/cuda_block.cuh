#pragma once

// The training kernel of form block: one thread block trains one replica for many steps. Parameters, moments,
// values and gradients stand in its shared memory.
//
// Fifteen warps take the tasks of each phase in turn. One more warp draws the pairs of the next step
// meanwhile and writes their features into the other of two input buffers.
//
// Laws: what a replica computes does not depend on the other blocks. Sums have one order, so the same run
// gives the same bits on the same device.

#include "kedge/nn/cuda_dense.cuh"
#include "kedge/nn/cuda_rows.cuh"

namespace kedge::cuda {

template <Precision precision>
__device__ __forceinline__ void run(const Block& block, const DeviceTask& task, unsigned lane,
                                    const AdamStep& step, Loss kind, double* loss_to) {
  switch (task.kind) {
    case DeviceTaskKind::dense:
      if (task.tiles == 4)
        dense<precision, 4>(block, task, lane);
      else if (task.tiles == 2)
        dense<precision, 2>(block, task, lane);
      else
        dense<precision, 1>(block, task, lane);
      break;
    case DeviceTaskKind::dense_input:
      if (task.tiles == 4)
        dense_input<precision, 4>(block, task, lane);
      else if (task.tiles == 2)
        dense_input<precision, 2>(block, task, lane);
      else
        dense_input<precision, 1>(block, task, lane);
      break;
    case DeviceTaskKind::dense_weights:
      if (task.tiles == 4)
        dense_weights<precision, 4>(block, task, lane, step);
      else if (task.tiles == 2)
        dense_weights<precision, 2>(block, task, lane, step);
      else
        dense_weights<precision, 1>(block, task, lane, step);
      break;
    default:
      run_along_slots(block, task, lane, kind, loss_to);
  }
}

template <Precision precision>
__global__ void __launch_bounds__(block_threads, 1)
    train_block(const __grid_constant__ ProgramView program, const ReplicaView* replicas) {
  extern __shared__ float4 shared_memory[];
  const ReplicaView& replica = replicas[blockIdx.x];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t parameters = program.parameter_floats,
                 work = program.value_floats + 2 * program.input_floats;
  float* const base = reinterpret_cast<float*>(shared_memory);
  float* const own = base + work;
  // Tasks stand behind the parameters, which are a multiple of 16 numbers.
  float4* const tasks_at = reinterpret_cast<float4*>(own + 3 * parameters);
  const uint32_t task_parts = program.by_warp.first[compute_warps] * (sizeof(DeviceTask) / sizeof(float4));
  for (uint32_t i = threadIdx.x; i < task_parts; i += block_threads)
    tasks_at[i] = reinterpret_cast<const float4*>(program.tasks)[i];
  for (uint32_t i = threadIdx.x; i < work; i += block_threads) base[i] = 0;
  for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) own[i] = replica.parameters[i];
  __syncthreads();
  float* const inputs = base + program.value_floats;
  const uint32_t own_warp = warp < compute_warps ? warp : 0;
  const DeviceTask* const tasks =
      reinterpret_cast<const DeviceTask*>(tasks_at) + program.by_warp.first[own_warp];
  const uint32_t task_count = replica.adam
                                  ? program.by_warp.first[own_warp + 1] - program.by_warp.first[own_warp]
                                  : program.by_warp.forward[own_warp];
  // The constants of a step are read one step before.
  const AdamStep* const adam = replica.adam;
  AdamStep next_step = adam ? adam[0] : AdamStep{};
  const uint64_t steps = replica.steps;
  const Loss kind = replica.loss;
  double* const losses = replica.losses;
  // One warp is a step ahead of the others.
#pragma unroll 1
  for (uint64_t t = 0; t <= steps; ++t) {
    if (warp == compute_warps) {
      if (t < steps)
        draw(program, program.reads, replica, replica.first_step + t, inputs + t % 2 * program.input_floats,
             lane);
    } else if (t > 0) {
      const Block block{program,
                        base,
                        own,
                        own + parameters,
                        own + 2 * parameters,
                        inputs + (t - 1) % 2 * program.input_floats};
      const AdamStep step = next_step;
      if (adam && t < steps) next_step = adam[t];
#pragma unroll 1
      for (uint32_t i = 0; i < task_count; ++i) {
        const DeviceTask task = tasks[i];
        if ((task.flags & DeviceTask::begins_phase) != 0)
          barrier_of<compute_threads>();  // the warp that draws is elsewhere
        run<precision>(block, task, lane, step, kind, losses + (t - 1));
      }
    }
    __syncthreads();
  }
  for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) replica.parameters[i] = own[i];
}

}  // namespace kedge::cuda
