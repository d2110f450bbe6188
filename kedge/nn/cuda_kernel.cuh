#pragma once

// The training kernel: one thread block trains one replica for many steps. Parameters, moments, values and
// gradients stand in shared memory where they fit, otherwise in global memory.
//
// Fifteen warps take the tasks of each phase in turn. One more warp draws the pairs of the next step
// meanwhile and writes their features into the other of two input buffers.
//
// Products run on tensor cores. A float is the sum of two numbers of eleven bits, so that three products of
// TF32 give the product of two floats to about 2^-22 (`exact`); `fast` takes the first of the three.
//
// Laws: what a replica computes does not depend on the other blocks. Sums have one order, so the same run
// gives the same bits on the same device.

#include "kedge/nn/adam.h"
#include "kedge/nn/device_plan.h"
#include "kedge/nn/ops.h"
#include "kedge/pairs/pair_features.h"

namespace kedge::cuda {

constexpr unsigned compute_warps = WarpTasks::warps, compute_threads = 32 * compute_warps,
                   block_threads = compute_threads + 32;

enum class Precision { exact, fast };

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
  uint32_t reads;  // bit by Input
};

/// One replica of a launch.
struct ReplicaView {
  TrainingData data;
  Stream stream;
  uint64_t seed, first_step, steps;
  Loss loss;
  float* parameters;     // then both moments
  float* scratch;        // where values do not fit into shared memory
  const AdamStep* adam;  // by step of the launch; null: the loss alone is measured
  double* losses;        // by step of the launch
};

/// Barrier of the warps that compute; the one that draws is elsewhere.
__device__ __forceinline__ void compute_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(compute_threads) : "memory");
}

struct Fragment4 {
  float x[4];
};

/// The part of a number that TF32 keeps.
__device__ __forceinline__ float leading(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

__device__ __forceinline__ void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Sums of 16 x 8 products, a tile of a warp. What is small is added apart, in two sums that do not wait for
/// each other.
struct Sums {
  float c[4], small[4], other_small[4];

  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int i = 0; i < 4; ++i) c[i] += small[i] + other_small[i];
  }
};

/// Sixteen numbers of depth: thread q of a row has 4q ... 4q + 3. Two steps of a tensor core, of which the
/// first takes numbers 4q and 4q + 1, the second the other two; the order of a sum is free as long as both
/// factors share it.
template <Precision precision>
struct Factor {
  float high[8], low[8];  // rows g and g + 8, or one row

  __device__ __forceinline__ void set(int i, float x) {
    high[i] = leading(x);
    if constexpr (precision == Precision::exact) low[i] = x - high[i];
  }
};

/// a: numbers 0 ... 3 of row g, 4 ... 7 of row g + 8; b: 0 ... 3 of column g.
template <Precision precision>
__device__ __forceinline__ void product(Sums& sums, const Factor<precision>& a, const Factor<precision>& b) {
#pragma unroll
  for (int half = 0; half < 4; half += 2) {
    const float a0[4] = {a.high[half], a.high[4 + half], a.high[half + 1], a.high[5 + half]};
    const float b0[2] = {b.high[half], b.high[half + 1]};
    if constexpr (precision == Precision::exact) {
      const float a1[4] = {a.low[half], a.low[4 + half], a.low[half + 1], a.low[5 + half]};
      const float b1[2] = {b.low[half], b.low[half + 1]};
      multiply_add(sums.small, a1, b0);
      multiply_add(sums.other_small, a0, b1);
    }
    multiply_add(sums.c, a0, b0);
  }
}

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

/// sin(pi x) and its derivative, as the CPU's kernels compute them.
__device__ __forceinline__ float sin_pi(float x, float& slope) {
  const float nearest = rintf(x), r = x - nearest;
  const bool odd = (static_cast<int>(nearest) & 1) != 0;
  const float sine = ops::sin_pi_near_0(r), cosine = ops::sin_pi_slope_near_0(r);
  slope = odd ? -cosine : cosine;
  return odd ? -sine : sine;
}

