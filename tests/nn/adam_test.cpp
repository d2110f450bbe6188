#include "kedge/nn/adam.h"

#include <gtest/gtest.h>

#include "kedge/nn/train.h"
#include "tests/nn/random_pairs.h"

namespace kedge {
namespace {

TEST(Adam, decays_in_proportion_to_the_learning_rate_of_the_step) {
  const AdamOptions options{.learning_rate = 0.01, .weight_decay = 0.5, .schedule = Schedule::cosine};
  EXPECT_DOUBLE_EQ(adam_constants(options, 0, 100).decay, 0.005);
  EXPECT_DOUBLE_EQ(adam_constants(options, 50, 100).decay, 0.0025);
  EXPECT_EQ(adam_constants({}, 50, 100).decay, 0);
}

TEST(Adam, with_weight_decay_ends_at_smaller_parameters) {
  const RandomData data(3, 2, 8, LossWeights::equal);
  Program program(3, 2);
  program.dense(Program::input(Input::query), 2, Activation::none);
  const auto squares = [&](double weight_decay) {
    const auto engine = seeded_engine(program, {1});
    const AdamOptions adam{.learning_rate = 0.01, .weight_decay = weight_decay};
    train(*engine, 0, {data.data(), {.adam = adam, .batch = 8, .steps = 400}, 1});
    float sum = 0;
    for (float p : engine->read(0)) sum += p * p;
    return sum;
  };
  EXPECT_LT(squares(2), 0.8f * squares(0));
}

}  // namespace
}  // namespace kedge
