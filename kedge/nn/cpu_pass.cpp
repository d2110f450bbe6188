#include "kedge/nn/cpu_pass.h"

#include <algorithm>
#include <cstring>

#include "kedge/kernels/kernels.h"

namespace kedge {
namespace {

size_t operand(const Op& op, size_t i) { return static_cast<size_t>(op.from[i]); }

// Slopes and transposed copies are kept for training only.
class Forward {
 public:
  Forward(const Program& program, const Plan& plan, const float* parameters)
      : program_(program), plan_(plan), parameters_(parameters), k_(kernels()) {}

  void run(Workspace& space, float* slopes, bool keep_transposed) const {
    for (size_t v = 0; v < static_cast<size_t>(input_count); ++v) {
      const ValuePlan& value = plan_.values[v];
      if (value.transposed)
        k_.transpose(space.transposed.data() + value.transposed_at, value.transposed_row, plan_.slots,
                     padded(value.width), space.values.data() + value.at, plan_.slots);
    }
    for (size_t i = 0; i < program_.ops().size(); ++i) {
      op(i, space, slopes);
      const ValuePlan& value = plan_.values[static_cast<size_t>(input_count) + i];
      if (value.transposed && keep_transposed)
        k_.transpose(space.values.data() + value.at, plan_.slots, padded(value.width), plan_.slots,
                     space.transposed.data() + value.transposed_at, value.transposed_row);
    }
  }

 private:
  void op(size_t i, Workspace& space, float* slopes) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t slots = plan_.slots;
    float* const out = space.values.data() + plan_.values[static_cast<size_t>(input_count) + i].at;
    const ValuePlan& a = plan_.values[operand(op, 0)];
    const ValuePlan& b = plan_.values[operand(op, op.from.size() - 1)];
    const float* const in_a = space.values.data() + a.at;
    const float* const in_b = space.values.data() + b.at;
    const size_t width = static_cast<size_t>(op.width);
    switch (op.kind) {
      case OpKind::dense:
        k_.gemm({.m = width,
                 .n = slots,
                 .k = a.width,
                 .a = parameters_ + plan.weight_at,
                 .a_row = plan.weight_row,
                 .a_col = 1,
                 .b = in_a,
                 .b_row = slots,
                 .c = out,
                 .c_row = slots,
                 .bias = parameters_ + plan.bias_at,
                 .relu = op.activation == Activation::relu});
        if (op.activation == Activation::sin_pi)
          k_.sin_pi(out, slopes ? slopes + plan.slope_at : nullptr, width * slots);
        break;
      case OpKind::add:
        std::memcpy(out, in_a, width * slots * sizeof(float));
        k_.add(out, in_b, width * slots);
        break;
      case OpKind::subtract:
        for (size_t j = 0; j < width * slots; ++j) out[j] = in_a[j] - in_b[j];
        break;
      case OpKind::concat:
        std::memcpy(out, in_a, a.width * slots * sizeof(float));
        std::memcpy(out + a.width * slots, in_b, b.width * slots * sizeof(float));
        break;
      case OpKind::select:
        for (size_t j = 0; j < width; ++j)
          std::memcpy(out + j * slots, in_a + static_cast<size_t>(op.columns[j]) * slots,
                      slots * sizeof(float));
        break;
      case OpKind::bilinear:
        k_.bilinear(in_a, in_b, width, a.width / width, slots, out);
        break;
      case OpKind::quadratic: {
        std::memcpy(out, in_a, a.width * slots * sizeof(float));
        float* product = out + a.width * slots;
        for (size_t p = 0; p < a.width; ++p) {
          for (size_t q = p; q < a.width; ++q, product += slots) {
            std::memcpy(product, in_a + p * slots, slots * sizeof(float));
            k_.multiply(product, in_a + q * slots, slots);
          }
        }
        break;
      }
    }
  }

  const Program& program_;
  const Plan& plan_;
  const float* parameters_;
  const Kernels& k_;
};

class Backward {
 public:
  Backward(const Program& program, const Plan& plan, AdamState& state, TrainingWorkspace& space)
      : program_(program), plan_(plan), state_(state), space_(space), k_(kernels()) {}