/// Two rows of two numbers.
__device__ __forceinline__ void write_tile(float* to, uint32_t at, uint32_t below, const float (&c)[4]) {
  *reinterpret_cast<float2*>(to + at) = {c[0], c[1]};
  *reinterpret_cast<float2*>(to + below) = {c[2], c[3]};
}
__device__ __forceinline__ void read_tile(const float* from, uint32_t at, uint32_t below, float (&c)[4]) {
  const float2 high = *reinterpret_cast<const float2*>(from + at),
               low = *reinterpret_cast<const float2*>(from + below);
  c[0] = high.x;
  c[1] = high.y;
  c[2] = low.x;
  c[3] = low.y;
}

template <Precision precision, int tiles>
__device__ __forceinline__ void dense(const Block& block, const DeviceTask& task, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const float* const w = block.parameters + task.weight + g * task.weight_row + 4 * q;
  const uint32_t low = 8 * task.weight_row, fs = task.x_feature, ss = task.x_slot, depth = task.depth;
  const float* x = ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x +
                   4 * q * fs + g * ss;
  const float bias0 = block.parameters[task.bias + g], bias1 = block.parameters[task.bias + g + 8];
  Sums sums[tiles];
#pragma unroll
  for (int n = 0; n < tiles; ++n) sums[n] = {{bias0, bias0, bias1, bias1}, {}, {}};
#pragma unroll 1
  for (uint32_t k = 0; k < depth; k += 16) {
    Factor<precision> a, b;
    const float4 top = *reinterpret_cast<const float4*>(w + k),
                 bottom = *reinterpret_cast<const float4*>(w + low + k);
    a.set(0, top.x), a.set(1, top.y), a.set(2, top.z), a.set(3, top.w);
    a.set(4, bottom.x), a.set(5, bottom.y), a.set(6, bottom.z), a.set(7, bottom.w);
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
      const float* const from = x + 8 * n * ss;
#pragma unroll
      for (int i = 0; i < 4; ++i) b.set(i, from[i * fs]);
      product<precision>(sums[n], a, b);
    }
    x += 16 * fs;
  }
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t at = g * task.y_feature + 2 * q + 8 * n, below = at + 8 * task.y_feature;
    if ((task.flags & DeviceTask::is_relu) != 0) {
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = c[i] > 0 ? c[i] : 0;
    }
    if ((task.flags & DeviceTask::is_sin) != 0) {
      float slopes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = sin_pi(c[i], slopes[i]);
      write_tile(block.values + task.slope, at, below, slopes);
    }
    write_tile(block.values + task.y, at, below, c);
  }
}

/// Writes or adds a gradient of a value's output as one of what its activation reads.
__device__ __forceinline__ void give_gradient(const Block& block, const DeviceValue& v, uint32_t at,
                                              float gradient, bool adds) {
  if (v.is_relu) gradient = block.values[v.at + at] > 0 ? gradient : 0;
  if (v.is_sin) gradient *= block.values[v.slope_at + at];
  float& to = block.values[v.gradient_at + at];
  to = adds ? to + gradient : gradient;
}

template <Precision precision, int tiles>
__device__ __forceinline__ void dense_input(const Block& block, const DeviceTask& task, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t row = task.weight_row, stride = task.x_feature, depth = task.depth;
  const float* w = block.parameters + task.weight + 4 * q * row + g;
  const float* dy = block.values + task.x + 4 * q * stride + g;
  Sums sums[tiles] = {};
#pragma unroll 1
  for (uint32_t k = 0; k < depth; k += 16) {
    Factor<precision> a, b;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a.set(i, w[i * row]);
      a.set(4 + i, w[i * row + 8]);
    }
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) b.set(i, dy[i * stride + 8 * n]);
      product<precision>(sums[n], a, b);
    }
    w += 16 * row;
    dy += 16 * stride;
  }
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].finish();
    float(&c)[4] = sums[n].c;
    const uint32_t at = g * task.y_feature + 2 * q + 8 * n, below = at + 8 * task.y_feature;
    float other[4];
    if ((task.flags & DeviceTask::is_relu) != 0) {
      read_tile(block.values + task.value, at, below, other);
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] = other[i] > 0 ? c[i] : 0;
    }
    if ((task.flags & DeviceTask::is_sin) != 0) {
      read_tile(block.values + task.slope, at, below, other);
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] *= other[i];
    }
    if ((task.flags & DeviceTask::adds) != 0) {
      read_tile(block.values + task.y, at, below, other);
#pragma unroll
      for (int i = 0; i < 4; ++i) c[i] += other[i];
    }
    write_tile(block.values + task.y, at, below, c);
  }
}

