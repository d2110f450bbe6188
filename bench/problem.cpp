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
PairSampler fixed_pairs(size_t steps) {
  std::vector<Pair> list;
  for (size_t step = 0; step < steps; ++step)
    for (size_t b = 0; b < Problem::batch; ++b)
      list.push_back({static_cast<uint32_t>((7 * step + 3 * b) % Problem::rows),
                      static_cast<uint32_t>((11 * step + 5 * b + 1) % Problem::rows)});
  return PairSampler::in_order(Problem::rows, std::move(list), Problem::batch);
}

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
      sampler_(rows, SelfPairs::allow) {}

TrainingData Problem::data() const {
  return {.rows = {x_, features_, outputs_, encoder_.curved()}, .pairs = sampler_.tables()};
}

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

TrainOptions step_options(uint64_t steps) {
  return {.adam = {.learning_rate = 1e-3}, .loss = Loss::l2, .batch = Problem::batch, .steps = steps};
}

std::vector<double> checked_losses(const Network& network, size_t steps, const EngineMaker& make) {
  const Program program = bilinear_program(network);
  const auto engine = make(program, {fixed_parameters(program)});
  const Problem problem;
  const PairSampler pairs = fixed_pairs(steps);
  TrainingData data = problem.data();
  data.pairs = pairs.tables();
  return train(*engine, 0, {data, step_options(steps)}).losses;
}

}  // namespace kedge
