#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kedge/kernels/flush_denormals.h"
#include "kedge/kernels/kernels.h"
#include "kedge/nn/engine.h"
#include "kedge/nn/plan.h"

namespace kedge {
namespace {

// Zeroed floats on a cache line's boundary.
class Floats {
 public:
  explicit Floats(size_t count = 0)
      : data_(
            static_cast<float*>(std::aligned_alloc(64, padded(std::max<size_t>(count, 1)) * sizeof(float)))) {
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, padded(std::max<size_t>(count, 1)) * sizeof(float));
  }
  float* operator+(size_t offset) const { return data_.get() + offset; }
  float* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
};

// What one pass over a program writes.
struct Workspace {
  explicit Workspace(const Plan& plan) : values(plan.value_floats), transposed(plan.transposed_floats) {}
  Floats values, transposed;
};

struct TrainingWorkspace : Workspace {
  TrainingWorkspace(const Plan& plan, size_t outputs)
      : Workspace(plan),
        gradients(plan.value_floats),
        slopes(plan.slope_floats),
        weight_update(plan.update_floats),
        bias_update(plan.largest_bias),
        target_row(plan.values[static_cast<size_t>(Input::anchor_output)].transposed_row),
        target(plan.slots * target_row),
        target_columns(plan.slots * padded(outputs)),
        pair_weight(plan.slots) {}
  Floats gradients, slopes, weight_update, bias_update;
  size_t target_row;  // as an anchor's output has it
  Floats target, target_columns, pair_weight;
};

size_t operand(const Op& op, size_t i) { return static_cast<size_t>(op.from[i]); }

// One replica's parameters and Adam moments, padded as the plan has them.
struct Replica {
  Replica(uint64_t seed_, size_t floats) : seed(seed_), parameters(floats), first(floats), second(floats) {}
  uint64_t seed;
  Floats parameters, first, second;
};

// The forward pass over values already in the workspace, inputs feature-major. Shared by training and
// prediction, so both compute the same numbers; slopes and transposed copies are kept for training only.
class Forward {
 public:
  Forward(const Program& program, const Plan& plan, const float* parameters)
      : program_(program), plan_(plan), parameters_(parameters), k_(kernels()) {}

  void run(Workspace& space, float* slopes, bool keep_transposed) const {
    for (size_t v = 0; v < static_cast<size_t>(input_count); ++v) {
      const ValuePlan& value = plan_.values[v];
      if (value.transposed)
        k_.transpose(space.transposed + value.transposed_at, value.transposed_row, plan_.slots,
                     padded(value.width), space.values + value.at, plan_.slots);
    }
    for (size_t i = 0; i < program_.ops().size(); ++i) {
      op(i, space, slopes);
      const ValuePlan& value = plan_.values[static_cast<size_t>(input_count) + i];
      if (value.transposed && keep_transposed)
        k_.transpose(space.values + value.at, plan_.slots, padded(value.width), plan_.slots,
                     space.transposed + value.transposed_at, value.transposed_row);
    }
  }

 private:
  void op(size_t i, Workspace& space, float* slopes) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t slots = plan_.slots;
    float* const out = space.values + plan_.values[static_cast<size_t>(input_count) + i].at;
    const ValuePlan& a = plan_.values[operand(op, 0)];
    const ValuePlan& b = plan_.values[operand(op, op.from.size() - 1)];
    const float* const in_a = space.values + a.at;
    const float* const in_b = space.values + b.at;
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

// The backward pass with Adam fused behind each weight gradient: a block of weights, its moments and its
// gradient are touched once while they are in cache.
class Backward {
 public:
  Backward(const Program& program, const Plan& plan, Replica& replica, TrainingWorkspace& space)
      : program_(program), plan_(plan), replica_(replica), space_(space), k_(kernels()) {}

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
  float* gradient(size_t value) const { return space_.gradients + plan_.values[value].at; }

