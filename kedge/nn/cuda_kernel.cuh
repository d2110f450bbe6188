#pragma once

// The training kernel: one thread block trains one replica for many steps. Parameters, moments, values and gradients
// stand in shared memory where they fit, otherwise in global memory.
//
// Sixteen warps take the tasks of each phase in turn. One more warp draws the pairs of the next step meanwhile and
// writes their features into the other of two input buffers.
//
// Products run on tensor cores. A float is the sum of two numbers of eleven bits, so that three products of TF32 give
// the product of two floats to about 2^-22 (`exact`); `fast` takes the first of the three.
//
// Laws: what a replica computes does not depend on the other blocks. Sums have one order, so the same run gives the
// same bits on the same device.

#include "kedge/nn/adam.h"
#include "kedge/nn/device_plan.h"
#include "kedge/nn/ops.h"
#include "kedge/pairs/pair_features.h"

namespace kedge::cuda {

constexpr unsigned compute_warps = 16, compute_threads = 32 * compute_warps, block_threads = compute_threads + 32;

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
  float* parameters;  // then both moments
  float* scratch;     // where values do not fit into shared memory
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
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// c += a b for a 16 x 8 and an 8 x 8 matrix; `rest` takes what is small.
template <Precision precision>
__device__ __forceinline__ void product(float (&c)[4], float (&rest)[4], const float (&a)[4], const float (&b)[2]) {
  float a0[4], b0[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) a0[i] = leading(a[i]);
#pragma unroll
  for (int i = 0; i < 2; ++i) b0[i] = leading(b[i]);
  if constexpr (precision == Precision::exact) {
    float a1[4], b1[2];
#pragma unroll
    for (int i = 0; i < 4; ++i) a1[i] = a[i] - a0[i];
#pragma unroll
    for (int i = 0; i < 2; ++i) b1[i] = b[i] - b0[i];
    multiply_add(rest, a1, b0);
    multiply_add(rest, a0, b1);
  }
  multiply_add(c, a0, b0);
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
  const float2 high = *reinterpret_cast<const float2*>(from + at), low = *reinterpret_cast<const float2*>(from + below);
  c[0] = high.x;
  c[1] = high.y;
  c[2] = low.x;
  c[3] = low.y;
}

template <Precision precision>
__device__ __forceinline__ void dense(const Block& block, const DeviceTask& task, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const float* const w = block.parameters + task.weight + g * task.weight_row + q;
  const uint32_t low = 8 * task.weight_row, fs = task.x_feature, depth = task.depth;
  const float* const x =
      ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x + q * fs + g * task.x_slot;
  const float bias0 = block.parameters[task.bias + g], bias1 = block.parameters[task.bias + g + 8];
  float c[4] = {bias0, bias0, bias1, bias1}, rest[4] = {};
#pragma unroll 2
  for (uint32_t k = 0; k < depth; k += 8) {
    const float a[4] = {w[k], w[low + k], w[k + 4], w[low + k + 4]};
    const float b[2] = {x[k * fs], x[(k + 4) * fs]};
    product<precision>(c, rest, a, b);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) c[i] += rest[i];
  const uint32_t at = g * task.y_feature + 2 * q, below = at + 8 * task.y_feature;
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

/// Writes or adds a gradient of a value's output as one of what its activation reads.
__device__ __forceinline__ void give_gradient(const Block& block, const DeviceValue& v, uint32_t at, float gradient,
                                              bool adds) {
  if (v.is_relu) gradient = block.values[v.at + at] > 0 ? gradient : 0;
  if (v.is_sin) gradient *= block.values[v.slope_at + at];
  float& to = block.values[v.gradient_at + at];
  to = adds ? to + gradient : gradient;
}

template <Precision precision>
__device__ __forceinline__ void dense_input(const Block& block, const DeviceTask& task, unsigned lane) {
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t row = task.weight_row, stride = task.x_feature, depth = task.depth;
  const float* const w = block.parameters + task.weight + q * row + g;
  const float* const dy = block.values + task.x + q * stride + g;
  float c[4] = {}, rest[4] = {};
#pragma unroll 2
  for (uint32_t k = 0; k < depth; k += 8) {
    const float a[4] = {w[k * row], w[k * row + 8], w[(k + 4) * row], w[(k + 4) * row + 8]};
    const float b[2] = {dy[k * stride], dy[(k + 4) * stride]};
    product<precision>(c, rest, a, b);
  }
  const uint32_t at = g * task.y_feature + 2 * q, below = at + 8 * task.y_feature;
  float other[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) c[i] += rest[i];
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

__device__ __forceinline__ float root(float x) { return sqrtf(x); }

__device__ __forceinline__ void update(const Block& block, uint32_t at, float gradient, const AdamStep& step) {
  const ops::Moments<float> after = ops::adam(
      gradient, ops::Moments<float>{block.parameters[at], block.first[at], block.second[at]}, step, root);
  block.parameters[at] = after.value;
  block.first[at] = after.first;
  block.second[at] = after.second;
}

template <Precision precision>
__device__ __forceinline__ void dense_weights(const Block& block, const DeviceTask& task, unsigned lane,
                                              const AdamStep& step) {
  const ProgramView& p = block.program;
  const unsigned g = lane >> 2, q = lane & 3;
  const uint32_t at = g * task.weight_row + 2 * q, below = at + 8 * task.weight_row, depth = task.depth;
  float w[4], m[4], v[4];
  read_tile(block.parameters + task.weight, at, below, w);
  read_tile(block.first + task.weight, at, below, m);
  read_tile(block.second + task.weight, at, below, v);
  float c[4] = {}, rest[4] = {};
  float bias0 = 0, bias1 = 0;
  const auto add = [&](const float* dy, uint32_t down, const float* x, uint32_t ss) {
#pragma unroll 2
    for (uint32_t k = 0; k < depth; k += 8) {
      const float a[4] = {dy[k], dy[down + k], dy[k + 4], dy[down + k + 4]};
      const float b[2] = {x[k * ss], x[(k + 4) * ss]};
      product<precision>(c, rest, a, b);
      bias0 += a[0] + a[2];
      bias1 += a[1] + a[3];
    }
  };
  add(block.values + task.y + g * task.y_feature + q, 8 * task.y_feature,
      ((task.flags & DeviceTask::reads_input) != 0 ? block.input : block.values) + task.x + g * task.x_feature +
          q * task.x_slot,
      task.x_slot);
  // Of several users the last came first, as on the CPU.
  if (task.value > 0) {
    const uint32_t first_user = p.ops[task.op].first_user;
#pragma unroll 1
    for (uint32_t u = task.value; u-- > 0;) {
      const DeviceOp user = p.ops[p.users[first_user + u]];
      const DeviceValue in = p.values[user.a], out = p.values[user.out];
      add(block.values + out.gradient_at + (task.row + g) * out.feature_stride + q, 8 * out.feature_stride,
          block.value(in, user.a) + (task.rows + g) * in.feature_stride + q * in.slot_stride, in.slot_stride);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const ops::Moments<float> after = ops::adam(c[i] + rest[i], ops::Moments<float>{w[i], m[i], v[i]}, step, root);
    w[i] = after.value;
    m[i] = after.first;
    v[i] = after.second;
  }
  write_tile(block.parameters + task.weight, at, below, w);
  write_tile(block.first + task.weight, at, below, m);
  write_tile(block.second + task.weight, at, below, v);
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
  const ProgramView& p = block.program;
  const DeviceOp op = p.ops[task.op];
  const DeviceValue f = p.values[op.a], h = p.values[op.b], out = p.values[op.out];
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    const float* x = block.value(f, op.a) + task.row * op.rank * f.feature_stride + slot * f.slot_stride;
    const float* z = block.value(h, op.b) + task.row * op.rank * h.feature_stride + slot * h.slot_stride;
    float sums[8] = {};
    uint32_t r = 0;
#pragma unroll 1
    for (; r + 8 <= op.rank; r += 8) {
#pragma unroll
      for (uint32_t i = 0; i < 8; ++i) sums[i] += x[i * f.feature_stride] * z[i * h.feature_stride];
      x += 8 * f.feature_stride;
      z += 8 * h.feature_stride;
    }
#pragma unroll 1
    for (; r < op.rank; ++r, x += f.feature_stride, z += h.feature_stride) sums[0] += *x * *z;
    block.values[out.at + task.row * out.feature_stride + slot] =
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
  const ProgramView& p = block.program;
  const DeviceOp op = p.ops[task.op];
  const DeviceValue a = p.values[op.a], b = p.values[op.b], out = p.values[op.out];
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    float f[8], h[8], d[8];
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t row = min(task.row + i, a.width - 1);
      f[i] = block.values[a.at + row * a.feature_stride + slot];
      h[i] = block.values[b.at + row * b.feature_stride + slot];
      d[i] = block.values[out.gradient_at + row / op.rank * out.feature_stride + slot];
    }
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      if (i >= task.rows) break;
      const float to_a = a.is_relu && !(f[i] > 0) ? 0 : d[i] * h[i], to_b = b.is_relu && !(h[i] > 0) ? 0 : d[i] * f[i];
      block.values[a.gradient_at + (task.row + i) * a.feature_stride + slot] = to_a;
      block.values[b.gradient_at + (task.row + i) * b.feature_stride + slot] = to_b;
    }
  }
}

/// Gradients of one row of an op, or of all of it where rows of its operand get several.
__device__ __noinline__ void elementwise_back(const Block block, uint32_t number, uint32_t row, unsigned lane) {
  const ProgramView& p = block.program;
  const DeviceOp op = p.ops[number];
  const DeviceValue out = p.values[op.out], a = p.values[op.a], b = p.values[op.b];
  const bool same = op.a == op.b;
  const auto to_a = [&](uint32_t feature, uint32_t slot, float gradient, bool adds) {
    if (a.has_gradient) give_gradient(block, a, feature * a.feature_stride + slot, gradient, adds);
  };
  const auto to_b = [&](uint32_t feature, uint32_t slot, float gradient) {
    if (b.has_gradient) give_gradient(block, b, feature * b.feature_stride + slot, gradient, same || op.adds_b);
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
__device__ __forceinline__ void loss(const Block& block, const ReplicaView& replica, unsigned lane, double* to) {
  const ProgramView& p = block.program;
  const DeviceValue y = p.values[p.value_count - 1];
  const float one_over_numbers = 1.0f / static_cast<float>(p.batch * p.outputs);
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    const float* target = block.input + p.target_at + slot * p.target_row;
    float squares = 0;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      const float e = block.values[y.at + k * y.feature_stride + slot] - target[k];
      squares += e * e;
    }
    ops::PairLoss pair{0, 0};
    if (slot < p.batch) {
      const float weight = block.input[p.pair_weight_at + slot];
      pair = replica.loss == Loss::mse ? ops::squared_error(squares, weight, one_over_numbers)
                                       : ops::distance(sqrtf(squares), weight, static_cast<float>(p.batch));
    }
    total += pair.loss;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      const uint32_t at = k * y.feature_stride + slot;
      const float e = block.values[y.at + at] - target[k];
      give_gradient(block, y, at, pair.slope * e, false);
    }
  }
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) *to = total;
}

