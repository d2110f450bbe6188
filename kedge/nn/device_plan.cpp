#include "kedge/nn/device_plan.h"

#include <algorithm>
#include <cstring>

namespace kedge {
namespace {

constexpr uint32_t tile_rows = 16, tile_columns = 8, most_columns = 32;
// Fewer tasks in a phase would leave warps without one.
constexpr size_t enough_tasks = 8;
constexpr size_t inputs = static_cast<size_t>(input_count);

constexpr uint32_t up_to(size_t number, size_t multiple) {
  return static_cast<uint32_t>((number + multiple - 1) / multiple * multiple);
}

/// Rows this far apart fall into different banks of shared memory, eight rows at a time.
constexpr uint32_t row_of_features(size_t features) { return up_to(features, tile_rows) + 4; }

/// Every fourth of rows this far apart falls into other banks, and two numbers of a row are aligned.
constexpr uint32_t row_of_slots(size_t slots) { return static_cast<uint32_t>(slots) + 2; }

/// Columns of a tile: as many as leave enough tasks.
uint32_t columns_of_tile(size_t rows, size_t columns, size_t beside) {
  uint32_t wide = most_columns;
  const auto tasks = [&](uint32_t w) { return beside * (rows / tile_rows) * ((columns + w - 1) / w); };
  while (wide > tile_columns && (wide > columns || tasks(wide) < enough_tasks)) wide /= 2;
  return wide;
}

constexpr uint32_t tiles_of(size_t all, uint32_t from, uint32_t wide) {
  return (std::min<uint32_t>(static_cast<uint32_t>(all), from + wide) - from) / tile_columns;
}

}  // namespace

DevicePlan::DevicePlan(const Program& program, size_t batch_)
    : batch(batch_), slots(up_to(batch_, tile_rows)) {
  place_values(program);
  place_ops(program);
  order_forward();
  order_backward();
  share_out();
  value_floats = up_to(value_floats, 4);
}

void DevicePlan::place_values(const Program& program) {
  const auto& list = program.ops();
  values.resize(inputs + list.size());
  for (size_t v = 0; v < values.size(); ++v) {
    DeviceValue& value = values[v];
    value.width = static_cast<uint32_t>(program.width(static_cast<int>(v)));
    value.rows = up_to(value.width, tile_rows);
    if (v < inputs) {
      // One row for each pair, as encode_pair writes them.
      value.feature_stride = 1;
      value.slot_stride = row_of_features(value.width);
      value.at = static_cast<uint32_t>(input_floats);
      if (program.reads(static_cast<Input>(v))) input_floats += slots * value.slot_stride;
    } else {
      value.feature_stride = row_of_slots(slots);
      value.slot_stride = 1;
      value.at = static_cast<uint32_t>(value_floats);
      value_floats += size_t{value.rows} * value.feature_stride;
    }
  }
  target_at = input_floats;
  target_row = static_cast<size_t>(program.outputs());
  pair_weight_at = target_at + slots * target_row;
  input_floats = up_to(pair_weight_at + slots, 4);
}

void DevicePlan::place_ops(const Program& program) {
  const auto& list = program.ops();
  std::vector<int> readers(values.size());
  for (const Op& op : list)
    for (int from : op.from) ++readers[static_cast<size_t>(from)];
  std::vector<std::vector<uint32_t>> users_of(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Op& from = list[i];
    DeviceOp op{.kind = from.kind};
    op.a = static_cast<uint32_t>(from.from.front());
    op.b = static_cast<uint32_t>(from.from.back());
    op.out = static_cast<uint32_t>(inputs + i);
    op.width = static_cast<uint32_t>(from.width);
    DeviceValue& out = values[op.out];
    if (op.kind == OpKind::dense) {
      out.is_relu = from.activation == Activation::relu;
      out.is_sin = from.activation == Activation::sin_pi;
      const size_t owner = from.shares >= 0 ? static_cast<size_t>(from.shares) : i;
      users_of[owner].push_back(static_cast<uint32_t>(i));
      op.weight_row = row_of_features(values[op.a].width);
      if (owner == i) {
        op.weight_at = static_cast<uint32_t>(parameter_floats);
        op.bias_at = op.weight_at + out.rows * op.weight_row;
        parameter_floats = op.bias_at + out.rows;
      } else {
        op.weight_at = ops[owner].weight_at;
        op.bias_at = ops[owner].bias_at;
      }
    }
    if (op.kind == OpKind::bilinear) op.rank = values[op.a].width / op.width;
    if (op.kind == OpKind::select) {
      op.columns_at = static_cast<uint32_t>(columns.size());
      for (int column : from.columns) columns.push_back(static_cast<uint32_t>(column));
    }
    out.has_gradient = op.kind == OpKind::dense || values[op.a].has_gradient || values[op.b].has_gradient;
    ops.push_back(op);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    ops[i].first_user = static_cast<uint32_t>(users.size());
    ops[i].users = static_cast<uint32_t>(users_of[i].size());
    users.insert(users.end(), users_of[i].begin(), users_of[i].end());
  }
  // The gradient of what a product alone reads may stand in its place: both are read before either is
  // written.
  for (const DeviceOp& op : ops)
    if (op.kind == OpKind::bilinear && op.a != op.b)
      for (uint32_t v : {op.a, op.b})
        values[v].is_alone = v >= inputs && readers[v] == 1 && !values[v].is_sin;
  for (size_t v = inputs; v < values.size(); ++v) {
    DeviceValue& value = values[v];
    const auto place = [&] {
      const size_t at = value_floats;
      value_floats += size_t{value.rows} * value.feature_stride;
      return static_cast<uint32_t>(at);
    };
    if (value.has_gradient) value.gradient_at = value.is_alone ? value.at : place();
    if (value.is_sin) value.slope_at = place();
  }
}

void DevicePlan::add_forward(uint32_t i, size_t beside) {
  const DeviceOp& op = ops[i];
  const DeviceValue &in = values[op.a], &out = values[op.out];
  const uint32_t wide = columns_of_tile(out.rows, slots, beside);
  for (uint32_t row = 0; row < out.rows; row += tile_rows)
    for (uint32_t slot = 0; slot < slots; slot += wide)
      phases_.back().push_back({.kind = DeviceTaskKind::dense,
                                .flags = (out.is_relu ? DeviceTask::is_relu : 0) |
                                         (out.is_sin ? DeviceTask::is_sin : 0) |
                                         (op.a < inputs ? DeviceTask::reads_input : 0),
                                .op = i,
                                .tiles = tiles_of(slots, slot, wide),
                                .weight = op.weight_at + row * op.weight_row,
                                .weight_row = op.weight_row,
                                .bias = op.bias_at + row,
                                .x = in.at + slot * in.slot_stride,
                                .x_feature = in.feature_stride,
                                .x_slot = in.slot_stride,
                                .depth = in.rows,
                                .y = out.at + row * out.feature_stride + slot,
                                .y_feature = out.feature_stride,
                                .slope = out.slope_at + row * out.feature_stride + slot});
}

void DevicePlan::add_input_gradient(uint32_t i, size_t beside) {
  const DeviceOp& op = ops[i];
  const DeviceValue &in = values[op.a], &out = values[op.out];
  const uint32_t wide = columns_of_tile(in.rows, slots, beside);
  for (uint32_t row = 0; row < in.rows; row += tile_rows)
    for (uint32_t slot = 0; slot < slots; slot += wide) {
      const uint32_t at = row * in.feature_stride + slot;
      phases_.back().push_back({.kind = DeviceTaskKind::dense_input,
                                .flags = (in.is_relu ? DeviceTask::is_relu : 0) |
                                         (in.is_sin ? DeviceTask::is_sin : 0) |
                                         (op.adds_a ? DeviceTask::adds : 0),
                                .op = i,
                                .tiles = tiles_of(slots, slot, wide),
                                .weight = op.weight_at + row,
                                .weight_row = op.weight_row,
                                .x = out.gradient_at + slot,
                                .x_feature = out.feature_stride,
                                .x_slot = 1,
                                .depth = out.rows,
                                .y = in.gradient_at + at,
                                .y_feature = in.feature_stride,
                                .slope = in.slope_at + at,
                                .value = in.at + at});
    }
}

void DevicePlan::add_weights(uint32_t i, size_t beside) {
  const DeviceOp& op = ops[i];
  const DeviceOp& last = ops[users[op.first_user + op.users - 1]];
  const DeviceValue &in = values[last.a], &out = values[last.out];
  const uint32_t wide = columns_of_tile(values[op.out].rows, values[op.a].rows, beside);
  for (uint32_t row = 0; row < values[op.out].rows; row += tile_rows)
    for (uint32_t column = 0; column < values[op.a].rows; column += wide)
      phases_.back().push_back({.kind = DeviceTaskKind::dense_weights,
                                .flags = (column == 0 ? DeviceTask::has_biases : 0) |
                                         (last.a < inputs ? DeviceTask::reads_input : 0),
                                .op = i,
                                .row = row,
                                .rows = column,
                                .tiles = tiles_of(values[op.a].rows, column, wide),
                                .weight = op.weight_at + row * op.weight_row + column,
                                .weight_row = op.weight_row,
                                .bias = op.bias_at + row,
                                .x = in.at + column * in.feature_stride,
                                .x_feature = in.feature_stride,
                                .x_slot = in.slot_stride,
                                .depth = static_cast<uint32_t>(slots),
                                .y = out.gradient_at + row * out.feature_stride,
                                .y_feature = out.feature_stride,
                                .value = op.users - 1});
}

void DevicePlan::add_products(uint32_t i) {
  const DeviceOp& op = ops[i];
  const DeviceValue &f = values[op.a], &h = values[op.b], &out = values[op.out];
  for (uint32_t row = 0; row < op.width; ++row)
    phases_.back().push_back({.kind = DeviceTaskKind::bilinear,
                              .flags = (op.a < inputs ? DeviceTask::reads_input : 0) |
                                       (op.b < inputs ? DeviceTask::reads_input_too : 0),
                              .row = h.slot_stride,
                              .weight = h.at + row * op.rank * h.feature_stride,
                              .weight_row = h.feature_stride,
                              .x = f.at + row * op.rank * f.feature_stride,
                              .x_feature = f.feature_stride,
                              .x_slot = f.slot_stride,
                              .depth = op.rank,
                              .y = out.at + row * out.feature_stride});
}

void DevicePlan::add_product_gradients(uint32_t i) {
  constexpr uint32_t at_once = 8;
  const DeviceOp& op = ops[i];
  const DeviceValue &f = values[op.a], &h = values[op.b], &out = values[op.out];
  for (uint32_t row = 0; row < f.width; row += at_once)
    phases_.back().push_back(
        {.kind = DeviceTaskKind::bilinear_back,
         .flags = (f.is_relu ? DeviceTask::is_relu : 0) | (h.is_relu ? DeviceTask::is_relu_too : 0),
         .op = row % op.rank,
         .row = row,
         .rows = std::min(at_once, f.width - row),
         .weight = h.at + row * h.feature_stride,
         .weight_row = h.feature_stride,
         .x = f.at + row * f.feature_stride,
         .x_feature = f.feature_stride,
         .depth = op.rank,
         .y = out.gradient_at + row / op.rank * out.feature_stride,
         .y_feature = out.feature_stride});
}

void DevicePlan::add_elementwise(DeviceTaskKind kind, uint32_t op, uint32_t rows) {
  for (uint32_t row = 0; row < rows; ++row) phases_.back().push_back({.kind = kind, .op = op, .row = row});
}

void DevicePlan::order_forward() {
  std::vector<size_t> level(values.size());
  size_t levels = 0;
  for (const DeviceOp& op : ops) {
    level[op.out] = 1 + std::max(level[op.a], level[op.b]);
    levels = std::max(levels, level[op.out]);
  }
  for (size_t l = 1; l <= levels; ++l) {
    phases_.emplace_back();
    size_t beside = 0;
    for (const DeviceOp& op : ops) beside += op.kind == OpKind::dense && level[op.out] == l;
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const DeviceOp& op = ops[i];
      if (level[op.out] != l) continue;
      if (op.kind == OpKind::dense)
        add_forward(i, beside);
      else if (op.kind == OpKind::bilinear)
        add_products(i);
      else
        add_elementwise(DeviceTaskKind::elementwise, i, op.width);
    }
  }
  const DeviceValue& y = values.back();
  phases_.push_back({{.kind = DeviceTaskKind::loss,
                      .flags = (y.is_relu ? DeviceTask::is_relu : 0) | (y.is_sin ? DeviceTask::is_sin : 0),
                      .y = y.at,
                      .y_feature = y.feature_stride,
                      .slope = y.slope_at,
                      .value = y.gradient_at}});
  forward_phases_ = phases_.size();
}

