// The gradient law, for every op, activation and loss: the engine's gradient is the slope of the loss.
//
// The engine hands out no gradients, so they are read off one step of Adam: without moments (beta 0) and with
// an epsilon far above any gradient, a step moves each parameter by exactly -(learning rate / epsilon) g. The
// slope is taken by central differences of a reference in double.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kedge/core/rng.h"
#include "kedge/nn/engine.h"
#include "tests/nn/op_cases.h"
#include "tests/nn/random_pairs.h"
#include "tests/nn/reference_program.h"

namespace kedge {
namespace {

constexpr double gradient_tolerance = 5e-6;  // relative to the largest gradient of the program, or to 1
constexpr double loss_tolerance = 2e-6;
constexpr double difference_step = 1e-5;
constexpr double move_per_gradient = 1024;  // so that what a parameter was before is lost in its rounding
constexpr double large_epsilon = 1e12;

struct Measured {
  double loss;
  Numbers parameters, gradient;
};

// One step of the engine from random parameters.
Measured measure(const Program& program, const TrainingData& data, Loss loss, size_t batch, uint64_t seed) {
  std::vector<float> start(program.parameters());
  Rng rng(seed, Stream::parameters, 77);
  for (float& p : start) p = static_cast<float>(rng.uniform(-0.8, 0.8));
  const auto engine = make_engine(program, {start});
  const TrainOptions options{.adam = {.learning_rate = move_per_gradient * large_epsilon,
                                      .beta1 = 0,
                                      .beta2 = 0,
                                      .epsilon = large_epsilon},
                             .loss = loss,
                             .batch = batch,
                             .steps = 1};
  Measured found{train(*engine, 0, {data, options, seed}).losses.at(0), {start.begin(), start.end()}, {}};
  const std::vector<float> after = engine->read(0);
  for (size_t p = 0; p < start.size(); ++p)
    found.gradient.push_back((static_cast<double>(start[p]) - static_cast<double>(after[p])) /
                             move_per_gradient);
  return found;
}

// Checks every `stride`-th parameter.
void check_gradient(const Program& program, Loss loss, size_t batch, LossWeights weights, size_t stride = 1) {
  program.check();
  constexpr uint64_t seed = 5;
  const size_t in = static_cast<size_t>(program.features()), out = static_cast<size_t>(program.outputs());
  const RandomData data(in, out, batch, weights);
  const Measured found = measure(program, data.data(), loss, batch, seed);
  const DrawnPairs pairs(data.data(), batch, seed, 0);
  const double exact = reference_loss(program, found.parameters, pairs, loss);
  EXPECT_NEAR(found.loss, exact, loss_tolerance * std::max(1.0, exact));
  double largest = 1;
  for (double g : found.gradient) largest = std::max(largest, std::abs(g));
  Numbers moved = found.parameters;
  for (size_t p = 0; p < moved.size(); p += stride) {
    moved[p] = found.parameters[p] + difference_step;
    const double above = reference_loss(program, moved, pairs, loss);
    moved[p] = found.parameters[p] - difference_step;
    const double below = reference_loss(program, moved, pairs, loss);
    moved[p] = found.parameters[p];
    ASSERT_NEAR(found.gradient[p], (above - below) / (2 * difference_step), gradient_tolerance * largest)
        << "parameter " << p << " of " << moved.size() << ", batch " << batch;
  }
}

class OpGradient : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Laws, OpGradient, testing::ValuesIn(op_cases),
                         [](const auto& c) { return c.param.name; });

TEST_P(OpGradient, is_the_slope_of_the_loss) {
  for (Loss loss : {Loss::mse, Loss::l2})
    for (size_t batch : {1u, 7u, 16u, 33u})
      check_gradient(between_dense_ops(GetParam(), Readers::the_op_alone), loss, batch, LossWeights::equal);
}

TEST_P(OpGradient, adds_up_with_that_of_other_readers_of_the_same_value) {
  for (Readers readers : {Readers::another_after_it, Readers::another_before_it})
    check_gradient(between_dense_ops(GetParam(), readers), Loss::mse, 19, LossWeights::equal);
}

TEST_P(OpGradient, counts_each_pair_by_its_weight) {
  for (Loss loss : {Loss::mse, Loss::l2})
    check_gradient(between_dense_ops(GetParam(), Readers::the_op_alone), loss, 21, LossWeights::drawn);
}

TEST(OpGradient, is_right_where_an_op_is_the_last) {
  Program p(op_features, op_outputs);
  const int f = p.dense(delta_input(), 6, Activation::none);
  const int g = p.dense(Program::input(Input::anchor), 6, Activation::none);
  p.add(p.bilinear(f, g, op_outputs), Program::input(Input::anchor_output));
  check_gradient(p, Loss::l2, 10, LossWeights::drawn);
}

TEST(OpGradient, is_right_where_weights_are_updated_in_several_blocks) {
  Program p(op_features, op_outputs);
  const int wide = p.dense(query_input(), 300, Activation::sin_pi);
  p.dense(p.dense(wide, 130, Activation::relu), op_outputs, Activation::none);
  check_gradient(p, Loss::mse, 5, LossWeights::equal, 211);
}

TEST(OpGradient, is_right_for_widths_around_multiples_of_sixteen_and_256) {
  for (int width : {15, 16, 17, 255, 256, 257}) {
    Program p(op_features, op_outputs);
    p.dense(p.dense(query_input(), width, Activation::relu), op_outputs, Activation::none);
    check_gradient(p, Loss::mse, 18, LossWeights::equal, 13);
  }
}

TEST(OpGradient, is_right_for_numbers_of_outputs_around_256) {
  for (int many : {15, 16, 17, 256, 257}) {
    Program p(op_features, many);
    const int f = p.dense(query_input(), many, Activation::none);
    p.add(f, Program::input(Input::anchor_output));
    check_gradient(p, Loss::mse, 17, LossWeights::drawn, 101);
  }
}

TEST(OpGradient, of_an_op_that_nothing_reads_is_zero) {
  Program p(op_features, op_outputs);
  const int v = p.dense(query_input(), op_hidden, Activation::none);
  p.quadratic(p.dense(v, op_hidden, Activation::sin_pi));
  p.dense(v, op_outputs, Activation::none);
  check_gradient(p, Loss::mse, 9, LossWeights::equal);
}

TEST(OpGradient, of_shared_parameters_is_right_where_they_are_many) {
  Program p(op_features, op_outputs);
  const int one = p.dense(query_input(), 300, Activation::sin_pi);
  const int two = p.dense_like(one, Program::input(Input::anchor), Activation::sin_pi);
  p.dense(p.dense(p.subtract(one, two), 130, Activation::relu), op_outputs, Activation::none);
  check_gradient(p, Loss::mse, 5, LossWeights::equal, 211);
}

TEST(OpGradient, of_the_l2_loss_is_zero_and_not_nan_where_the_error_is_zero) {
  Program p(op_features, op_outputs);
  p.dense(query_input(), op_outputs, Activation::none);
  const std::vector<float> zero(p.parameters());
  const auto engine = make_engine(p, {zero});
  RandomData perfect(op_features, op_outputs, 5, LossWeights::equal);
  perfect.outputs() = Matrix<float>(perfect.outputs().rows(), op_outputs);
  const TrainingRun run{perfect.data(), {.loss = Loss::l2, .batch = 5, .steps = 1}};
  EXPECT_EQ(train(*engine, 0, run).losses.at(0), 0);
  EXPECT_EQ(engine->read(0), zero);
}

}  // namespace
}  // namespace kedge
