#pragma once

// Tasks of dense ops: values, gradients of inputs, and gradients of weights with Adam behind them.

#include "kedge/nn/cuda_products.cuh"

namespace kedge::cuda {

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
  Sums sums[tiles] = {};
#pragma unroll
  for (int n = 0; n < tiles; ++n) {
    sums[n].c[0] = sums[n].c[1] = block.parameters[task.bias + g];
    sums[n].c[2] = sums[n].c[3] = block.parameters[task.bias + g + 8];
  }
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

}  // namespace kedge::cuda