void DevicePlan::order_backward() {
  // By op: the first phase in which the gradient of its value is there, and that of its own backward tasks.
  std::vector<size_t> ready(ops.size()), own(ops.size());
  std::vector<size_t> last_write(values.size());  // 1 + the phase that wrote a gradient last; 0: none
  size_t count = 0;
  for (size_t i = ops.size(); i-- > 0;) {
    DeviceOp& op = ops[i];
    if (!values[op.out].has_gradient) continue;
    ready[i] = last_write[op.out];
    own[i] = ready[i];
    const bool writes_a = values[op.a].has_gradient, writes_b = op.b != op.a && values[op.b].has_gradient;
    if (writes_a) own[i] = std::max(own[i], last_write[op.a]);
    if (writes_b) own[i] = std::max(own[i], last_write[op.b]);
    op.adds_a = writes_a && last_write[op.a] > 0;
    op.adds_b = writes_b && last_write[op.b] > 0;
    if (writes_a) last_write[op.a] = own[i] + 1;
    if (writes_b) last_write[op.b] = own[i] + 1;
    count = std::max(count, own[i] + 1);
  }
  std::vector<size_t> update(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    for (uint32_t u = 0; u < ops[i].users; ++u) {
      const uint32_t user = users[ops[i].first_user + u];
      const bool reads_weights = values[ops[user].a].has_gradient;
      update[i] = std::max({update[i], ready[user], reads_weights ? own[user] + 1 : 0});
    }
    if (ops[i].users > 0) count = std::max(count, update[i] + 1);
  }
  for (size_t p = 0; p < count; ++p) {
    phases_.emplace_back();
    const auto has_input_gradient = [&](size_t i) {
      return ops[i].kind == OpKind::dense && own[i] == p && values[ops[i].a].has_gradient;
    };
    size_t beside = 0;
    for (size_t i = 0; i < ops.size(); ++i)
      beside += has_input_gradient(i) + (ops[i].users > 0 && update[i] == p);
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const DeviceOp& op = ops[i];
      if (has_input_gradient(i)) add_input_gradient(i, beside);
      if (op.kind != OpKind::dense && own[i] == p && values[op.out].has_gradient) {
        // Where a row of the operand gets several gradients, one warp adds them.
        const bool is_whole = op.kind == OpKind::quadratic || op.kind == OpKind::select;
        const bool is_product = op.kind == OpKind::bilinear;
        if (is_product && values[op.a].is_alone && values[op.b].is_alone)
          add_product_gradients(i);
        else
          add_elementwise(DeviceTaskKind::elementwise_back, i,
                          is_whole     ? 1
                          : is_product ? values[op.a].width
                                       : op.width);
      }
      if (op.users > 0 && update[i] == p) add_weights(i, beside);
    }
  }
}

