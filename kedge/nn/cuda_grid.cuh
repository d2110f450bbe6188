#pragma once

// Kernels of form grid: one phase of one step, for all replicas. Weights and moments stand in global memory
// and cross it as seldom as can be: once for the values, and once for all gradients with Adam behind them.
//
// A warp holds tiles of 16 x 8 numbers as tensor cores lay them out: lane 4g + q has rows g and g + 8,
// columns 2q and 2q + 1. Which number of a matrix a row or a column stands for is free, so it is chosen such
// that a lane reads and writes four neighbours at once.

#include "kedge/nn/cuda_dense.cuh"
#include "kedge/nn/cuda_rows.cuh"

namespace kedge::cuda {

constexpr unsigned grid_warps = GridPhase::warps, grid_threads = 32 * grid_warps;

/// Which step a launch is of: the number at `base` is counted up between launches of a graph.
struct GridStep {
  const ReplicaView* replicas;
  const uint64_t* base;
  uint32_t offset;
};

__device__ __forceinline__ Block block_of(const ProgramView& program, const ReplicaView& replica,
                                          uint64_t t) {
  const uint32_t parameters = program.parameter_floats;
  return {program,
          replica.scratch,
          replica.parameters,
          replica.parameters + parameters,
          replica.parameters + 2 * parameters,
          replica.scratch + program.value_floats + t % 2 * program.input_floats};
}

__device__ __forceinline__ float4 read4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ __forceinline__ void write4(float* to, float a, float b, float c, float d) {
  *reinterpret_cast<float4*>(to) = make_float4(a, b, c, d);
}

/// Where four neighbours out of eight rows of 32 numbers stand, such that all ways to read them, by lanes (g,
/// q), go to different banks: four q of row g; four g of row 2q or 2q + 1.
__device__ __forceinline__ unsigned place_of(unsigned row, unsigned four) {
  return row * 8 + (four ^ (row >> 1 & 3) << 1 ^ (row & 1) << 2);
}

/// By one warp: eight rows of 32 numbers.
__device__ __forceinline__ void copy_rows(float4 (&to)[64], const float* from, uint32_t stride,
                                          unsigned lane) {
  const unsigned row = lane / 8, four = lane % 8;
  copy_ahead(&to[place_of(row, four)], from + row * stride + 4 * four);
  copy_ahead(&to[place_of(row + 4, four)], from + (row + 4) * stride + 4 * four);
}

/// What a block of dense rows shares.
struct RowsMemory {
  static constexpr int stages = 3;
  float4 ring[grid_warps][stages][2][64];  // weights on their way: 16 rows, 32 columns
  float4 other_half[4][32][4];
};

/// Values of up to 64 features, 32 slots. Four warps share the features, two each their sums.
template <Precision precision, bool by_slot>
__device__ __forceinline__ void dense_rows(const Block& block, const DeviceTask& task, RowsMemory& shared) {
  constexpr int stages = RowsMemory::stages;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const unsigned tile = warp % 4, half = warp / 4;
  const bool is_active = 16 * tile < task.rows;
  float4(&other_half)[4][32][4] = shared.other_half;
  float sums[4][4] = {};
  if (is_active) {
    const uint32_t fs = task.x_feature, ss = task.x_slot, strips = task.depth / 32, part = (strips + 1) / 2;
    const uint32_t begin = half * part, end = half == 0 ? part : strips;
    const float* const w = block.parameters + task.weight + 16 * tile * 32;
    const float* const x = (by_slot ? block.input : block.values) + task.x + 4 * q * fs + 4 * g * ss;
    const auto fetch = [&](uint32_t strip) {
      if (strip < end) {
        float4(&to)[2][64] = shared.ring[warp][strip % stages];
        copy_rows(to[0], w + strip * task.weight_strip, 32, lane);
        copy_rows(to[1], w + strip * task.weight_strip + 8 * 32, 32, lane);
      }
      end_group();
    };
#pragma unroll
    for (int s = 0; s < stages; ++s) fetch(begin + s);
#pragma unroll 1
    for (uint32_t strip = begin; strip < end; ++strip) {
      float values[2][4][4];  // [half][depth][slot]
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float* const at = x + (32 * strip + 16 * j + i) * fs;
          if constexpr (by_slot) {
#pragma unroll
            for (int n = 0; n < 4; ++n) values[j][i][n] = at[n * ss];
          } else {
            const float4 four = read4(at);
            values[j][i][0] = four.x, values[j][i][1] = four.y, values[j][i][2] = four.z,
            values[j][i][3] = four.w;
          }
        }
      wait_for_groups<stages - 1>();
      __syncwarp();
      const float4(&from)[2][64] = shared.ring[warp][strip % stages];
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float4 top = from[0][place_of(g, 4 * j + q)], bottom = from[1][place_of(g, 4 * j + q)];
        Parts<precision, 4> a0, a1;
        a0.set(0, top.x), a0.set(1, bottom.x), a0.set(2, top.y), a0.set(3, bottom.y);
        a1.set(0, top.z), a1.set(1, bottom.z), a1.set(2, top.w), a1.set(3, bottom.w);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          Parts<precision, 2> b0, b1;
          b0.set(0, values[j][0][n]), b0.set(1, values[j][1][n]);
          b1.set(0, values[j][2][n]), b1.set(1, values[j][3][n]);
          multiply_add(sums[n], a0, b0);
          multiply_add(sums[n], a1, b1);
        }
      }
      __syncwarp();
      fetch(strip + stages);
    }
    // Slots 8q ... 8q + 3 and the next four of row g, then of row g + 8.
    if (half == 1) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        other_half[tile][lane][i] = {sums[0][i], sums[1][i], sums[2][i], sums[3][i]};
    }
  }
  __syncthreads();
  if (!is_active || half == 1) return;
  const float biases[2] = {block.parameters[task.bias + 16 * tile + g],
                           block.parameters[task.bias + 16 * tile + g + 8]};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 other = other_half[tile][lane][i];
    float y[4] = {sums[0][i] + other.x, sums[1][i] + other.y, sums[2][i] + other.z, sums[3][i] + other.w};
    float slopes[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      y[n] += biases[i / 2];
      if ((task.flags & DeviceTask::is_relu) != 0) y[n] = y[n] > 0 ? y[n] : 0;
      if ((task.flags & DeviceTask::is_sin) != 0) y[n] = sin_pi(y[n], slopes[n]);
    }
    const uint32_t at = (16 * tile + g + i / 2 * 8) * task.y_feature + 8 * q + i % 2 * 4;
    write4(block.values + task.y + at, y[0], y[1], y[2], y[3]);
    if ((task.flags & DeviceTask::is_sin) != 0)
      write4(block.values + task.slope + at, slopes[0], slopes[1], slopes[2], slopes[3]);
  }
}

