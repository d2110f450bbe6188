#include "problem.h"

#include <cmath>

namespace kedge {
namespace {

constexpr int embedding = 32;

Matrix<double> training_inputs() {
  Matrix<double> x(Problem::rows, Problem::inputs);
  for (size_t i = 0; i < x.rows(); ++i)
    for (size_t c = 0; c < x.cols(); ++c)
      x.row(i)[c] = std::sin(0.1 * static_cast<double>(i + 1) * static_cast<double>(c + 1)) +
                    0.05 * static_cast<double>(c);
  return x;
}

Matrix<double> training_outputs(const Matrix<double>& x) {
  Matrix<double> y(Problem::rows, Problem::outputs);
  for (size_t i = 0; i < y.rows(); ++i)
    for (size_t k = 0; k < y.cols(); ++k)
      y.row(i)[k] = std::cos(0.2 * static_cast<double>(i + 1) * static_cast<double>(k + 1)) * x.row(i)[0] +
                    0.1 * static_cast<double>(k);
  return y;
}

Space vector_space() { return Space::parse("", std::vector<std::string>(Problem::inputs, "x")); }

// The pairs that the peer's checked run takes.
class FixedPairs : public PairSource {
 public:
  void fill(uint64_t, uint64_t step, const Batch& batch) const override {
    for (size_t b = 0; b < batch.pairs; ++b) {
      const size_t query = (7 * step + 3 * b) % Problem::rows,
                   anchor = (11 * step + 5 * b + 1) % Problem::rows;
      for (size_t c = 0; c < Problem::inputs; ++c) {
        const float at = static_cast<float>(x_.row(anchor)[c]);
        batch.anchor[b * batch.feature_stride + c] = at;
        batch.delta[b * batch.feature_stride + c] = static_cast<float>(x_.row(query)[c]) - at;
      }
      for (size_t k = 0; k < Problem::outputs; ++k)
        batch.target[b * batch.output_stride + k] = static_cast<float>(y_.row(query)[k]);
    }
  }

 private:
  Matrix<double> x_ = training_inputs(), y_ = training_outputs(x_);
};

std::vector<float> fixed_parameters(const Program& program) {
  std::vector<float> parameters;
  int tensor = 0;
  for (const Op& op : program.ops()) {
    if (op.kind != OpKind::dense) continue;
    const int in = program.width(op.from[0]);
    for (int count : {op.width * in, op.width}) {
      for (int j = 0; j < count; ++j)
        parameters.push_back(
            static_cast<float>(0.5 / std::sqrt(in) * std::sin(1.0 + 0.7 * tensor + 0.37 * j)));
      ++tensor;
    }
  }
  return parameters;
}

}  // namespace

Problem::Problem()
    : x_(training_inputs()),
      y_(training_outputs(x_)),
      encoder_(vector_space(), x_, y_, {}, {.inputs = Scaling::none, .outputs = Scaling::none}),
      features_(encoder_.encode_points(x_)),
      outputs_(encoder_.encode_outputs(y_)),
      sampled_({encoder_, x_, features_, outputs_}, PairSampler(rows, SelfPairs::allow)) {}

Program bilinear_program(const Network& network) {
  return find_model("bilinear")
      .program({.features = Problem::inputs, .outputs = Problem::outputs, .context = {}},
               {.layers = network.layers, .width = network.width, .embedding = embedding});
}

double step_flops(const Network& network) {
  const Program program = bilinear_program(network);
  double flops = 0;
  for (const Op& op : program.ops()) {
    if (op.kind != OpKind::dense) continue;
    const double weights = static_cast<double>(op.width) * program.width(op.from[0]);
    flops += (op.from[0] < input_count ? 4 : 6) * static_cast<double>(Problem::batch) * weights;
  }
  return flops;
}

TrainOptions step_options() {
  return {.adam = {.learning_rate = 1e-3}, .loss = Loss::l2, .batch = Problem::batch, .steps = 1};
}

std::vector<double> checked_losses(const Network& network, size_t steps) {
  const Program program = bilinear_program(network);
  const auto engine = make_cpu_engine(program, {0});
  engine->write(0, fixed_parameters(program));
  const FixedPairs pairs;
  Pool pool(1);
  std::vector<double> losses;
  for (size_t s = 0; s < steps; ++s) losses.push_back(engine->train(pairs, step_options(), s, 1, pool)[0]);
  return losses;
}

}  // namespace kedge