void DevicePlan::share_out() {
  constexpr size_t warps = WarpTasks::warps;
  for (size_t w = 0; w < warps; ++w) {
    by_warp.first[w] = static_cast<uint32_t>(tasks.size());
    for (size_t p = 0; p < phases_.size(); ++p) {
      const size_t begin = tasks.size();
      for (size_t t = w; t < phases_[p].size(); t += warps) tasks.push_back(phases_[p][t]);
      if (tasks.size() == begin) tasks.emplace_back();
      tasks[begin].flags |= DeviceTask::begins_phase;
      if (p + 1 == forward_phases_)
        by_warp.forward[w] = static_cast<uint32_t>(tasks.size()) - by_warp.first[w];
    }
  }
  by_warp.first[warps] = static_cast<uint32_t>(tasks.size());
  phases_.clear();
}

template <class Row>
void DevicePlan::each_row(const Program& program, const Row& row) const {
  for (size_t i = 0; i < program.ops().size(); ++i) {
    const Op& op = program.ops()[i];
    if (op.kind != OpKind::dense || op.shares >= 0) continue;
    for (int o = 0; o < op.width; ++o)
      row(ops[i].weight_at + static_cast<size_t>(o) * ops[i].weight_row, values[ops[i].a].width);
    row(ops[i].bias_at, static_cast<size_t>(op.width));
  }
}

std::vector<float> DevicePlan::padded_parameters(const Program& program,
                                                 const std::vector<float>& flat) const {
  std::vector<float> padded(parameter_floats);
  const float* from = flat.data();
  each_row(program, [&](size_t at, size_t count) {
    std::memcpy(padded.data() + at, from, count * sizeof(float));
    from += count;
  });
  return padded;
}

std::vector<float> DevicePlan::flat_parameters(const Program& program, const float* padded) const {
  std::vector<float> flat;
  flat.reserve(program.parameters());
  each_row(program,
           [&](size_t at, size_t count) { flat.insert(flat.end(), padded + at, padded + at + count); });
  return flat;
}

}  // namespace kedge
