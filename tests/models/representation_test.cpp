// A learned representation in twenty lines: h = <f(phi(x) - phi(x')), g(phi(x'))>, phi the same network for
// query and anchor. Not in the list of models: it shows what programs can say.

#include <gtest/gtest.h>

#include "kedge/models/layers.h"
#include "tests/nn/random_pairs.h"

namespace kedge {
namespace {

constexpr double float_tolerance = 1e-5;

Program representation(const Shape& shape, const Architecture& a) {
  Program p(shape.features, shape.outputs);
  const int hidden = p.dense(Program::input(Input::query), a.width, Activation::relu);
  const int query = p.dense(hidden, a.embedding, Activation::none);
  const int anchor_hidden = p.dense_like(hidden, Program::input(Input::anchor), Activation::relu);
  const int anchor = p.dense_like(query, anchor_hidden, Activation::none);
  const int size = shape.outputs * a.embedding;
  const int f = network(p, p.subtract(query, anchor), a.layers, size, a, Init::uniform);
  const int g = network(p, anchor, a.layers, size, a, Init::uniform);
  p.bilinear(f, g, shape.outputs);
  return p;
}

const Shape shape{3, 2, {}};
const Architecture architecture{.layers = 2, .width = 16, .embedding = 6};

TEST(Representation, has_one_set_of_parameters_for_query_and_anchor_and_survives_json) {
  const Program program = representation(shape, architecture);
  program.check();
  const size_t phi = 16 * (3 + 1) + 6 * (16 + 1), heads = 2 * (16 * (6 + 1) + 12 * (16 + 1));
  EXPECT_EQ(program.parameters(), phi + heads);
  EXPECT_EQ(Program::from_json(program.to_json()), program);
}

TEST(Representation, of_a_query_that_is_its_own_anchor_has_a_difference_of_zero) {
  const Program program = representation(shape, architecture);
  const auto engine = seeded_engine(program, {1});
  // f reads the difference alone: at equal query and anchor it is the same for all rows.
  const Program difference = program.prefix(program.ops().back().from[0]);
  std::vector<float> parameters = engine->read(0);
  parameters.resize(difference.parameters());
  const RandomData data(3, 2, 8, LossWeights::equal);
  const DrawnPairs rows(data.data(), 8, 1, 0);
  Matrix<float> f(8, 12);
  make_engine(difference, {parameters})
      ->forward(0, {8, rows.query, rows.query, rows.delta, rows.anchor_output}, f);
  for (size_t r = 1; r < 8; ++r)
    for (size_t c = 0; c < 12; ++c) EXPECT_NEAR(f(r, c), f(0, c), float_tolerance);
}

TEST(Representation, is_trained_like_any_program) {
  const auto engine = seeded_engine(representation(shape, architecture), {1});
  RandomData data(3, 2, 32, LossWeights::equal);
  for (size_t r = 0; r < data.outputs().rows(); ++r) {
    const auto x = data.features().row(r);
    data.outputs()(r, 0) = x[0] + x[1] * x[2];
    data.outputs()(r, 1) = x[0] - x[2];
  }
  const TrainOutcome outcome = train(
      *engine, 0, {data.data(), {.adam = {.learning_rate = 3e-3}, .loss = Loss::mse, .steps = 4000}, 1});
  ASSERT_EQ(outcome.status, TrainStatus::finished);
  EXPECT_LT(outcome.losses.back(), 0.05 * outcome.losses.front());
}

}  // namespace
}  // namespace kedge