__device__ __forceinline__ float root(float x) { return sqrtf(x); }

__device__ __forceinline__ void update(const Block& block, uint32_t at, float gradient,
                                       const AdamStep& step) {
  const ops::Moments<float> after = ops::adam(
      gradient, ops::Moments<float>{block.parameters[at], block.first[at], block.second[at]}, step, root);
  block.parameters[at] = after.value;
  block.first[at] = after.first;
  block.second[at] = after.second;
}

template <Precision precision, int tiles>
__device__ __forceinline__ void dense_weights(const Block& block, const DeviceTask& task, unsigned lane,
                                              const AdamStep& step) {
  const ProgramView& p = block.program;
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t depth = task.depth;
  Sums sums[tiles] = {};
  float bias0 = 0, bias1 = 0;
  const auto add = [&](const float* dy, uint32_t down, const float* x, uint32_t fs, uint32_t ss) {
#pragma unroll 1
    for (uint32_t k = 0; k < depth; k += 16) {
      Factor<precision> a, b;
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const float2 top = *reinterpret_cast<const float2*>(dy + k + i),
                     bottom = *reinterpret_cast<const float2*>(dy + down + k + i);
        a.set(i, top.x), a.set(i + 1, top.y), a.set(4 + i, bottom.x), a.set(5 + i, bottom.y);
        bias0 += top.x + top.y;
        bias1 += bottom.x + bottom.y;
      }
#pragma unroll
      for (int n = 0; n < tiles; ++n) {
        const float* const from = x + 8 * n * fs + k * ss;
#pragma unroll
        for (int i = 0; i < 4; ++i) b.set(i, from[i * ss]);
        product<precision>(sums[n], a, b);
      }
    }
  };
  add(block.values + task.y + g * task.y_feature + 4 * q, 8 * task.y_feature,
      ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x +
          g * task.x_feature + 4 * q * task.x_slot,
      task.x_feature, task.x_slot);
  // Of several users the last came first, as on the CPU.
  if (task.value > 0) {
    const uint32_t first_user = p.ops[task.op].first_user;
#pragma unroll 1
    for (uint32_t u = task.value; u-- > 0;) {
      const DeviceOp user = p.ops[p.users[first_user + u]];
      const DeviceValue in = p.values[user.a], out = p.values[user.out];
      add(block.values + out.gradient_at + (task.row + g) * out.feature_stride + 4 * q,
          8 * out.feature_stride,
          block.value(in, user.a) + (task.rows + g) * in.feature_stride + 4 * q * in.slot_stride,
          in.feature_stride, in.slot_stride);
    }
  }
  const uint32_t at = g * task.weight_row + 2 * q, below = at + 8 * task.weight_row;
#pragma unroll
  for (int first = 0; first < tiles; first += 2) {
    constexpr int both = tiles < 2 ? 1 : 2;
    float w[both][4], m[both][4], v[both][4];
#pragma unroll
    for (int n = 0; n < both; ++n) {
      const uint32_t from = task.weight + 8 * (first + n);
      read_tile(block.parameters + from, at, below, w[n]);
      read_tile(block.first + from, at, below, m[n]);
      read_tile(block.second + from, at, below, v[n]);
    }
#pragma unroll
    for (int n = 0; n < both; ++n) {
      sums[first + n].finish();
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const ops::Moments<float> after =
            ops::adam(sums[first + n].c[i], ops::Moments<float>{w[n][i], m[n][i], v[n][i]}, step, root);
        w[n][i] = after.value;
        m[n][i] = after.first;
        v[n][i] = after.second;
      }
      const uint32_t to = task.weight + 8 * (first + n);
      write_tile(block.parameters + to, at, below, w[n]);
      write_tile(block.first + to, at, below, m[n]);
      write_tile(block.second + to, at, below, v[n]);
    }
  }
  if ((task.flags & DeviceTask::has_biases) == 0) return;