  void run(const AdamStep& step) const {
    for (size_t i = program_.ops().size(); i-- > 0;) {
      const size_t value = static_cast<size_t>(input_count) + i;
      if (!plan_.values[value].gradient) continue;
      if (program_.ops()[i].kind == OpKind::dense) {
        dense(i, step);
      } else {
        other(i);
      }
    }
  }

 private:
  float* gradient(size_t value) const { return space_.gradients.data() + plan_.values[value].at; }

  void dense(size_t i, const AdamStep& step) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t slots = plan_.slots, out = static_cast<size_t>(op.width), row = plan.weight_row;
    float* const grad = gradient(static_cast<size_t>(input_count) + i);
    const float* const value = space_.values.data() + plan_.values[static_cast<size_t>(input_count) + i].at;
    if (op.activation == Activation::relu) k_.mask(grad, value, out * slots);
    if (op.activation == Activation::sin_pi)
      k_.multiply(grad, space_.slopes.data() + plan.slope_at, out * slots);

    if (plan.shared) return shared_dense(i, grad, step);
    k_.row_sums(grad, out, slots, space_.bias_update.data());
    std::memset(space_.bias_update.data() + out, 0, (padded(out) - out) * sizeof(float));
    adam(plan.bias_at, space_.bias_update.data(), padded(out), step);
    const size_t rows_at_once = update_rows(row);
    for (size_t o = 0; o < out; o += rows_at_once) {
      const size_t rows = std::min(rows_at_once, out - o);
      input_gradient(i, grad, o, rows);
      weight_gradient(i, grad, o, rows, space_.weight_update.data(), false);
      adam(plan.weight_at + o * row, space_.weight_update.data(), rows * row, step);
    }
  }

