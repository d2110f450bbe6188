#pragma once

// DevicePlan: a program as a device runs it: where each value and parameter stands, and which tasks may run
// side by side. The tasks of a phase depend on earlier phases only.
//
// A training step is the forward phases, the loss, and the backward phases. Adam writes weights in place,
// behind their gradient; whoever reads them before does so in an earlier phase or in the same task.
//
// Form chains has no tasks: its kernel goes by `chains`, and `values` are the inputs alone.
//
// All of it is plain data and offsets in floats, so that it can be copied to a device as it is. Padding is
// zero and stays zero.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kedge/nn/device_chains.h"
#include "kedge/nn/program.h"

namespace kedge {

/// Who runs a plan. chains: a thread block for each chain of a replica (device_chains.h), without tasks.
/// block: the warps of one thread block, which keeps a replica in its shared memory; a task is what one warp
/// does alone. grid: the blocks of the whole device, phase by phase, on global memory; products are tasks of
/// a block of `GridPhase::warps` warps, all else of a warp.
enum class DeviceForm { chains, block, grid };

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
  /// In the parameters. Forms chains and block: row by row, `weight_row` apart. Form grid: 32 columns after
  /// the other, of each all rows, so that what a task reads is in one piece; `weight_row` is that of one such
  /// strip.
  uint32_t weight_at = 0, weight_row = 0, bias_at = 0;
  uint32_t weight_strip = 0;           ///< form grid: from one strip to the next
  uint32_t columns_at = 0;             ///< select: in `columns`
  uint32_t first_user = 0, users = 0;  ///< of its weights, in `users`
  uint8_t adds_a = 0, adds_b = 0;      ///< a gradient is there already and is added to
};

enum class DeviceTaskKind : uint32_t {
  nothing,
  dense,          ///< block: 16 features of 8 to 32 slots; grid: `rows` features of 32 slots
  dense_input,    ///< block: the gradient of 16 input features
  dense_weights,  ///< block: the gradient of 16 x 8 to 32 weights, and Adam; biases with the first column
  strip,     ///< grid: 32 columns of weights: the gradient of their inputs, theirs and Adam, or one of both
  bilinear,  ///< one row of a product
  bilinear_part,    ///< up to 8 numbers of the sum that one row of the last product is
  bilinear_finish,  ///< those sums, and from the loss on the gradients of these numbers' factors
  bilinear_back,    ///< the gradients of up to 8 rows of both operands, which have no other reader
  loss,             ///< of the batch, and its gradient
  elementwise,      ///< one row of another op
  elementwise_back  ///< its gradient, or all of it where `row` is 0 and rows of the operand get several
};

/// All that a warp needs to know, so that it reads one struct before it begins. Offsets are those of the
/// task's first number; strides are in floats.
struct alignas(16) DeviceTask {
  static constexpr uint32_t is_relu = 1, is_sin = 2, adds = 4, reads_input = 8, has_biases = 16,
                            begins_phase = 32, reads_input_too = 64, is_relu_too = 128, gives_gradient = 256,
                            updates = 512;

  DeviceTaskKind kind = DeviceTaskKind::nothing;
  uint32_t flags = 0;
  uint32_t op = 0, row = 0, rows = 0;
  uint32_t tiles = 0;  ///< of 16 x 8 numbers, side by side, up to 4
  uint32_t weight = 0, weight_row = 0, bias = 0;
  uint32_t x = 0, x_feature = 0, x_slot = 0;            ///< what is read beside the weights
  uint32_t depth = 0;                                   ///< how many numbers are added up, a multiple of 8
  uint32_t y = 0, y_feature = 0, slope = 0, value = 0;  ///< what is written; its activation's value and slope
  uint32_t gradient = 0;                                ///< strip: what is written; `y` is read
  uint32_t weight_strip = 0;                            ///< as the op's
};
static_assert(sizeof(DeviceTask) == 80);

/// What each warp does in a step: tasks first[w] ... first[w + 1] - 1. All warps wait for each other before a
/// task that begins a phase; a warp without a task there has one that does nothing.
struct WarpTasks {
  static constexpr size_t warps = 15;
  uint32_t first[warps + 1] = {};
  uint32_t forward[warps] = {};  ///< how many of them come before the gradients
};

/// Form grid: the tasks of a phase, those of blocks first.
struct GridPhase {
  static constexpr uint32_t warps = 8;
  uint32_t first = 0, block_tasks = 0, warp_tasks = 0;
  uint32_t draws = 0;  ///< one block more draws the pairs of the next step
  /// Small phases that follow each other are one, of one block: how many tasks they have, and how many of
  /// these come before the gradients. Each begins at a multiple of `warps`, with tasks that do nothing
  /// between.
  uint32_t chained = 0, chained_forward = 0;
  bool has_strips = false;
  uint32_t blocks() const {
    return block_tasks + (chained > 0 ? 1 : (warp_tasks + warps - 1) / warps) + draws;
  }
};

struct DevicePlan {
  DevicePlan(const Program& program, size_t batch, DeviceForm form);

  DeviceForm form;
  size_t batch, slots;
  std::vector<DeviceValue> values;
  std::vector<DeviceOp> ops;
  std::vector<uint32_t> columns, users;
  std::vector<DeviceTask> tasks;
  WarpTasks by_warp;              ///< form block
  std::vector<GridPhase> phases;  ///< form grid
  DeviceChains chains;            ///< form chains
  size_t forward_phases = 0;      ///< how many of them a measurement of the loss takes
  size_t value_floats = 0;        ///< of values, gradients and slopes; the inputs stand apart
  size_t input_floats = 0;        ///< of one buffer of inputs, targets and pair weights
  size_t target_at = 0, target_row = 0, pair_weight_at = 0;  ///< in that buffer
  size_t parameter_floats = 0;
  /// Form block: the last op is a product of values that nobody else reads; it is computed in parts of at
  /// most 8 numbers, together with its gradient.
  size_t last_parts = 0, parts_of_row = 0, parts_at = 0;

  /// Parameters as Program::parameters() orders them, with the padding and back.
  std::vector<float> padded_parameters(const Program& program, const std::vector<float>& flat) const;
  std::vector<float> flat_parameters(const Program& program, const float* padded) const;

 private:
  void place_chains(const Program& program);
  void place_chain(const Program& program, const std::vector<size_t>& of, DeviceChain& chain);
  void place_targets(const Program& program);
  void place_values(const Program& program);
  void place_ops(const Program& program);
  void order_forward();
  void order_backward();
  // `beside` counts the products of a phase.
  void add_forward(uint32_t op, size_t beside);
  void add_input_gradient(uint32_t op, size_t beside);
  void add_weights(uint32_t op, size_t beside);
  void add_products(uint32_t op);
  void add_last_product(uint32_t op);
  void add_product_gradients(uint32_t op);
  void add_elementwise(DeviceTaskKind kind, uint32_t op, uint32_t rows);
  void add_strips(uint32_t op, uint32_t flags);
  void share_out();
  void line_up();

  std::vector<std::vector<DeviceTask>> tasks_;  // by phase, until they are shared out
  template <class Row>
  void each_row(const Program& program, const Row& row) const;
};

}  // namespace kedge
