#pragma once

// DevicePlan: a program as a device runs it: where each value and parameter stands, and which tasks may run
// side by side. A task is what one warp does alone; the tasks of a phase depend on earlier phases only.
//
// A training step is the forward phases, the loss, and the backward phases. Gradients of weights are computed
// one phase later than the gradients that read these weights, so that Adam may write them in place.
//
// All of it is plain data and offsets in floats, so that it can be copied to a device as it is. Padding is
// zero and stays zero: rows of values to a multiple of 16, slots of a batch to a multiple of 8.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/nn/program.h"

namespace kedge {

/// A value: number (feature, slot) stands at `at + feature * feature_stride + slot * slot_stride`.
struct DeviceValue {
  uint32_t at = 0, width = 0, rows = 0;  ///< rows: width with its padding
  uint32_t feature_stride = 0, slot_stride = 0;
  uint32_t gradient_at = 0;  ///< strides as the value's
  uint32_t slope_at = 0;     ///< sin_pi: derivative from the forward pass
  uint8_t has_gradient = 0;  ///< some parameter stands before it
  uint8_t is_relu = 0, is_sin = 0;
  uint8_t is_alone = 0;  ///< a product alone reads it: its gradient stands in its place
};

struct DeviceOp {
  OpKind kind = OpKind::dense;
  uint32_t a = 0, b = 0, out = 0;  ///< values
  uint32_t width = 0, rank = 0;
  uint32_t weight_at = 0, weight_row = 0, bias_at = 0;  ///< in the parameters
  uint32_t columns_at = 0;                              ///< select: in `columns`
  uint32_t first_user = 0, users = 0;                   ///< of its weights, in `users`
  uint8_t adds_a = 0, adds_b = 0;                       ///< a gradient is there already and is added to
};

enum class DeviceTaskKind : uint32_t {
  nothing,
  dense,            ///< 16 features of 8 slots
  dense_input,      ///< the gradient of 16 input features, 8 slots
  dense_weights,    ///< the gradient of 16 x 8 weights, and Adam; the biases where there is room for them
  bilinear,         ///< one row of a product
  bilinear_back,    ///< the gradients of up to 8 rows of both operands, which have no other reader
  loss,             ///< of the batch, and its gradient
  elementwise,      ///< one row of another op
  elementwise_back  ///< its gradient, or all of it where `row` is 0 and rows of the operand get several
};

/// All that a warp needs to know, so that it reads one struct before it begins. Offsets are those of the
/// task's first number; strides are in floats.
struct alignas(16) DeviceTask {
  static constexpr uint32_t is_relu = 1, is_sin = 2, adds = 4, reads_input = 8, has_biases = 16,
                            begins_phase = 32, reads_input_too = 64, is_relu_too = 128;

  DeviceTaskKind kind = DeviceTaskKind::nothing;
  uint32_t flags = 0;
  uint32_t op = 0, row = 0, rows = 0;
  uint32_t tiles = 0;  ///< of 16 x 8 numbers, side by side, up to 4
  uint32_t weight = 0, weight_row = 0, bias = 0;
  uint32_t x = 0, x_feature = 0, x_slot = 0;            ///< what is read beside the weights
  uint32_t depth = 0;                                   ///< how many numbers are added up, a multiple of 8
  uint32_t y = 0, y_feature = 0, slope = 0, value = 0;  ///< what is written; its activation's value and slope
};
static_assert(sizeof(DeviceTask) == 80);

/// What each warp does in a step: tasks first[w] ... first[w + 1] - 1. All warps wait for each other before a
/// task that begins a phase; a warp without a task there has one that does nothing.
struct WarpTasks {
  static constexpr size_t warps = 15;
  uint32_t first[warps + 1] = {};
  uint32_t forward[warps] = {};  ///< how many of them come before the gradients
};

struct DevicePlan {
  DevicePlan(const Program& program, size_t batch);

  size_t batch, slots;
  std::vector<DeviceValue> values;
  std::vector<DeviceOp> ops;
  std::vector<uint32_t> columns, users;
  std::vector<DeviceTask> tasks;
  WarpTasks by_warp;
  size_t value_floats = 0;  ///< of values, gradients and slopes; the inputs stand apart
  size_t input_floats = 0;  ///< of one buffer of inputs, targets and pair weights
  size_t target_at = 0, target_row = 0, pair_weight_at = 0;  ///< in that buffer
  size_t parameter_floats = 0;

  /// Parameters as Program::parameters() orders them, with the padding and back.
  std::vector<float> padded_parameters(const Program& program, const std::vector<float>& flat) const;
  std::vector<float> flat_parameters(const Program& program, const float* padded) const;

 private:
  void place_values(const Program& program);
  void place_ops(const Program& program);
  void order_forward();
  void order_backward();
  // `beside` counts the products of a phase.
  void add_forward(uint32_t op, size_t beside);
  void add_input_gradient(uint32_t op, size_t beside);
  void add_weights(uint32_t op, size_t beside);
  void add_products(uint32_t op);
  void add_product_gradients(uint32_t op);
  void add_elementwise(DeviceTaskKind kind, uint32_t op, uint32_t rows);
  void share_out();

  std::vector<std::vector<DeviceTask>> phases_;  // until they are shared out
  size_t forward_phases_ = 0;                    // the loss included
  template <class Row>
  void each_row(const Program& program, const Row& row) const;
};

}  // namespace kedge