/// By one warp: the pairs of a step.
__device__ __forceinline__ void draw(const ProgramView& p, const ReplicaView& replica, uint64_t step, float* buffer, unsigned lane) {
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
__device__ __forceinline__ void run(const Block& block, const ReplicaView& replica, const DeviceTask& task, unsigned lane,
                                    const AdamStep& step, double* loss_to) {
    switch (task.kind) {
      case DeviceTaskKind::nothing:
        break;
      case DeviceTaskKind::dense:
        dense<precision>(block, task, lane);
        break;
      case DeviceTaskKind::dense_input:
        dense_input<precision>(block, task, lane);
        break;
      case DeviceTaskKind::dense_weights:
        dense_weights<precision>(block, task, lane, step);
        break;
      case DeviceTaskKind::bilinear:
        bilinear(block, task, lane);
        break;
      case DeviceTaskKind::bilinear_back:
        bilinear_back(block, task, lane);
        break;
      case DeviceTaskKind::loss:
        loss(block, replica, lane, loss_to);
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
__global__ void __launch_bounds__(block_threads, 1) train_kernel(const __grid_constant__ ProgramView program,
                                                                   const ReplicaView* replicas) {
  extern __shared__ float4 shared_memory[];
  const ReplicaView& replica = replicas[blockIdx.x];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t parameters = program.parameter_floats;
  float* const base = place == Place::shared ? reinterpret_cast<float*>(shared_memory) : replica.scratch;
  float* const own = place == Place::shared ? base + program.value_floats + 2 * program.input_floats : replica.parameters;
  const uint32_t work = program.value_floats + 2 * program.input_floats;
  for (uint32_t i = threadIdx.x; i < work; i += block_threads) base[i] = 0;
  if (place == Place::shared)
    for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) own[i] = replica.parameters[i];
  __syncthreads();
  float* const inputs = base + program.value_floats;
  const uint32_t own_warp = warp < compute_warps ? warp : 0;
  const DeviceTask* const tasks = program.tasks + program.by_warp.first[own_warp];
  const uint32_t task_count = replica.adam ? program.by_warp.first[own_warp + 1] - program.by_warp.first[own_warp]
                                           : program.by_warp.forward[own_warp];
  // Each task is read while the one before it runs.
  DeviceTask next = tasks[0];
  // One warp is a step ahead of the others.
#pragma unroll 1
  for (uint64_t t = 0; t <= replica.steps; ++t) {
    if (warp == compute_warps) {
      if (t < replica.steps)
        draw(program, replica, replica.first_step + t, inputs + t % 2 * program.input_floats, lane);
    } else if (t > 0) {
      const Block block{program, base, own, own + parameters, own + 2 * parameters,
                        inputs + (t - 1) % 2 * program.input_floats};
      const AdamStep step = replica.adam ? replica.adam[t - 1] : AdamStep{};
#pragma unroll 1
      for (uint32_t i = 0; i < task_count; ++i) {
        const DeviceTask task = next;
        next = tasks[i + 1 < task_count ? i + 1 : 0];
        if ((task.flags & DeviceTask::begins_phase) != 0) compute_barrier();
        run<precision>(block, replica, task, lane, step, replica.losses + (t - 1));
      }
    }
    __syncthreads();
  }
  if (place == Place::shared)
    for (uint32_t i = threadIdx.x; i < 3 * parameters; i += block_threads) replica.parameters[i] = own[i];
}

}  // namespace kedge::cuda