/// What a block of strips shares.
struct StripMemory {
  static constexpr int stages = 2;
  static constexpr uint32_t row = 36;  // of 32 slots: rows fall into different banks
  float4 x[2][4][2][32];  // the values of the strip's inputs, as tensor cores read them, in two parts
  union {
    // On their way: weights and moments, and eight rows of gradients.
    float4 ring[grid_warps][stages][4][64];
    float gradient[grid_warps][32][row];  // afterwards: what each warp adds to the gradient of the inputs
  };
};

/// The slot of number j (0, 1) that lane q has in part `part` of a sum over 32 slots.
__device__ __forceinline__ uint32_t slot_of(unsigned part, unsigned q, unsigned j) {
  return part / 2 * 16 + 4 * q + part % 2 * 2 + j;
}

/// The four numbers of the strip's inputs that lane (g, q) has in part `part` of tile m.
__device__ __forceinline__ void x_of(const float* x, uint32_t fs, uint32_t ss, unsigned m, unsigned part,
                                     unsigned lane, float (&to)[4]) {
  const unsigned g = lane >> 2, q = lane & 3;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) to[i] = x[(4 * g + 2 * m + i % 2) * fs + slot_of(part, q, i / 2) * ss];
}

template <Precision precision>
__device__ __forceinline__ void fill(StripMemory& shared, const float* x, uint32_t fs, uint32_t ss) {
  const unsigned m = threadIdx.x / 128, part = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  float values[4];
  x_of(x, fs, ss, m, part, lane, values);
  Parts<precision, 4> parts;
#pragma unroll
  for (int i = 0; i < 4; ++i) parts.set(i, values[i]);
  shared.x[m][part][0][lane] = {parts.high[0], parts.high[1], parts.high[2], parts.high[3]};
  if constexpr (precision == Precision::exact)
    shared.x[m][part][1][lane] = {parts.low[0], parts.low[1], parts.low[2], parts.low[3]};
}

template <Precision precision>
__device__ __forceinline__ Parts<precision, 4> parts_of(const StripMemory& shared, unsigned m, unsigned part,
                                                        unsigned lane) {
  Parts<precision, 4> parts;
  const float4 high = shared.x[m][part][0][lane];
  parts.high[0] = high.x, parts.high[1] = high.y, parts.high[2] = high.z, parts.high[3] = high.w;
  if constexpr (precision == Precision::exact) {
    const float4 low = shared.x[m][part][1][lane];
    parts.low[0] = low.x, parts.low[1] = low.y, parts.low[2] = low.z, parts.low[3] = low.w;
  }
  return parts;
}