  void dense(size_t i, const AdamStep& step) const {
    const Op& op = program_.ops()[i];
    const OpPlan& plan = plan_.ops[i];
    const size_t slots = plan_.slots, out = static_cast<size_t>(op.width), row = plan.weight_row;
    const size_t from = operand(op, 0);
    const ValuePlan& input = plan_.values[from];
    float* const grad = gradient(static_cast<size_t>(input_count) + i);
    const float* const value = space_.values + plan_.values[static_cast<size_t>(input_count) + i].at;
    if (op.activation == Activation::relu) k_.mask(grad, value, out * slots);
    if (op.activation == Activation::sin_pi) k_.multiply(grad, space_.slopes + plan.slope_at, out * slots);

    k_.row_sums(grad, out, slots, space_.bias_update.get());
    std::memset(space_.bias_update + out, 0, (padded(out) - out) * sizeof(float));
    k_.adam(replica_.parameters + plan.bias_at, replica_.first + plan.bias_at, replica_.second + plan.bias_at,
            space_.bias_update.get(), padded(out), step);

    const size_t rows_at_once = update_rows(row);
    for (size_t o = 0; o < out; o += rows_at_once) {
      const size_t rows = std::min(rows_at_once, out - o);
      const size_t at = plan.weight_at + o * row;
      if (input.gradient)
        k_.gemm({.m = input.width,
                 .n = slots,
                 .k = rows,
                 .a = replica_.parameters + at,
                 .a_row = 1,
                 .a_col = row,
                 .b = grad + o * slots,
                 .b_row = slots,
                 .c = gradient(from),
                 .c_row = slots,
                 .accumulate = o > 0 || plan.add_to_gradient[0]});
      k_.gemm({.m = rows,
               .n = row,
               .k = slots,
               .a = grad + o * slots,
               .a_row = slots,
               .a_col = 1,
               .b = space_.transposed + input.transposed_at,
               .b_row = input.transposed_row,
               .c = space_.weight_update.get(),
               .c_row = row});
      k_.adam(replica_.parameters + at, replica_.first + at, replica_.second + at, space_.weight_update.get(),
              rows * row, step);
    }
  }

  // out (+)= in, `count` floats.
  void pass(float* out, const float* in, size_t count, bool add) const {
    if (add) {
      k_.add(out, in, count);
    } else {
      std::memcpy(out, in, count * sizeof(float));
    }
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
        k_.bilinear_backward(space_.values + plan_.values[a].at, space_.values + plan_.values[b].at, grad,
                             width, a_width / width, slots, to_a ? gradient(a) : nullptr, add_a,
                             to_b ? gradient(b) : nullptr, add_b || a == b);
        break;
      case OpKind::quadratic:
        quadratic(grad, space_.values + plan_.values[a].at, gradient(a), a_width, add_a);
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
  Replica& replica_;
  TrainingWorkspace& space_;
  const Kernels& k_;
};

// Loss of the batch and its gradient in the predictions. Slots beyond the batch get zero gradient.
double loss_and_gradient(Loss loss, size_t outputs, size_t pairs, size_t slots, const float* y,
                         const float* target, const float* weight, float* grad) {
  double total = 0;
  std::memset(grad, 0, outputs * slots * sizeof(float));
  const float mse_scale = 1.0f / static_cast<float>(pairs * outputs);
  for (size_t s = 0; s < pairs; ++s) {
    float squares = 0;
    for (size_t k = 0; k < outputs; ++k) {
      const float e = y[k * slots + s] - target[k * slots + s];
      squares += e * e;
    }
    float scale;
    if (loss == Loss::mse) {
      total += static_cast<double>(weight[s] * squares * mse_scale);
      scale = 2 * weight[s] * mse_scale;
    } else {
      const float norm = std::sqrt(squares);
      total += static_cast<double>(weight[s] * norm) / static_cast<double>(pairs);
      scale = norm > 0 ? weight[s] / (norm * static_cast<float>(pairs)) : 0.0f;
    }
    for (size_t k = 0; k < outputs; ++k)
      grad[k * slots + s] = scale * (y[k * slots + s] - target[k * slots + s]);
  }
  return total;
}

AdamStep adam_step(const AdamOptions& options, uint64_t t, uint64_t steps) {
  const double n = static_cast<double>(t + 1);
  return {.beta1 = static_cast<float>(options.beta1),
          .beta2 = static_cast<float>(options.beta2),
          .rate = static_cast<float>(learning_rate(options, t, steps) / (1 - std::pow(options.beta1, n))),
          .root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options.beta2, n))),
          .epsilon = static_cast<float>(options.epsilon)};
}

class CpuEngine : public Engine {
 public:
  CpuEngine(const Program& program, const std::vector<uint64_t>& seeds)
      : program_(checked(program)), serve_(program_, serve_batch) {
    for (uint64_t seed : seeds) replicas_.emplace_back(seed, serve_.parameter_floats);
  }

  size_t replicas() const override { return replicas_.size(); }
  const Program& program() const override { return program_; }

  std::vector<double> train(const PairSource& source, const TrainOptions& options, uint64_t first,
                            uint64_t count, Pool& pool) override {
    const Plan plan(program_, options.batch);
    std::vector<double> losses(replicas_.size());
    pool.run(replicas_.size(), [&](size_t r) {
      TrainingWorkspace space(plan, static_cast<size_t>(program_.outputs()));
      const FlushDenormals flush;
      double total = 0;
      for (uint64_t t = first; t < first + count; ++t)
        total += step(plan, replicas_[r], space, source, options, t);
      losses[r] = total / static_cast<double>(count);
    });
    return losses;
  }

