#include "kedge/nn/device_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kedge {
namespace {

constexpr uint32_t tile_rows = 16, tile_columns = 8, most_columns = 32;
// Of a task of a block, form grid.
constexpr uint32_t grid_rows = 64, grid_columns = 32, strip_rows = 128;
// Tasks of warps that one block may do one after the other in place of a launch.
constexpr size_t most_chained = 32;
// Rows of a product that one warp takes, and parts of the last product that each of its tasks adds up at
// most.
constexpr uint32_t at_once = 8, most_parts = 24;
// Fewer tasks in a phase would leave warps without one.
constexpr size_t enough_tasks = 8;
constexpr size_t inputs = static_cast<size_t>(input_count);

/// Block: rows this far apart fall into different banks of shared memory, eight rows at a time. Grid: a row
/// begins with a line of the cache.
constexpr uint32_t row_of_features(size_t features, DeviceForm form) {
  return form == DeviceForm::block ? up_to(features, tile_rows) + 4 : up_to(features, grid_columns);
}

/// Block: every fourth of rows this far apart falls into other banks, and two numbers of a row are aligned.
constexpr uint32_t row_of_slots(size_t slots, DeviceForm form) {
  return static_cast<uint32_t>(slots) + (form == DeviceForm::block ? 2 : 0);
}

/// Columns of a tile: as many as leave enough tasks.
uint32_t columns_of_tile(size_t rows, size_t columns, size_t beside) {
  uint32_t wide = most_columns;
  const auto tasks = [&](uint32_t w) { return beside * (rows / tile_rows) * ((columns + w - 1) / w); };
  while (wide > tile_columns && (wide > columns || tasks(wide) < enough_tasks)) wide /= 2;
  return wide;
}

/// About how many cycles a task of a warp takes.
size_t work_of(const DeviceTask& task) {
  constexpr size_t begin = 600, dense = 22, dense_input = 15, weights = 850, row = 100;
  switch (task.kind) {
    case DeviceTaskKind::dense:
      return begin + dense * task.tiles * task.depth;
    case DeviceTaskKind::dense_input:
      return begin + dense_input * task.tiles * task.depth;
    case DeviceTaskKind::dense_weights:
      return begin + weights * task.tiles;
    default:
      return begin + row * task.rows;
  }
}

constexpr uint32_t tiles_of(size_t all, uint32_t from, uint32_t wide) {
  return (std::min<uint32_t>(static_cast<uint32_t>(all), from + wide) - from) / tile_columns;
}

}  // namespace

DevicePlan::DevicePlan(const Program& program, size_t batch_, DeviceForm form_)
    : form(form_), batch(batch_), slots(up_to(batch_, form_ == DeviceForm::grid ? grid_columns : tile_rows)) {
  if (form == DeviceForm::chains) {
    place_chains(program);
    return;
  }
  place_values(program);
  place_ops(program);
  order_forward();
  order_backward();
  if (form == DeviceForm::block)
    share_out();
  else
    line_up();
  value_floats = up_to(value_floats, grid_columns);
}

void DevicePlan::place_values(const Program& program) {
  const auto& list = program.ops();
  values.resize(inputs + list.size());
  for (size_t v = 0; v < values.size(); ++v) {
    DeviceValue& value = values[v];
    value.width = static_cast<uint32_t>(program.width(static_cast<int>(v)));
    value.rows = up_to(value.width, form == DeviceForm::block ? tile_rows : grid_columns);
    if (v < inputs) {
      // One row for each pair, as encode_pair writes them.
      value.feature_stride = 1;
      value.slot_stride = row_of_features(value.width, form);
      value.at = static_cast<uint32_t>(input_floats);
      if (program.reads(static_cast<Input>(v))) input_floats += slots * value.slot_stride;
    } else {
      value.feature_stride = row_of_slots(slots, form);
      value.slot_stride = 1;
      value.at = static_cast<uint32_t>(value_floats);
      value_floats += size_t{value.rows} * value.feature_stride;
    }
  }
  place_targets(program);
}