/// Eight numbers of a row of gradients: two times four neighbours.
__device__ __forceinline__ void unpack(const float4& a, const float4& b, float (&d)[8]) {
  d[0] = a.x, d[1] = a.y, d[2] = a.z, d[3] = a.w;
  d[4] = b.x, d[5] = b.y, d[6] = b.z, d[7] = b.w;
}

/// Gradients of weights that several ops use, or of a batch of more than 32 slots: rows `row` ... `row` + 7
/// of all 32 columns, and of their biases. Of several users the last comes first, as on the CPU.
template <Precision precision>
__device__ __noinline__ void add_up_users(const Block block, const DeviceTask& task, uint32_t row,
                                          unsigned lane, float (&c)[2][4], float& bias) {
  const ProgramView& p = block.program;
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t first_user = p.ops[task.op].first_user;
#pragma unroll 1
  for (uint32_t u = p.ops[task.op].users; u-- > 0;) {
    const DeviceOp user = p.ops[p.users[first_user + u]];
    const DeviceValue in = p.values[user.a], out = p.values[user.out];
    const float* const x = block.value(in, user.a) + task.rows * in.feature_stride;
#pragma unroll 1
    for (uint32_t slot = 0; slot < p.slots; slot += 32) {
      float d[8];
      const float* const dy = block.values + out.gradient_at + (row + g) * out.feature_stride + slot;
      unpack(read4(dy + 4 * q), read4(dy + 16 + 4 * q), d);
#pragma unroll
      for (int i = 0; i < 8; ++i) bias += d[i];
#pragma unroll
      for (unsigned part = 0; part < 4; ++part) {
        Parts<precision, 2> b;
        b.set(0, d[2 * part]), b.set(1, d[2 * part + 1]);
#pragma unroll
        for (unsigned m = 0; m < 2; ++m) {
          float values[4];
          x_of(x + slot * in.slot_stride, in.feature_stride, in.slot_stride, m, part, lane, values);
          Parts<precision, 4> a;
#pragma unroll
          for (int i = 0; i < 4; ++i) a.set(i, values[i]);
          multiply_add(c[m], a, b);
        }
      }
    }
  }
}

/// The gradient of 32 inputs: the sum of what the warps found, as one of what their activation reads.
__device__ __forceinline__ void give_gradients(const Block& block, const DeviceTask& task,
                                               const StripMemory& shared) {
  const uint32_t i = threadIdx.x / 8, slot = threadIdx.x % 8 * 4, at = i * task.x_feature + slot;
  float sum[4] = {};
#pragma unroll
  for (unsigned w = 0; w < grid_warps; ++w) {
    const float4 part = read4(&shared.gradient[w][i][slot]);
    sum[0] += part.x, sum[1] += part.y, sum[2] += part.z, sum[3] += part.w;
  }
  float4 other;
  if ((task.flags & DeviceTask::is_relu) != 0) {
    other = read4(block.values + task.value + at);
    sum[0] = other.x > 0 ? sum[0] : 0, sum[1] = other.y > 0 ? sum[1] : 0;
    sum[2] = other.z > 0 ? sum[2] : 0, sum[3] = other.w > 0 ? sum[3] : 0;
  }
  if ((task.flags & DeviceTask::is_sin) != 0) {
    other = read4(block.values + task.slope + at);
    sum[0] *= other.x, sum[1] *= other.y, sum[2] *= other.z, sum[3] *= other.w;
  }
  if ((task.flags & DeviceTask::adds) != 0) {
    other = read4(block.values + task.gradient + at);
    sum[0] += other.x, sum[1] += other.y, sum[2] += other.z, sum[3] += other.w;
  }
  write4(block.values + task.gradient + at, sum[0], sum[1], sum[2], sum[3]);
}