  void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out) const override {
    Workspace space(serve_);
    const Forward pass(program_, serve_, replicas_[replica].parameters.get());
    const float* const y = space.values + serve_.values.back().at;
    const MatrixView<const float> sources[] = {inputs.query, inputs.anchor, inputs.delta,
                                               inputs.anchor_output};
    for (size_t start = 0; start < inputs.rows; start += serve_batch) {
      const size_t rows = std::min(serve_batch, inputs.rows - start);
      for (size_t v = 0; v < static_cast<size_t>(input_count); ++v) {
        const ValuePlan& value = serve_.values[v];
        if (!value.transposed) continue;
        for (size_t r = 0; r < rows; ++r)
          std::memcpy(space.transposed + (value.transposed_at + r * value.transposed_row),
                      sources[v].row(start + r).data(), value.width * sizeof(float));
      }
      pass.run(space, nullptr, false);
      for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < out.cols(); ++k) out(start + r, k) = y[k * serve_.slots + r];
    }
  }

  std::vector<float> read(size_t replica) const override {
    std::vector<float> flat;
    flat.reserve(program_.parameters());
    each_row([&](size_t at, size_t count) {
      const float* const p = replicas_[replica].parameters + at;
      flat.insert(flat.end(), p, p + count);
    });
    return flat;
  }

  void write(size_t replica, const std::vector<float>& flat) override {
    assert(flat.size() == program_.parameters());
    const float* from = flat.data();
    each_row([&](size_t at, size_t count) {
      std::memcpy(replicas_[replica].parameters + at, from, count * sizeof(float));
      from += count;
    });
  }

 private:
  static constexpr size_t serve_batch = 64;

  // A plan of an unlawful program would read values that are not there.
  static const Program& checked(const Program& program) {
    program.check();
    return program;
  }

  // Calls row(offset in the padded parameters, count) in the order of the flat parameters.
  template <class Row>
  void each_row(const Row& row) const {
    for (size_t i = 0; i < program_.ops().size(); ++i) {
      const Op& op = program_.ops()[i];
      if (op.kind != OpKind::dense) continue;
      const OpPlan& plan = serve_.ops[i];
      const size_t in = serve_.values[operand(op, 0)].width, out = static_cast<size_t>(op.width);
      for (size_t o = 0; o < out; ++o) row(plan.weight_at + o * plan.weight_row, in);
      row(plan.bias_at, out);
    }
  }

  double step(const Plan& plan, Replica& replica, TrainingWorkspace& space, const PairSource& source,
              const TrainOptions& options, uint64_t t) const {
    const size_t outputs = static_cast<size_t>(program_.outputs());
    auto input = [&](Input i) {
      const ValuePlan& value = plan.values[static_cast<size_t>(i)];
      return value.transposed ? space.transposed + value.transposed_at : nullptr;
    };
    std::fill(space.pair_weight.get(), space.pair_weight + options.batch, 1.0f);
    source.fill(replica.seed, t,
                {.pairs = options.batch,
                 .query = input(Input::query),
                 .anchor = input(Input::anchor),
                 .delta = input(Input::delta),
                 .feature_stride = plan.values[0].transposed_row,
                 .anchor_output = input(Input::anchor_output),
                 .target = space.target.get(),
                 .output_stride = space.target_row,
                 .weight = space.pair_weight.get()});
    Forward(program_, plan, replica.parameters.get()).run(space, space.slopes.get(), true);
    kernels().transpose(space.target.get(), space.target_row, plan.slots, padded(outputs),
                        space.target_columns.get(), plan.slots);
    const ValuePlan& y = plan.values.back();
    const double loss =
        loss_and_gradient(options.loss, outputs, options.batch, plan.slots, space.values + y.at,
                          space.target_columns.get(), space.pair_weight.get(), space.gradients + y.at);
    Backward(program_, plan, replica, space).run(adam_step(options.adam, t, options.steps));
    return loss;
  }

  Program program_;
  Plan serve_;
  std::vector<Replica> replicas_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const Program& program, const std::vector<uint64_t>& seeds) {
  auto engine = std::make_unique<CpuEngine>(program, seeds);
  for (size_t r = 0; r < seeds.size(); ++r) engine->write(r, initial_parameters(program, seeds[r]));
  return engine;
}

std::unique_ptr<Engine> make_cpu_engine(const Program& program, const std::vector<uint64_t>& seeds,
                                        const std::vector<std::vector<float>>& parameters) {
  assert(parameters.size() == seeds.size());
  auto engine = std::make_unique<CpuEngine>(program, seeds);
  for (size_t r = 0; r < seeds.size(); ++r) engine->write(r, parameters[r]);
  return engine;
}

}  // namespace kedge