#pragma unroll
  for (int apart = 1; apart < 4; apart *= 2) {
    bias0 += __shfl_xor_sync(~0u, bias0, apart);
    bias1 += __shfl_xor_sync(~0u, bias1, apart);
  }
  if (q < 2) update(block, task.bias + g + 8 * q, q == 0 ? bias0 : bias1, step);
}

/// A row of a value, for ops that go along the slots.
__device__ __forceinline__ float read(const Block& block, uint32_t value, uint32_t feature, uint32_t slot) {
  const DeviceValue& v = block.program.values[value];
  return block.value(v, value)[feature * v.feature_stride + slot * v.slot_stride];
}

/// The two factors of product number `index` of a quadratic of `width` features.
__device__ __forceinline__ void factors(uint32_t index, uint32_t width, uint32_t& i, uint32_t& j) {
  i = 0;
  while (index >= width - i) index -= width - i++;
  j = i + index;
}

__device__ __forceinline__ void bilinear(const Block& block, const DeviceTask& task, unsigned lane) {
  const uint32_t xs = task.x_feature, zs = task.weight_row, rank = task.depth;
  for (uint32_t slot = lane; slot < block.program.slots; slot += 32) {
    const float* x = ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x +
                     slot * task.x_slot;
    const float* z = ((task.flags & DeviceTask::reads_input_too) != 0 ? block.input : block.values) +
                     task.weight + slot * task.row;
    float sums[8] = {};
    uint32_t r = 0;
#pragma unroll 1
    for (; r + 8 <= rank; r += 8) {
#pragma unroll
      for (uint32_t i = 0; i < 8; ++i) sums[i] += x[i * xs] * z[i * zs];
      x += 8 * xs;
      z += 8 * zs;
    }
#pragma unroll 1
    for (; r < rank; ++r, x += xs, z += zs) sums[0] += *x * *z;
    block.values[task.y + slot] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}

__device__ __noinline__ void elementwise(const Block block, uint32_t number, uint32_t row, unsigned lane) {
  const ProgramView& p = block.program;
  const DeviceOp op = p.ops[number];
  const DeviceValue out = p.values[op.out];
  const uint32_t wide = p.values[op.a].width;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    float y = 0;
    switch (op.kind) {
      case OpKind::add:
        y = read(block, op.a, row, slot) + read(block, op.b, row, slot);
        break;
      case OpKind::subtract:
        y = read(block, op.a, row, slot) - read(block, op.b, row, slot);
        break;
      case OpKind::concat:
        y = row < wide ? read(block, op.a, row, slot) : read(block, op.b, row - wide, slot);
        break;
      case OpKind::select:
        y = read(block, op.a, p.columns[op.columns_at + row], slot);
        break;
      case OpKind::bilinear:
      case OpKind::dense:
        break;
      case OpKind::quadratic:
        if (row < wide) {
          y = read(block, op.a, row, slot);
        } else {
          uint32_t i, j;
          factors(row - wide, wide, i, j);
          y = read(block, op.a, i, slot) * read(block, op.a, j, slot);
        }
        break;
    }
    block.values[out.at + row * out.feature_stride + slot] = y;
  }
}

/// Gradients of some rows of a product whose operands are two values that nobody else reads.
__device__ __forceinline__ void bilinear_back(const Block& block, const DeviceTask& task, unsigned lane) {
  const bool relu_a = (task.flags & DeviceTask::is_relu) != 0,
             relu_b = (task.flags & DeviceTask::is_relu_too) != 0;
  for (uint32_t slot = lane; slot < block.program.slots; slot += 32) {
    float* const a = block.values + task.x + slot;
    float* const b = block.values + task.weight + slot;
    const float* const dy = block.values + task.y + slot;
    float f[8], h[8], d[8];
    uint32_t within = task.op, output = 0;  // the place in the rows of one output, and that output
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      if (i >= task.rows) break;
      f[i] = a[i * task.x_feature];
      h[i] = b[i * task.weight_row];
      d[i] = dy[output];
      if (++within == task.depth) within = 0, output += task.y_feature;
    }
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      if (i >= task.rows) break;
      a[i * task.x_feature] = relu_a && !(f[i] > 0) ? 0 : d[i] * h[i];
      b[i * task.weight_row] = relu_b && !(h[i] > 0) ? 0 : d[i] * f[i];
    }
  }
}

