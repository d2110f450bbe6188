#pragma once

// Tasks that go along the slots of a batch: ops without weights, the loss, and the drawing of pairs.

#include "kedge/nn/cuda_views.cuh"

namespace kedge::cuda {

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

inline __device__ __noinline__ void elementwise(const Block block, uint32_t number, uint32_t row,
                                                unsigned lane) {
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
inline __device__ __noinline__ void elementwise_back(const Block block, uint32_t number, uint32_t row,
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

__device__ __forceinline__ ops::PairLoss pair_loss(const ProgramView& p, Loss kind, float squares,
                                                   float weight) {
  return kind == Loss::mse
             ? ops::squared_error(squares, weight, 1.0f / static_cast<float>(p.batch * p.outputs))
             : ops::distance(sqrtf(squares), weight, static_cast<float>(p.batch));
}

/// Part of a row of the last product.
__device__ __forceinline__ void bilinear_part(const Block& block, const DeviceTask& task, unsigned lane) {
  for (uint32_t slot = lane; slot < block.program.slots; slot += 32) {
    const float* const a = block.values + task.x + slot;
    const float* const b = block.values + task.weight + slot;
    float sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i)
      if (i < task.rows) sum += a[i * task.x_feature] * b[i * task.weight_row];
    block.values[task.y + slot] = sum;
  }
}

/// The loss of a slot, and the gradients of some rows of the last product; or, of a task without rows, the
/// loss of the batch alone.
__device__ __forceinline__ void bilinear_finish(const Block& block, const DeviceTask& task, Loss kind,
                                                unsigned lane, double* to) {
  const ProgramView& p = block.program;
  const bool relu_a = (task.flags & DeviceTask::is_relu) != 0,
             relu_b = (task.flags & DeviceTask::is_relu_too) != 0;
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    float f[8], h[8];
    float* const a = block.values + task.x + slot;
    float* const b = block.values + task.weight + slot;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i)
      if (i < task.rows) f[i] = a[i * task.x_feature], h[i] = b[i * task.weight_row];
    const float* const target = block.input + p.target_at + slot * p.target_row;
    const float* part = block.values + p.parts_at + slot;
    float squares = 0, own = 0;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      float y = 0;
      for (uint32_t j = 0; j < p.parts_of_row; ++j, part += p.slots) y += *part;
      const float error = y - target[k];
      squares += error * error;
      if (k == task.row) own = error;
    }
    const ops::PairLoss pair = slot < p.batch
                                   ? pair_loss(p, kind, squares, block.input[p.pair_weight_at + slot])
                                   : ops::PairLoss{0, 0};
    total += pair.loss;
    const float d = pair.slope * own;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i)
      if (i < task.rows) {
        a[i * task.x_feature] = relu_a && !(f[i] > 0) ? 0 : d * h[i];
        b[i * task.weight_row] = relu_b && !(h[i] > 0) ? 0 : d * f[i];
      }
  }
  if (task.rows > 0) return;
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(~0u, total, apart);
  if (lane == 0) *to = total;
}

/// By one warp: the loss of the batch, and its gradient where the backward phases read it.
__device__ __forceinline__ void loss(const Block& block, const DeviceTask& task, Loss kind, unsigned lane,
                                     double* to) {
  const ProgramView& p = block.program;
  double total = 0;
  for (uint32_t slot = lane; slot < p.slots; slot += 32) {
    const float* const target = block.input + p.target_at + slot * p.target_row;
    const float* const y = block.values + task.y + slot;
    float squares = 0;
    for (uint32_t k = 0; k < p.outputs; ++k) {
      const float e = y[k * task.y_feature] - target[k];
      squares += e * e;
    }
    const ops::PairLoss pair = slot < p.batch
                                   ? pair_loss(p, kind, squares, block.input[p.pair_weight_at + slot])
                                   : ops::PairLoss{0, 0};
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

/// A task of one warp that is no product of matrices.
__device__ __forceinline__ void run_along_slots(const Block& block, const DeviceTask& task, unsigned lane,
                                                Loss kind, double* loss_to) {
  switch (task.kind) {
    case DeviceTaskKind::bilinear:
      return bilinear(block, task, lane);
    case DeviceTaskKind::bilinear_back:
      return bilinear_back(block, task, lane);
    case DeviceTaskKind::bilinear_part:
      return bilinear_part(block, task, lane);
    case DeviceTaskKind::bilinear_finish:
      return bilinear_finish(block, task, kind, lane, loss_to);
    case DeviceTaskKind::loss:
      return loss(block, task, kind, lane, loss_to);
    case DeviceTaskKind::elementwise:
      return elementwise(block, task.op, task.row, lane);
    case DeviceTaskKind::elementwise_back:
      return elementwise_back(block, task.op, task.row, lane);
    default:
      return;
  }
}

/// Writes a pair into a slot of a buffer of inputs: those whose bits are in `reads`, target and weight.
__device__ __forceinline__ void encode(const ProgramView& p, uint32_t reads, const TrainingData& data,
                                       const DrawnPair& drawn, float* buffer, uint32_t slot) {
  const auto array = [&](Input input) {
    const auto i = static_cast<uint32_t>(input);
    return (reads >> i & 1) != 0 ? buffer + p.values[i].at : nullptr;
  };
  const PairArrays arrays{.query = array(Input::query),
                          .anchor = array(Input::anchor),
                          .delta = array(Input::delta),
                          .feature_stride = p.values[0].slot_stride,
                          .anchor_output = array(Input::anchor_output),
                          .output_stride = p.values[static_cast<uint32_t>(Input::anchor_output)].slot_stride};
  encode_pair(data.rows, training_row(data.rows, drawn.pair.query), drawn.pair.anchor, arrays, slot);
  const float* const target = data.pair_targets.empty()
                                  ? data.rows.outputs.data() + size_t{drawn.pair.query} * p.outputs
                                  : &data.pair_targets[drawn.entry];
  copy_numbers(target, p.outputs, buffer + p.target_at + slot * p.target_row);
  buffer[p.pair_weight_at + slot] = data.pair_weights.empty() ? 1.0f : data.pair_weights[drawn.entry];
}

/// By one warp: the pairs of a step, of the inputs whose bits are in `reads`.
__device__ __forceinline__ void draw(const ProgramView& p, uint32_t reads, const ReplicaView& replica,
                                     uint64_t step, float* buffer, unsigned lane) {
  for (uint32_t slot = lane; slot < p.batch; slot += 32)
    encode(p, reads, replica.data, draw_pair(replica.data.pairs, replica.seed, replica.stream, step, slot),
           buffer, slot);
}

}  // namespace kedge::cuda