/// 32 columns of weights: warps take eight rows in turn. Lane (g, q) has columns 4g ... 4g + 3 of
/// rows 2q and 2q + 1.
template <Precision precision, bool gives, bool updates, bool several>
__device__ __forceinline__ void strip(const Block& block, const DeviceTask& task, const AdamStep& step,
                                      StripMemory& shared) {
  constexpr int stages = StripMemory::stages;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const uint32_t tiles = (task.depth / 8 + grid_warps - 1 - warp) / grid_warps;
  const auto row_of = [&](uint32_t tile) { return 8 * (warp + grid_warps * tile); };
  const auto fetch = [&](uint32_t tile) {
    if (tile < tiles) {
      const uint32_t at = task.weight + row_of(tile) * 32;
      float4(&to)[4][64] = shared.ring[warp][tile % stages];
      copy_rows(to[0], block.parameters + at, 32, lane);
      if constexpr (updates) {
        copy_rows(to[1], block.first + at, 32, lane);
        copy_rows(to[2], block.second + at, 32, lane);
      }
      if constexpr (!several)
        copy_rows(to[3], block.values + task.y + row_of(tile) * task.y_feature, task.y_feature, lane);
    }
    end_group();
  };
#pragma unroll
  for (int s = 0; s < stages; ++s) fetch(s);
  if constexpr (updates && !several) {
    fill<precision>(shared,
                    ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x,
                    task.x_feature, task.x_slot);
    __syncthreads();
  }
  float dx[2][4][4] = {};
#pragma unroll 1
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    const uint32_t row = row_of(tile);
    wait_for_groups<stages - 1>();
    // Gradients were fetched by other lanes too, and are overwritten by them.
    __syncwarp();
    const float4(&from)[4][64] = shared.ring[warp][tile % stages];
    const float4(&dy)[64] = from[3];
    const unsigned even = place_of(2 * q, g), odd = place_of(2 * q + 1, g);
    const float4 w0 = from[0][even], w1 = from[0][odd];
    if constexpr (gives) {
      const float4 upper = dy[even], lower = dy[odd];
      Parts<precision, 4> a[2];
      a[0].set(0, w0.x), a[0].set(1, w0.y), a[0].set(2, w1.x), a[0].set(3, w1.y);
      a[1].set(0, w0.z), a[1].set(1, w0.w), a[1].set(2, w1.z), a[1].set(3, w1.w);
      const float ups[4] = {upper.x, upper.y, upper.z, upper.w},
                  lows[4] = {lower.x, lower.y, lower.z, lower.w};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        Parts<precision, 2> b;
        b.set(0, ups[n]), b.set(1, lows[n]);
        multiply_add(dx[0][n], a[0], b);
        multiply_add(dx[1][n], a[1], b);
      }
    }
    if constexpr (updates) {
      float c[2][4] = {}, bias = 0;
      if constexpr (several) {
        add_up_users<precision>(block, task, task.row + row, lane, c, bias);
      } else {
        float d[8];
        unpack(dy[place_of(g, q)], dy[place_of(g, 4 + q)], d);
#pragma unroll
        for (unsigned part = 0; part < 4; ++part) {
          Parts<precision, 2> b;
          b.set(0, d[2 * part]), b.set(1, d[2 * part + 1]);
#pragma unroll
          for (unsigned m = 0; m < 2; ++m) multiply_add(c[m], parts_of<precision>(shared, m, part, lane), b);
        }
        bias = ((d[0] + d[1]) + (d[2] + d[3])) + ((d[4] + d[5]) + (d[6] + d[7]));
      }
      const uint32_t at = task.weight + (row + 2 * q) * 32 + 4 * g;
      const auto update_row = [&](const float4& w, const float4& m, const float4& v, int column,
                                  uint32_t to) {
        const auto adam = [&](float gradient, float value, float first, float second) {
          return ops::adam(gradient, ops::Moments<float>{value, first, second}, step, root);
        };
        const ops::Moments<float> x = adam(c[0][column], w.x, m.x, v.x),
                                  y = adam(c[0][2 + column], w.y, m.y, v.y),
                                  z = adam(c[1][column], w.z, m.z, v.z),
                                  u = adam(c[1][2 + column], w.w, m.w, v.w);
        write4(block.parameters + to, x.value, y.value, z.value, u.value);
        write4(block.first + to, x.first, y.first, z.first, u.first);
        write4(block.second + to, x.second, y.second, z.second, u.second);
      };
      update_row(w0, from[1][even], from[2][even], 0, at);
      update_row(w1, from[1][odd], from[2][odd], 1, at + 32);
      if ((task.flags & DeviceTask::has_biases) != 0) {
        bias += __shfl_xor_sync(~0u, bias, 1);
        bias += __shfl_xor_sync(~0u, bias, 2);
        if (q == 0) update(block, task.bias + row + g, bias, step);
      }
    }
    __syncwarp();
    fetch(tile + stages);
  }
  if constexpr (gives) {
    wait_for_groups<0>();
    __syncthreads();
#pragma unroll
    for (unsigned m = 0; m < 2; ++m)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
        write4(&shared.gradient[warp][4 * g + 2 * m + i / 2][8 * q + i % 2 * 4], dx[m][0][i], dx[m][1][i],
               dx[m][2][i], dx[m][3][i]);
    __syncthreads();
    give_gradients(block, task, shared);
  }
}