/// Gradients of one row of an op, or of all of it where rows of its operand get several.
__device__ __noinline__ void elementwise_back(const Block block, uint32_t number, uint32_t row,
                                              unsigned lane) {
  const ProgramView& p = block.program;
  const DeviceOp op = p.ops[number];
  const DeviceValue out = p.values[op.out], a = p.values[op.a], b = p.values[op.b];
  const bool same = op.a == op.b;
  const auto to_a = [&](uint32_t feature, uint32_t slot, float gradient, bool adds) {
    if (a.has_gradient) give_gradient(block, a, feature * a.feature_stride + slot, gradient, adds);
  };
  const auto to_b = [&](uint32_t feature, uint32_t slot, float gradient) {
    if (b.has_gradient)
      give_gradient(block, b, feature * b.feature_stride + slot, gradient, same || op.adds_b);
  };
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    const auto dy = [&](uint32_t feature) {
      return block.values[out.gradient_at + feature * out.feature_stride + slot];
    };
    switch (op.kind) {
      case OpKind::add:
        to_a(row, slot, dy(row), op.adds_a);
        to_b(row, slot, dy(row));
        break;
      case OpKind::subtract:
        to_a(row, slot, dy(row), op.adds_a);
        to_b(row, slot, -dy(row));
        break;
      case OpKind::concat:
        // Of a value beside itself the second half is added by the warp that wrote the first.
        if (row < a.width) {
          to_a(row, slot, dy(row), op.adds_a);
          if (same) to_b(row, slot, dy(a.width + row));
        } else if (!same) {
          to_b(row - a.width, slot, dy(row));
        }
        break;
      case OpKind::select:
        for (uint32_t f = 0; f < a.width && !op.adds_a; ++f) to_a(f, slot, 0, false);
        for (uint32_t j = 0; j < op.width; ++j) to_a(p.columns[op.columns_at + j], slot, dy(j), true);
        break;
      case OpKind::bilinear: {
        const float f = read(block, op.a, row, slot), h = read(block, op.b, row, slot), d = dy(row / op.rank);
        to_a(row, slot, d * h, op.adds_a);
        to_b(row, slot, d * f);
        break;
      }
      case OpKind::quadratic: {
        for (uint32_t f = 0; f < a.width; ++f) to_a(f, slot, dy(f), op.adds_a);
        uint32_t at = a.width;
        for (uint32_t i = 0; i < a.width; ++i)
          for (uint32_t j = i; j < a.width; ++j, ++at) {
            to_a(i, slot, dy(at) * read(block, op.a, j, slot), true);
            to_a(j, slot, dy(at) * read(block, op.a, i, slot), true);
          }
        break;
      }
      case OpKind::dense:
        break;
    }
  }
}

/// By one warp: the loss of the batch, and its gradient where the backward phases read it.
__device__ __forceinline__ void loss(const Block& block, const DeviceTask& task, Loss kind, unsigned lane,
                                     double* to) {
  const ProgramView& p = block.program;
  const float one_over_numbers = 1.0f / static_cast<float>(p.batch * p.outputs);
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    const float* const target = block.input + p.target_at + slot * p.target_row;
    const float* const y = block.values + task.y + slot;
    float squares = 0;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      const float e = y[k * task.y_feature] - target[k];
      squares += e * e;
    }
    ops::PairLoss pair{0, 0};
    if (slot < p.batch) {
      const float weight = block.input[p.pair_weight_at + slot];
      pair = kind == Loss::mse ? ops::squared_error(squares, weight, one_over_numbers)
                               : ops::distance(sqrtf(squares), weight, static_cast<float>(p.batch));
    }
    total += pair.loss;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      const uint32_t at = k * task.y_feature + slot;
      float gradient = pair.slope * (y[k * task.y_feature] - target[k]);
      if ((task.flags & DeviceTask::is_relu) != 0 && !(y[k * task.y_feature] > 0)) gradient = 0;
      if ((task.flags & DeviceTask::is_sin) != 0) gradient *= block.values[task.slope + at];
      block.values[task.value + at] = gradient;
    }
  }
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) *to = total;
}

