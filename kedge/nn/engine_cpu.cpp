#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "kedge/kernels/flush_denormals.h"
#include "kedge/kernels/kernels.h"
#include "kedge/nn/adam_step.h"
#include "kedge/nn/cpu_pass.h"
#include "kedge/nn/engine.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/plan.h"
#include "kedge/nn/train.h"

namespace kedge {
namespace {

// Rows of a prediction computed at once.
constexpr size_t serve_batch = 64;
// Batches of pairs on which parameters are measured.

// Training of one replica: everything a step needs, allocated once.
class Trainer {
 public:
  Trainer(const Program& program, AlignedFloats& parameters, const TrainingRun& run)
      : program_(program), run_(run), plan_(program, run.options.batch), space_(plan_), state_(parameters) {
    const auto input = [&](Input i) {
      const ValuePlan& value = plan_.values[static_cast<size_t>(i)];
      return value.transposed ? space_.transposed.data() + value.transposed_at : nullptr;
    };
    arrays_ = {.query = input(Input::query),
               .anchor = input(Input::anchor),
               .delta = input(Input::delta),
               .feature_stride = plan_.values[0].transposed_row,
               .anchor_output = input(Input::anchor_output),
               .output_stride = space_.target_row};
    losses_.reserve(TrainingRecord::most_steps_between_reports);
  }

  /// Does the steps; their losses, until the next call.
  std::span<const double> train(uint64_t first, uint64_t count) {
    losses_.clear();
    for (uint64_t t = first; t < first + count; ++t) {
      losses_.push_back(batch_loss(run_.data.pairs.stream, t));
      backward_pass(program_, plan_, state_, space_, adam_step(run_.options.adam, t, run_.options.steps));
    }
    return losses_;
  }

  /// Loss of the present parameters on pairs that are always the same.
  double measure() {
    double total = 0;
    for (uint64_t b = 0; b < evaluation_batches; ++b) total += batch_loss(Stream::evaluation, b);
    return total / static_cast<double>(evaluation_batches);
  }

 private:
  /// Draws a batch and computes its loss; its gradient then stands where the backward pass reads it.
  double batch_loss(Stream stream, uint64_t step) {
    const TrainingData& data = run_.data;
    const size_t batch = run_.options.batch, outputs = static_cast<size_t>(program_.outputs());
    for (size_t slot = 0; slot < batch; ++slot) {
      const DrawnPair drawn = draw_pair(data.pairs, run_.seed, stream, step, static_cast<uint32_t>(slot));
      encode_pair(data.rows, training_row(data.rows, drawn.pair.query), drawn.pair.anchor, arrays_, slot);
      const float* const target = data.pair_targets.empty()
                                      ? data.rows.outputs.data() + drawn.pair.query * outputs
                                      : &data.pair_targets[drawn.entry];
      copy_numbers(target, outputs, space_.target.data() + slot * space_.target_row);
      if (!data.pair_weights.empty()) space_.pair_weight[slot] = data.pair_weights[drawn.entry];
    }
    forward_pass(program_, plan_, state_.parameters.data(), space_);
    kernels().transpose(space_.target.data(), space_.target_row, plan_.slots, padded(outputs),
                        space_.target_columns.data(), plan_.slots);
    const size_t y = plan_.values.back().at;
    return loss_and_gradient(outputs, space_.values.data() + y, space_.gradients.data() + y);
  }

  /// Slots beyond the batch get zero gradient.
  double loss_and_gradient(size_t outputs, const float* y, float* grad) const {
    const size_t slots = plan_.slots, pairs = run_.options.batch;
    const float* const target = space_.target_columns.data();
    const float one_over_numbers = 1.0f / static_cast<float>(pairs * outputs);
    double total = 0;
    std::memset(grad, 0, outputs * slots * sizeof(float));
    for (size_t s = 0; s < pairs; ++s) {
      float squares = 0;
      for (size_t k = 0; k < outputs; ++k) {
        const float e = y[k * slots + s] - target[k * slots + s];
        squares += e * e;
      }
      const float weight = space_.pair_weight[s];
      const ops::PairLoss pair = run_.options.loss == Loss::mse
                                     ? ops::squared_error(squares, weight, one_over_numbers)
                                     : ops::distance(std::sqrt(squares), weight, static_cast<float>(pairs));
      total += pair.loss;
      for (size_t k = 0; k < outputs; ++k)
        grad[k * slots + s] = pair.slope * (y[k * slots + s] - target[k * slots + s]);
    }
    return total;
  }

  const Program& program_;
  const TrainingRun& run_;
  Plan plan_;
  TrainingWorkspace space_;
  AdamState state_;
  PairArrays arrays_;
  std::vector<double> losses_;
};

bool is_finite(const std::vector<float>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](float p) { return std::isfinite(p); });
}

