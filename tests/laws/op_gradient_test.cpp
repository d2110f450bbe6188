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
#include "tests/nn/random_pairs.h"
#include "tests/nn/reference_program.h"

namespace kedge {
namespace {

constexpr double gradient_tolerance = 5e-6;  // relative to the largest gradient of the program, or to 1
constexpr double loss_tolerance = 2e-6;
constexpr double difference_step = 1e-5;
constexpr double move_per_gradient = 1024;  // so that what a parameter was before is lost in its rounding
constexpr double large_epsilon = 1e12;

constexpr int features = 3, outputs = 2, hidden = 4;

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

int query() { return Program::input(Input::query); }
int delta() { return Program::input(Input::delta); }

// The op of a case over v, a value with a gradient of `hidden` numbers; w is another such value.
struct OpCase {
  std::string name;
  int (*append)(Program& p, int v, int w);
};

const std::vector<OpCase> cases = {
    {"dense", [](Program& p, int v, int) { return p.dense(v, 5, Activation::none); }},
    {"dense_relu", [](Program& p, int v, int) { return p.dense(v, 5, Activation::relu); }},
    {"dense_sin_pi", [](Program& p, int v, int) { return p.dense(v, 5, Activation::sin_pi); }},
    {"add", [](Program& p, int v, int w) { return p.add(v, w); }},
    {"subtract", [](Program& p, int v, int w) { return p.subtract(v, w); }},
    {"subtract_the_other_way", [](Program& p, int v, int w) { return p.subtract(w, v); }},
    {"subtract_from_itself", [](Program& p, int v, int) { return p.subtract(v, v); }},
    {"subtract_input",
     [](Program& p, int v, int) { return p.subtract(v, p.concat(delta(), p.select(query(), {1}))); }},
    {"dense_shared",
     [](Program& p, int v, int w) {
       const int one = p.dense(v, 5, Activation::relu);
       return p.subtract(one, p.dense_like(one, w, Activation::sin_pi));
     }},
    {"dense_shared_by_three_over_one_value",
     [](Program& p, int v, int w) {
       const int one = p.dense(v, 5, Activation::none);
       return p.add(p.dense_like(one, v, Activation::sin_pi), p.dense_like(one, w, Activation::relu));
     }},
    {"dense_shared_behind_itself",
     [](Program& p, int v, int) {
       const int one = p.dense(v, hidden, Activation::sin_pi);
       return p.dense_like(one, one, Activation::none);
     }},
    {"add_to_itself", [](Program& p, int v, int) { return p.add(v, v); }},
    {"add_input", [](Program& p, int v, int) { return p.add(v, p.concat(delta(), p.select(query(), {1}))); }},
    {"concat", [](Program& p, int v, int w) { return p.concat(v, w); }},
    {"concat_with_itself", [](Program& p, int v, int) { return p.concat(v, v); }},
    {"concat_behind_input", [](Program& p, int v, int) { return p.concat(delta(), v); }},
    {"concat_before_input", [](Program& p, int v, int) { return p.concat(v, delta()); }},
    {"select_with_repeats",
     [](Program& p, int v, int) {
       return p.select(v, {3, 0, 3, 3, 1});
     }},
    {"bilinear", [](Program& p, int v, int w) { return p.bilinear(v, w, 2); }},
    {"bilinear_of_rank_1", [](Program& p, int v, int w) { return p.bilinear(v, w, hidden); }},
    {"bilinear_with_itself", [](Program& p, int v, int) { return p.bilinear(v, v, 2); }},
    {"bilinear_with_input",
     [](Program& p, int v, int) { return p.bilinear(v, p.concat(delta(), p.select(query(), {0})), 2); }},
    {"bilinear_behind_input",
     [](Program& p, int v, int) { return p.bilinear(p.concat(delta(), p.select(query(), {0})), v, 2); }},
    {"quadratic", [](Program& p, int v, int) { return p.quadratic(v); }},
};

enum class Readers { the_op_alone, another_after_it, another_before_it };

// dense -> op -> dense; with another reader of v, whose gradient then is a sum, in either order.
Program between_dense_ops(const OpCase& c, Readers readers) {
  Program p(features, outputs);
  const int v = p.dense(query(), hidden, Activation::sin_pi);
  const int w = p.dense(delta(), hidden, Activation::none);
  if (readers == Readers::the_op_alone) {
    p.dense(c.append(p, v, w), outputs, Activation::none);
  } else if (readers == Readers::another_after_it) {
    const int u = c.append(p, v, w);
    p.dense(p.concat(u, p.bilinear(v, w, 1)), outputs, Activation::none);
  } else {
    const int other = p.bilinear(w, v, 1);
    p.dense(p.concat(c.append(p, v, w), other), outputs, Activation::none);
  }
  return p;
}

class OpGradient : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Laws, OpGradient, testing::ValuesIn(cases),
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
  Program p(features, outputs);
  const int f = p.dense(delta(), 6, Activation::none);
  const int g = p.dense(Program::input(Input::anchor), 6, Activation::none);
  p.add(p.bilinear(f, g, outputs), Program::input(Input::anchor_output));
  check_gradient(p, Loss::l2, 10, LossWeights::drawn);
}

TEST(OpGradient, is_right_where_weights_are_updated_in_several_blocks) {
  Program p(features, outputs);
  const int wide = p.dense(query(), 300, Activation::sin_pi);
  p.dense(p.dense(wide, 130, Activation::relu), outputs, Activation::none);
  check_gradient(p, Loss::mse, 5, LossWeights::equal, 211);
}

TEST(OpGradient, is_right_for_widths_around_multiples_of_sixteen_and_256) {
  for (int width : {15, 16, 17, 255, 256, 257}) {
    Program p(features, outputs);
    p.dense(p.dense(query(), width, Activation::relu), outputs, Activation::none);
    check_gradient(p, Loss::mse, 18, LossWeights::equal, 13);
  }
}

TEST(OpGradient, is_right_for_numbers_of_outputs_around_256) {
  for (int many : {15, 16, 17, 256, 257}) {
    Program p(features, many);
    const int f = p.dense(query(), many, Activation::none);
    p.add(f, Program::input(Input::anchor_output));
    check_gradient(p, Loss::mse, 17, LossWeights::drawn, 101);
  }
}

TEST(OpGradient, of_an_op_that_nothing_reads_is_zero) {
  Program p(features, outputs);
  const int v = p.dense(query(), hidden, Activation::none);
  p.quadratic(p.dense(v, hidden, Activation::sin_pi));
  p.dense(v, outputs, Activation::none);
  check_gradient(p, Loss::mse, 9, LossWeights::equal);
}

TEST(OpGradient, of_shared_parameters_is_right_where_they_are_many) {
  Program p(features, outputs);
  const int one = p.dense(query(), 300, Activation::sin_pi);
  const int two = p.dense_like(one, Program::input(Input::anchor), Activation::sin_pi);
  p.dense(p.dense(p.subtract(one, two), 130, Activation::relu), outputs, Activation::none);
  check_gradient(p, Loss::mse, 5, LossWeights::equal, 211);
}

TEST(OpGradient, of_the_l2_loss_is_zero_and_not_nan_where_the_error_is_zero) {
  Program p(features, outputs);
  p.dense(query(), outputs, Activation::none);
  const std::vector<float> zero(p.parameters());
  const auto engine = make_engine(p, {zero});
  RandomData perfect(features, outputs, 5, LossWeights::equal);
  perfect.outputs() = Matrix<float>(perfect.outputs().rows(), outputs);
  const TrainingRun run{perfect.data(), {.loss = Loss::l2, .batch = 5, .steps = 1}};
  EXPECT_EQ(train(*engine, 0, run).losses.at(0), 0);
  EXPECT_EQ(engine->read(0), zero);
}

}  // namespace
}  // namespace kedge