/// Tasks of warps; `number` counts blocks behind the tasks of blocks. Where phases follow that are chained,
/// this block is the only one of its replica and does them too.
__device__ __forceinline__ void run_small_tasks(const Block& block, const ReplicaView& replica, uint64_t t,
                                                const GridPhase& phase, uint32_t number) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const DeviceTask* const tasks = block.program.tasks + phase.first + phase.block_tasks;
  if (phase.chained == 0) {
    const uint32_t own = number * grid_warps + warp;
    if (own < phase.warp_tasks) run_along_slots(block, tasks[own], lane, replica.loss, replica.losses + t);
    return;
  }
  const uint32_t count = replica.adam ? phase.chained : phase.chained_forward;
#pragma unroll 1
  for (uint32_t own = 0; own < count; own += grid_warps) {
    // Of a chain, each phase begins at a multiple of the warps.
    if ((tasks[own].flags & DeviceTask::begins_phase) != 0) __syncthreads();
    run_along_slots(block, tasks[own + warp], lane, replica.loss, replica.losses + t);
  }
}

__device__ __forceinline__ void draw_next(const ProgramView& program, const ReplicaView& replica,
                                          uint64_t t) {
  if (t < replica.steps && threadIdx.x < 32)
    draw(program, program.reads, replica, replica.first_step + t,
         replica.scratch + program.value_floats + t % 2 * program.input_floats, threadIdx.x);
}

/// The pairs of one step.
__global__ void grid_draw(const __grid_constant__ ProgramView program,
                          const __grid_constant__ GridStep step) {
  draw_next(program, step.replicas[blockIdx.x], *step.base + step.offset);
}

__global__ void grid_advance(uint64_t* base, uint64_t steps) { *base += steps; }

template <Precision precision>
__global__ void __launch_bounds__(grid_threads, 2)
    grid_forward(const __grid_constant__ ProgramView program, const __grid_constant__ GridStep step,
                 const __grid_constant__ GridPhase phase) {
  extern __shared__ float4 shared_memory[];
  const ReplicaView& replica = step.replicas[blockIdx.y];
  const uint64_t t = *step.base + step.offset;
  if (t >= replica.steps) return;
  const uint32_t number = blockIdx.x - phase.draws;
  if (blockIdx.x < phase.draws) {
    if (replica.adam) draw_next(program, replica, t + 1);
    return;
  }
  const Block block = block_of(program, replica, t);
  if (number >= phase.block_tasks)
    return run_small_tasks(block, replica, t, phase, number - phase.block_tasks);
  const DeviceTask task = program.tasks[phase.first + number];
  RowsMemory& shared = *reinterpret_cast<RowsMemory*>(shared_memory);
  if ((task.flags & DeviceTask::reads_input) != 0)
    dense_rows<precision, true>(block, task, shared);
  else
    dense_rows<precision, false>(block, task, shared);
}

template <Precision precision>
__global__ void __launch_bounds__(grid_threads, 2)
    grid_backward(const __grid_constant__ ProgramView program, const __grid_constant__ GridStep step,
                  const __grid_constant__ GridPhase phase) {
  extern __shared__ float4 shared_memory[];
  StripMemory& shared = *reinterpret_cast<StripMemory*>(shared_memory);
  const ReplicaView& replica = step.replicas[blockIdx.y];
  const uint64_t t = *step.base + step.offset;
  if (t >= replica.steps) return;
  const uint32_t number = blockIdx.x - phase.draws;
  if (blockIdx.x < phase.draws) return draw_next(program, replica, t + 1);
  const Block block = block_of(program, replica, t);
  if (number >= phase.block_tasks)
    return run_small_tasks(block, replica, t, phase, number - phase.block_tasks);
  const DeviceTask task = program.tasks[phase.first + number];
  const AdamStep adam = replica.adam[t];
  const bool gives = (task.flags & DeviceTask::gives_gradient) != 0,
             updates = (task.flags & DeviceTask::updates) != 0;
  if (gives && updates)
    strip<precision, true, true, false>(block, task, adam, shared);
  else if (gives)
    strip<precision, true, false, false>(block, task, adam, shared);
  else if (task.tiles == 0 && program.slots == 32)
    strip<precision, false, true, false>(block, task, adam, shared);
  else
    strip<precision, false, true, true>(block, task, adam, shared);
}

}  // namespace kedge::cuda