class CpuEngine : public Engine {
 public:
  CpuEngine(const Program& program, const std::vector<std::vector<float>>& parameters)
      : program_(checked(program)), serve_(program_, serve_batch) {
    replicas_.resize(parameters.size());
    for (size_t r = 0; r < parameters.size(); ++r) {
      replicas_[r].resize(serve_.parameter_floats);
      write(r, parameters[r]);
    }
  }

  size_t replicas() const override { return replicas_.size(); }
  const Program& program() const override { return program_; }
  size_t replicas_at_once() const override { return 1; }

  void train(size_t first, std::span<const TrainingRun> runs, const RunReport& report,
             std::span<TrainOutcome> outcomes) override {
    for (size_t i = 0; i < runs.size(); ++i)
      outcomes[i] = train_replica(first + i, runs[i], [&](const Progress& p) { return report(i, p); });
  }

  std::unique_ptr<Scratch> make_scratch(size_t rows) const override {
    return std::make_unique<CpuScratch>(program_, serve_, rows);
  }

  void forward(size_t replica, const ForwardInputs& inputs, MatrixView<float> out,
               Scratch& scratch) const override {
    auto& [own, plan, space] = static_cast<CpuScratch&>(scratch);
    const float* const y = space.values.data() + plan.values.back().at;
    const MatrixView<const float> sources[] = {inputs.query, inputs.anchor, inputs.delta,
                                               inputs.anchor_output};
    for (size_t start = 0; start < inputs.rows; start += plan.slots) {
      const size_t rows = std::min(plan.slots, inputs.rows - start);
      for (size_t v = 0; v < static_cast<size_t>(input_count); ++v) {
        const ValuePlan& value = plan.values[v];
        if (!value.transposed) continue;
        for (size_t r = 0; r < rows; ++r)
          std::memcpy(space.transposed.data() + value.transposed_at + r * value.transposed_row,
                      sources[v].row(start + r).data(), value.width * sizeof(float));
      }
      forward_pass(program_, plan, replicas_[replica].data(), space);
      for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < out.cols(); ++k) out(start + r, k) = y[k * plan.slots + r];
    }
  }

  std::vector<float> read(size_t replica) const override {
    std::vector<float> flat;
    flat.reserve(program_.parameters());
    each_row([&](size_t at, size_t count) {
      const float* const p = replicas_[replica].data() + at;
      flat.insert(flat.end(), p, p + count);
    });
    return flat;
  }

  void write(size_t replica, const std::vector<float>& flat) override {
    assert(flat.size() == program_.parameters());
    const float* from = flat.data();
    each_row([&](size_t at, size_t count) {
      std::memcpy(replicas_[replica].data() + at, from, count * sizeof(float));
      from += count;
    });
  }

 private:
  struct CpuScratch : Scratch {
    CpuScratch(const Program& program, const Plan& serve, size_t rows)
        : own(rows < serve_batch ? std::optional<Plan>(std::in_place, program, rows) : std::nullopt),
          plan(own ? *own : serve),
          space(plan) {}
    std::optional<Plan> own;
    const Plan& plan;
    Workspace space;
  };

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
      if (op.kind != OpKind::dense || op.shares >= 0) continue;
      const OpPlan& plan = serve_.ops[i];
      const size_t in = serve_.values[static_cast<size_t>(op.from[0])].width;
      const size_t out = static_cast<size_t>(op.width);
      for (size_t o = 0; o < out; ++o) row(plan.weight_at + o * plan.weight_row, in);
      row(plan.bias_at, out);
    }
  }

  TrainOutcome train_replica(size_t replica, const TrainingRun& run, const ProgressFn& report) {
    Trainer trainer(program_, replicas_[replica], run);
    std::vector<float> best = read(replica);
    TrainingRecord record(run.options, best.size());
    const FlushDenormals flush;
    while (const uint64_t count = record.next()) {
      record.add(trainer.train(record.done(), count));
      if (record.has_diverged()) break;
      const bool goes_on = report(record.progress()) || record.next() == 0;
      if (!goes_on || record.is_checkpoint()) {
        std::vector<float> present = read(replica);
        if (record.measure(trainer.measure(), is_finite(present))) best = std::move(present);
      }
      if (!goes_on) record.stop();
    }
    const TrainOutcome outcome = record.finish(is_finite(read(replica)));
    if (outcome.status != TrainStatus::finished) write(replica, best);
    return outcome;
  }

  Program program_;
  Plan serve_;
  std::vector<AlignedFloats> replicas_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const Program& program, const std::vector<std::vector<float>>& parameters,
                                    Device device) {
  assert(device != Device::automatic);
  if (device == Device::cuda) return make_cuda_engine(program, parameters);
  return std::make_unique<CpuEngine>(program, parameters);
}

}  // namespace kedge