/// By one warp: the pairs of a step.
__device__ __forceinline__ void draw(const ProgramView& p, const ReplicaView& replica, uint64_t step,
                                     float* buffer, unsigned lane) {
  const TrainingData& data = replica.data;
  const auto array = [&](Input input) {
    const auto i = static_cast<uint32_t>(input);
    return (p.reads >> i & 1) != 0 ? buffer + p.values[i].at : nullptr;
  };
  const PairArrays arrays{.query = array(Input::query),
                          .anchor = array(Input::anchor),
                          .delta = array(Input::delta),
                          .feature_stride = p.values[0].slot_stride,
                          .anchor_output = array(Input::anchor_output),
                          .output_stride = p.values[static_cast<uint32_t>(Input::anchor_output)].slot_stride};
  for (uint32_t slot = lane; slot < p.batch; slot += 32) {
    const DrawnPair drawn = draw_pair(data.pairs, replica.seed, replica.stream, step, slot);
    encode_pair(data.rows, training_row(data.rows, drawn.pair.query), drawn.pair.anchor, arrays, slot);
    const float* const target = data.pair_targets.empty()
                                    ? data.rows.outputs.data() + size_t{drawn.pair.query} * p.outputs
                                    : &data.pair_targets[drawn.entry];
    copy_numbers(target, p.outputs, buffer + p.target_at + slot * p.target_row);
    buffer[p.pair_weight_at + slot] = data.pair_weights.empty() ? 1.0f : data.pair_weights[drawn.entry];
  }
}

template <Precision precision>
__device__ __forceinline__ void run(const Block& block, const DeviceTask& task, unsigned lane,
                                    const AdamStep& step, Loss kind, double* loss_to) {
  switch (task.kind) {
    case DeviceTaskKind::nothing:
      break;
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
    case DeviceTaskKind::bilinear:
      bilinear(block, task, lane);
      break;
    case DeviceTaskKind::bilinear_back:
      bilinear_back(block, task, lane);
      break;
    case DeviceTaskKind::loss:
      loss(block, task, kind, lane, loss_to);
      break;
    case DeviceTaskKind::elementwise:
      elementwise(block, task.op, task.row, lane);
      break;
    case DeviceTaskKind::elementwise_back:
      elementwise_back(block, task.op, task.row, lane);
      break;
  }
}

enum class Place { shared, global };

template <Place place, Precision precision>
__global__ void __launch_bounds__(block_threads, 1)
    train_kernel(const __grid_constant__ ProgramView program, const ReplicaView* replicas) {
  extern __shared__ float4 shared_memory[];
  const ReplicaView& replica = replicas[blockIdx.x];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t parameters = program.parameter_floats;
  float* const base = place == Place::shared ? reinterpret_cast<float*>(shared_memory) : replica.scratch;
  float* const own =
      place == Place::shared ? base + program.value_floats + 2 * program.input_floats : replica.parameters;
  const uint32_t work = program.value_floats + 2 * program.input_floats;
  const DeviceTask* all_tasks = program.tasks;
  if constexpr (place == Place::shared) {
    // Behind the parameters, which are a multiple of 16 numbers.
    float4* const to = reinterpret_cast<float4*>(own + 3 * parameters);
    const uint32_t count = program.by_warp.first[compute_warps] * (sizeof(DeviceTask) / sizeof(float4));
    for (uint32_t i = threadIdx.x; i < count; i += block_threads)
      to[i] = reinterpret_cast<const float4*>(program.tasks)[i];
    all_tasks = reinterpret_cast<const DeviceTask*>(to);
  }
  for (uint32_t i = threadIdx.x; i < work; i += block_threads) base[i] = 0;
  if (place == Place::shared)
    for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) own[i] = replica.parameters[i];
  __syncthreads();
  float* const inputs = base + program.value_floats;
  const uint32_t own_warp = warp < compute_warps ? warp : 0;
  const DeviceTask* const tasks = all_tasks + program.by_warp.first[own_warp];
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
        draw(program, replica, replica.first_step + t, inputs + t % 2 * program.input_floats, lane);
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
        if ((task.flags & DeviceTask::begins_phase) != 0) compute_barrier();
        run<precision>(block, task, lane, step, kind, losses + (t - 1));
      }
    }
    __syncthreads();
  }
  if (place == Place::shared)
    for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) replica.parameters[i] = own[i];
}

}  // namespace kedge::cuda