void DevicePlan::place_targets(const Program& program) {
  target_at = input_floats;
  target_row = static_cast<size_t>(program.outputs());
  pair_weight_at = target_at + slots * target_row;
  input_floats = up_to(pair_weight_at + slots, grid_columns);
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
      op.weight_row = form == DeviceForm::block ? row_of_features(values[op.a].width, form) : grid_columns;
      op.weight_strip = out.rows * grid_columns;
      if (owner == i) {
        op.weight_at = static_cast<uint32_t>(parameter_floats);
        op.bias_at = op.weight_at + out.rows * row_of_features(values[op.a].width, form);
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
  const DeviceOp& last = ops.back();
  if (form == DeviceForm::block && last.kind == OpKind::bilinear && values[last.a].is_alone &&
      values[last.b].is_alone && values[last.a].has_gradient && values[last.b].has_gradient) {
    parts_of_row = (last.rank + at_once - 1) / at_once;
    last_parts = last.width * parts_of_row;
    if (last_parts > most_parts) last_parts = 0;
    parts_at = value_floats;
    value_floats += last_parts * slots;
  }
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
  const bool is_grid = form == DeviceForm::grid;
  const uint32_t wide = is_grid ? grid_columns : columns_of_tile(out.rows, slots, beside);
  const uint32_t high = is_grid ? grid_rows : tile_rows;
  for (uint32_t row = 0; row < out.rows; row += high)
    for (uint32_t slot = 0; slot < slots; slot += wide)
      tasks_.back().push_back({.kind = DeviceTaskKind::dense,
                               .flags = (out.is_relu ? DeviceTask::is_relu : 0) |
                                        (out.is_sin ? DeviceTask::is_sin : 0) |
                                        (op.a < inputs ? DeviceTask::reads_input : 0),
                               .op = i,
                               .rows = std::min(high, out.rows - row),
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
                               .slope = out.slope_at + row * out.feature_stride + slot,
                               .weight_strip = op.weight_strip});
}

void DevicePlan::add_input_gradient(uint32_t i, size_t beside) {
  const DeviceOp& op = ops[i];
  const DeviceValue &in = values[op.a], &out = values[op.out];
  const uint32_t wide = columns_of_tile(in.rows, slots, beside);
  for (uint32_t row = 0; row < in.rows; row += tile_rows)
    for (uint32_t slot = 0; slot < slots; slot += wide) {
      const uint32_t at = row * in.feature_stride + slot;
      tasks_.back().push_back({.kind = DeviceTaskKind::dense_input,
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
      tasks_.back().push_back({.kind = DeviceTaskKind::dense_weights,
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

void DevicePlan::add_strips(uint32_t i, uint32_t flags) {
  const bool updates = (flags & DeviceTask::updates) != 0;
  // The gradient of inputs is this op's own; that of weights is the sum over all that use them.
  const DeviceOp& op = ops[i];
  const DeviceOp& last = updates ? ops[users[op.first_user + op.users - 1]] : op;
  const DeviceValue &in = values[last.a], &out = values[last.out];
  // What gives no gradient may be shared out along the rows too.
  const bool gives = (flags & DeviceTask::gives_gradient) != 0;
  const uint32_t rows = gives ? out.rows : strip_rows;
  const auto high = static_cast<uint32_t>(updates ? grid_columns : slots);
  for (uint32_t column = 0; column < in.rows; column += grid_columns)
    for (uint32_t row = 0; row < out.rows; row += rows)
      for (uint32_t slot = 0; slot < high; slot += grid_columns) {
        const uint32_t at = column * in.feature_stride + slot;
        tasks_.back().push_back(
            {.kind = DeviceTaskKind::strip,
             .flags = flags | (in.is_relu ? DeviceTask::is_relu : 0) | (in.is_sin ? DeviceTask::is_sin : 0) |
                      (op.adds_a ? DeviceTask::adds : 0) | (last.a < inputs ? DeviceTask::reads_input : 0) |
                      (column == 0 ? DeviceTask::has_biases : 0),
             .op = i,
             .row = row,
             .rows = column,
             .tiles = op.users - 1,
             .weight = op.weight_at + column / grid_columns * op.weight_strip + row * op.weight_row,
             .weight_row = op.weight_row,
             .bias = op.bias_at + row,
             .x = in.at + column * in.feature_stride,
             .x_feature = in.feature_stride,
             .x_slot = in.slot_stride,
             .depth = std::min(rows, out.rows - row),
             .y = out.gradient_at + row * out.feature_stride + slot,
             .y_feature = out.feature_stride,
             .slope = in.slope_at + at,
             .value = in.at + at,
             .gradient = in.gradient_at + at});
      }
}

void DevicePlan::add_products(uint32_t i) {
  const DeviceOp& op = ops[i];
  const DeviceValue &f = values[op.a], &h = values[op.b], &out = values[op.out];
  for (uint32_t row = 0; row < op.width; ++row)
    tasks_.back().push_back({.kind = DeviceTaskKind::bilinear,
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

void DevicePlan::add_last_product(uint32_t i) {
  const DeviceOp& op = ops[i];
  const DeviceValue &f = values[op.a], &h = values[op.b];
  for (DeviceTaskKind kind : {DeviceTaskKind::bilinear_part, DeviceTaskKind::bilinear_finish}) {
    tasks_.emplace_back();
    uint32_t part = 0;
    for (uint32_t output = 0; output < op.width; ++output)
      for (uint32_t r = 0; r < op.rank; r += at_once, ++part) {
        const uint32_t row = output * op.rank + r;
        tasks_.back().push_back(
            {.kind = kind,
             .flags = (f.is_relu ? DeviceTask::is_relu : 0) | (h.is_relu ? DeviceTask::is_relu_too : 0),
             .row = output,
             .rows = std::min(at_once, op.rank - r),
             .weight = h.at + row * h.feature_stride,
             .weight_row = h.feature_stride,
             .x = f.at + row * f.feature_stride,
             .x_feature = f.feature_stride,
             .y = static_cast<uint32_t>(parts_at + part * slots)});
      }
  }
  // Who writes the loss down does nothing else.
  tasks_.back().push_back({.kind = DeviceTaskKind::bilinear_finish});
}

void DevicePlan::add_product_gradients(uint32_t i) {
  const DeviceOp& op = ops[i];
  const DeviceValue &f = values[op.a], &h = values[op.b], &out = values[op.out];
  for (uint32_t row = 0; row < f.width; row += at_once)
    tasks_.back().push_back(
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
  for (uint32_t row = 0; row < rows; ++row) tasks_.back().push_back({.kind = kind, .op = op, .row = row});
}

void DevicePlan::order_forward() {
  std::vector<size_t> level(values.size());
  size_t levels = 0;
  for (const DeviceOp& op : ops) {
    level[op.out] = 1 + std::max(level[op.a], level[op.b]);
    levels = std::max(levels, level[op.out]);
  }
  for (size_t l = 1; l <= levels; ++l) {
    tasks_.emplace_back();
    size_t beside = 0;
    for (const DeviceOp& op : ops) beside += op.kind == OpKind::dense && level[op.out] == l;
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const DeviceOp& op = ops[i];
      if (level[op.out] != l) continue;
      if (op.kind == OpKind::dense)
        add_forward(i, beside);
      else if (last_parts > 0 && i + 1 == ops.size())
        tasks_.pop_back(), add_last_product(i);
      else if (op.kind == OpKind::bilinear)
        add_products(i);
      else
        add_elementwise(DeviceTaskKind::elementwise, i, op.width);
    }
  }
  forward_phases = tasks_.size();
  if (last_parts > 0) return;
  const DeviceValue& y = values.back();
  tasks_.push_back({{.kind = DeviceTaskKind::loss,
                     .flags = (y.is_relu ? DeviceTask::is_relu : 0) | (y.is_sin ? DeviceTask::is_sin : 0),
                     .y = y.at,
                     .y_feature = y.feature_stride,
                     .slope = y.slope_at,
                     .value = y.gradient_at}});
  forward_phases = tasks_.size();
}

void DevicePlan::order_backward() {
  // By op: the first phase in which the gradient of its value is there, and that of its own backward tasks.
  std::vector<size_t> ready(ops.size()), own(ops.size());
  std::vector<size_t> last_write(values.size());  // 1 + the phase that wrote a gradient last; 0: none
  size_t count = 0;
  for (size_t i = ops.size(); i-- > 0;) {
    DeviceOp& op = ops[i];
    if (!values[op.out].has_gradient) continue;
    if (last_parts > 0 && i + 1 == ops.size()) continue;  // its gradient is there already
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
  // One task for the gradients of inputs and weights, so that weights are read once.
  const auto is_joint = [&](size_t i) {
    return form == DeviceForm::grid && ops[i].users == 1 && slots == grid_columns &&
           values[ops[i].a].has_gradient;
  };
  std::vector<size_t> update(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    for (uint32_t u = 0; u < ops[i].users; ++u) {
      const uint32_t user = users[ops[i].first_user + u];
      const bool reads_weights = values[ops[user].a].has_gradient;
      update[i] = std::max({update[i], ready[user], reads_weights ? own[user] + !is_joint(i) : 0});
    }
    if (ops[i].users > 0) count = std::max(count, update[i] + 1);
  }
  for (size_t p = 0; p < count; ++p) {
    tasks_.emplace_back();
    const auto has_input_gradient = [&](size_t i) {
      return ops[i].kind == OpKind::dense && own[i] == p && values[ops[i].a].has_gradient;
    };
    size_t beside = 0;
    for (size_t i = 0; i < ops.size(); ++i)
      beside += has_input_gradient(i) + (ops[i].users > 0 && update[i] == p);
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const DeviceOp& op = ops[i];
      if (form == DeviceForm::grid && op.kind == OpKind::dense) {
        const bool gives = has_input_gradient(i), updates = op.users > 0 && update[i] == p;
        if (gives && updates && is_joint(i)) {
          add_strips(i, DeviceTask::gives_gradient | DeviceTask::updates);
        } else {
          if (gives) add_strips(i, DeviceTask::gives_gradient);
          if (updates) add_strips(i, DeviceTask::updates);
        }
        continue;
      }
      if (has_input_gradient(i)) add_input_gradient(i, beside);
      const bool is_done = last_parts > 0 && i + 1 == ops.size();
      if (op.kind != OpKind::dense && !is_done && own[i] == p && values[op.out].has_gradient) {
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
  std::array<std::vector<DeviceTask>, warps> own;
  for (size_t p = 0; p < tasks_.size(); ++p) {
    // The longest first, each to the warp that has least to do.
    std::stable_sort(tasks_[p].begin(), tasks_[p].end(),
                     [](const DeviceTask& a, const DeviceTask& b) { return work_of(a) > work_of(b); });
    std::array<size_t, warps> begin, load{};
    for (size_t w = 0; w < warps; ++w) begin[w] = own[w].size();
    for (const DeviceTask& task : tasks_[p]) {
      const auto least = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
      own[least].push_back(task);
      load[least] += work_of(task);
    }
    for (size_t w = 0; w < warps; ++w) {
      if (own[w].size() == begin[w]) own[w].emplace_back();
      own[w][begin[w]].flags |= DeviceTask::begins_phase;
      if (p + 1 == forward_phases) by_warp.forward[w] = static_cast<uint32_t>(own[w].size());
    }
  }
  for (size_t w = 0; w < warps; ++w) {
    by_warp.first[w] = static_cast<uint32_t>(tasks.size());
    tasks.insert(tasks.end(), own[w].begin(), own[w].end());
  }
  by_warp.first[warps] = static_cast<uint32_t>(tasks.size());
  tasks_.clear();
}

void DevicePlan::line_up() {
  const auto is_of_block = [](const DeviceTask& task) {
    return task.kind == DeviceTaskKind::dense || task.kind == DeviceTaskKind::strip;
  };
  const auto is_small = [&](size_t p) {
    return p < tasks_.size() && tasks_[p].size() <= most_chained &&
           std::none_of(tasks_[p].begin(), tasks_[p].end(), is_of_block);
  };
  const size_t forward = std::exchange(forward_phases, 0);
  for (size_t p = 0; p < tasks_.size();) {
    forward_phases += p < forward;
    GridPhase phase{.first = static_cast<uint32_t>(tasks.size())};
    if (is_small(p)) {
      for (; is_small(p); ++p) {
        tasks_[p].front().flags |= DeviceTask::begins_phase;
        tasks.insert(tasks.end(), tasks_[p].begin(), tasks_[p].end());
        tasks.resize(phase.first + up_to(tasks.size() - phase.first, GridPhase::warps));
        phase.chained = static_cast<uint32_t>(tasks.size()) - phase.first;
        if (p < forward) phase.chained_forward = phase.chained;
      }
    } else {
      std::stable_partition(tasks_[p].begin(), tasks_[p].end(), is_of_block);
      const auto of_blocks = std::count_if(tasks_[p].begin(), tasks_[p].end(), is_of_block);
      phase.block_tasks = static_cast<uint32_t>(of_blocks);
      phase.warp_tasks = static_cast<uint32_t>(tasks_[p].size()) - phase.block_tasks;
      phase.has_strips = std::any_of(tasks_[p].begin(), tasks_[p].end(), [](const DeviceTask& task) {
        return task.kind == DeviceTaskKind::strip;
      });
      tasks.insert(tasks.end(), tasks_[p].begin(), tasks_[p].end());
      ++p;
    }
    phases.push_back(phase);
  }
  // Where there is most to do, nobody waits for it.
  const auto longest =
      std::max_element(phases.begin(), phases.end(),
                       [](const GridPhase& a, const GridPhase& b) { return a.block_tasks < b.block_tasks; });
  longest->draws = 1;
  tasks_.clear();
}

template <class Row>
void DevicePlan::each_row(const Program& program, const Row& row) const {
  for (size_t i = 0; i < program.ops().size(); ++i) {
    const Op& op = program.ops()[i];
    if (op.kind != OpKind::dense || op.shares >= 0) continue;
    const auto width = static_cast<uint32_t>(program.width(op.from[0])),
               piece = form == DeviceForm::grid ? grid_columns : width;
    for (size_t o = 0; o < static_cast<size_t>(op.width); ++o)
      for (uint32_t column = 0; column < width; column += piece)
        row(ops[i].weight_at + size_t{column / piece} * ops[i].weight_strip + o * ops[i].weight_row,
            std::min(piece, width - column));
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