  // The sum over the ops that use the same parameters stands in `shared_updates` until the first of them,
  // which the backward pass comes to last, updates the parameters.
  void shared_dense(size_t i, const float* grad, const AdamStep& step) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t out = static_cast<size_t>(op.width), weights = out * plan.weight_row;
    float* const update = space_.shared_updates.data() + plan.shared_at;
    float* const bias = space_.bias_update.data();
    input_gradient(i, grad, 0, out);
    weight_gradient(i, grad, 0, out, update, !plan.is_last_user);
    k_.row_sums(grad, out, plan_.slots, bias);
    std::memset(bias + out, 0, (padded(out) - out) * sizeof(float));
    pass(update + weights, bias, padded(out), !plan.is_last_user);
    if (plan.is_first_user) adam(plan.weight_at, update, weights + padded(out), step);
  }

  void adam(size_t at, const float* update, size_t count, const AdamStep& step) const {
    k_.adam(state_.parameters.data() + at, state_.first.data() + at, state_.second.data() + at, update, count,
            step);
  }

  // Adds what rows o ... o + rows - 1 of a dense op's weights pass on to its input.
  void input_gradient(size_t i, const float* grad, size_t o, size_t rows) const {
    const OpPlan& plan = plan_.ops[i];
    const size_t from = operand(program_.ops()[i], 0), slots = plan_.slots;
    if (!plan_.values[from].gradient) return;
    k_.gemm({.m = plan_.values[from].width,
             .n = slots,
             .k = rows,
             .a = state_.parameters.data() + plan.weight_at + o * plan.weight_row,
             .a_row = 1,
             .a_col = plan.weight_row,
             .b = grad + o * slots,
             .b_row = slots,
             .c = gradient(from),
             .c_row = slots,
             .accumulate = o > 0 || plan.add_to_gradient[0]});
  }

  void weight_gradient(size_t i, const float* grad, size_t o, size_t rows, float* update,
                       bool accumulate) const {
    const OpPlan& plan = plan_.ops[i];
    const ValuePlan& input = plan_.values[operand(program_.ops()[i], 0)];
    k_.gemm({.m = rows,
             .n = plan.weight_row,
             .k = plan_.slots,
             .a = grad + o * plan_.slots,
             .a_row = plan_.slots,
             .a_col = 1,
             .b = space_.transposed.data() + input.transposed_at,
             .b_row = input.transposed_row,
             .c = update,
             .c_row = plan.weight_row,
             .accumulate = accumulate});
  }

  // out (+)= in, `count` floats.
  void pass(float* out, const float* in, size_t count, bool add) const {
    if (add) {
      k_.add(out, in, count);
    } else {
      std::memcpy(out, in, count * sizeof(float));
    }
  }

  static void pass_negative(float* out, const float* in, size_t count, bool add) {
    for (size_t j = 0; j < count; ++j) out[j] = add ? out[j] - in[j] : -in[j];
  }

  void other(size_t i) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t slots = plan_.slots, width = static_cast<size_t>(op.width);
    const size_t a = operand(op, 0), b = operand(op, op.from.size() - 1);
    const size_t a_width = plan_.values[a].width, b_width = plan_.values[b].width;
    const bool to_a = plan_.values[a].gradient, to_b = plan_.values[b].gradient;
    const bool add_a = plan.add_to_gradient.front(), add_b = plan.add_to_gradient.back();
    const float* const grad = gradient(static_cast<size_t>(input_count) + i);
    switch (op.kind) {
      case OpKind::dense:
        break;
      case OpKind::add:
        if (to_a) pass(gradient(a), grad, width * slots, add_a);
        if (to_b) pass(gradient(b), grad, width * slots, add_b || a == b);
        break;
      case OpKind::subtract:
        if (to_a) pass(gradient(a), grad, width * slots, add_a);
        if (to_b) pass_negative(gradient(b), grad, width * slots, add_b || a == b);
        break;
      case OpKind::concat:
        if (to_a) pass(gradient(a), grad, a_width * slots, add_a);
        if (to_b) pass(gradient(b), grad + a_width * slots, b_width * slots, add_b || a == b);
        break;
      case OpKind::select:
        if (!add_a) std::memset(gradient(a), 0, a_width * slots * sizeof(float));
        for (size_t j = 0; j < width; ++j)
          k_.add(gradient(a) + static_cast<size_t>(op.columns[j]) * slots, grad + j * slots, slots);
        break;
      case OpKind::bilinear:
        k_.bilinear_backward(space_.values.data() + plan_.values[a].at,
                             space_.values.data() + plan_.values[b].at, grad, width, a_width / width, slots,
                             to_a ? gradient(a) : nullptr, add_a, to_b ? gradient(b) : nullptr,
                             add_b || a == b);
        break;
      case OpKind::quadratic:
        quadratic(grad, space_.values.data() + plan_.values[a].at, gradient(a), a_width, add_a);
        break;
    }
  }

  void quadratic(const float* grad, const float* in, float* out, size_t width, bool add) const {
    const size_t slots = plan_.slots;
    pass(out, grad, width * slots, add);
    const float* product = grad + width * slots;
    for (size_t p = 0; p < width; ++p) {
      for (size_t q = p; q < width; ++q, product += slots) {
        for (size_t s = 0; s < slots; ++s) {
          out[p * slots + s] += product[s] * in[q * slots + s];
          out[q * slots + s] += product[s] * in[p * slots + s];
        }
      }
    }
  }

  const Program& program_;
  const Plan& plan_;
  AdamState& state_;
  TrainingWorkspace& space_;
  const Kernels& k_;
};

}  // namespace

TrainingWorkspace::TrainingWorkspace(const Plan& plan)
    : Workspace(plan),
      gradients(plan.value_floats),
      slopes(plan.slope_floats),
      weight_update(plan.update_floats),
      bias_update(plan.largest_bias),
      shared_updates(plan.shared_floats),
      target_row(plan.values[static_cast<size_t>(Input::anchor_output)].transposed_row),
      target(plan.slots * target_row),
      target_columns(plan.slots * padded(plan.values.back().width)),
      pair_weight(plan.slots, 1.0f) {}

void forward_pass(const Program& program, const Plan& plan, const float* parameters, Workspace& space) {
  Forward(program, plan, parameters).run(space, nullptr, false);
}

void forward_pass(const Program& program, const Plan& plan, const float* parameters,
                  TrainingWorkspace& space) {
  Forward(program, plan, parameters).run(space, space.slopes.data(), true);
}

void backward_pass(const Program& program, const Plan& plan, AdamState& state, TrainingWorkspace& space,
                   const AdamStep& step) {
  Backward(program, plan, state, space).run(step);
}

}  // namespace kedge
