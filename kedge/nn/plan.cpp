#include "kedge/nn/plan.h"

#include <algorithm>

namespace kedge {
namespace {

// Rows a large power of two apart fall into the same cache set; one more line moves them apart.
size_t spread_row(size_t width) {
  const size_t row = padded(width);
  return row % 256 == 0 ? row + 16 : row;
}

}  // namespace

size_t update_rows(size_t weight_row) { return std::max<size_t>(8, (size_t{1} << 16) / weight_row / 8 * 8); }

void Plan::share(size_t owner_op, size_t op, size_t out) {
  OpPlan &owner = ops[owner_op], &plan = ops[op];
  if (!owner.shared) {
    owner.shared = true;
    owner.shared_at = shared_floats;
    shared_floats += out * owner.weight_row + padded(out);
  }
  plan.shared = true;
  plan.is_first_user = false;
  plan.weight_at = owner.weight_at;
  plan.bias_at = owner.bias_at;
  plan.shared_at = owner.shared_at;
  for (size_t before = 0; before < op; ++before)
    if (ops[before].shared && ops[before].shared_at == plan.shared_at) ops[before].is_last_user = false;
}

Plan::Plan(const Program& program, size_t batch) : slots(padded(batch)) {
  const auto& list = program.ops();
  values.resize(static_cast<size_t>(input_count) + list.size());
  for (size_t v = 0; v < values.size(); ++v) {
    ValuePlan& value = values[v];
    value.width = static_cast<size_t>(program.width(static_cast<int>(v)));
    // Inputs arrive batch-major, one row per pair.
    value.transposed = v < static_cast<size_t>(input_count) && program.reads(static_cast<Input>(v));
    value.transposed_row = spread_row(value.width);
    value.at = value_floats;
    value_floats += padded(value.width) * slots;
  }
  for (const Op& op : list) {
    if (op.kind == OpKind::dense) values[static_cast<size_t>(op.from[0])].transposed = true;
  }
  for (ValuePlan& value : values) {
    if (!value.transposed) continue;
    value.transposed_at = transposed_floats;
    transposed_floats += slots * value.transposed_row;
  }

  ops.resize(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Op& op = list[i];
    OpPlan& plan = ops[i];
    bool gradient = false;
    for (int from : op.from) gradient = gradient || values[static_cast<size_t>(from)].gradient;
    if (op.kind == OpKind::dense) {
      gradient = true;
      const size_t out = static_cast<size_t>(op.width);
      plan.weight_row = values[static_cast<size_t>(op.from[0])].transposed_row;
      if (op.shares >= 0) {
        share(static_cast<size_t>(op.shares), i, out);
      } else {
        plan.weight_at = parameter_floats;
        plan.bias_at = plan.weight_at + out * plan.weight_row;
        parameter_floats = plan.bias_at + padded(out);
      }
      largest_bias = std::max(largest_bias, padded(out));
      update_floats = std::max(update_floats, std::min(out, update_rows(plan.weight_row)) * plan.weight_row);
      if (op.activation == Activation::sin_pi) {
        plan.slope_at = slope_floats;
        slope_floats += out * slots;
      }
    }
    values[static_cast<size_t>(input_count) + i].gradient = gradient;
  }

  std::vector<bool> written(values.size());
  for (size_t i = list.size(); i-- > 0;) {
    for (int from : list[i].from) {
      const size_t v = static_cast<size_t>(from);
      ops[i].add_to_gradient.push_back(written[v]);
      written[v] = true;
    }
  }
}

}  // namespace kedge
