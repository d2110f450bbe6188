#include "kedge/nn/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "kedge/models/models.h"
#include "kedge/nn/train.h"
#include "tests/nn/random_pairs.h"
#include "tests/nn/reference_program.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double forward_tolerance = 5e-6;
constexpr double orthogonal_tolerance = 1e-6;

constexpr size_t features = 5, outputs = 2;
const TrainOptions options{.adam = {.schedule = Schedule::cosine}, .batch = 13, .steps = 60};
const RandomData source(features, outputs, 13, LossWeights::drawn);

Program program_of(const std::string& model) {
  const Architecture architecture{.layers = 3, .width = 20, .embedding = 7, .fourier = Fourier::on};
  return find_model(model).program({features, outputs, {3, 4}}, architecture);
}

std::vector<std::vector<float>> trained(const std::vector<uint64_t>& seeds, int threads) {
  const auto engine = seeded_engine(program_of("bilinear"), seeds);
  Fleet fleet{engine.get(), {}};
  for (uint64_t seed : seeds) fleet.runs.push_back({source.data(), options, seed});
  // The pairs of a seed are its own only where they are drawn at random.
  const PairSampler sampler(200, SelfPairs::allow);
  for (TrainingRun& run : fleet.runs) {
    run.data.pairs = sampler.tables();
    run.data.pair_weights = {};
  }
  ThreadPool pool(threads);
  train({&fleet, 1}, pool);
  std::vector<std::vector<float>> parameters;
  for (size_t r = 0; r < seeds.size(); ++r) parameters.push_back(engine->read(r));
  return parameters;
}

TEST(Engine, the_same_seed_gives_the_same_parameters_for_any_number_of_threads) {
  const auto one = trained({1, 2, 3, 4, 5, 6}, 1);
  EXPECT_EQ(trained({1, 2, 3, 4, 5, 6}, 2), one);
  EXPECT_EQ(trained({1, 2, 3, 4, 5, 6}, 5), one);
}

TEST(Engine, a_replica_does_not_depend_on_those_beside_it) {
  const auto together = trained({7, 8, 9}, 2);
  for (size_t r = 0; r < 3; ++r) EXPECT_EQ(trained({7 + r}, 1)[0], together[r]);
  EXPECT_NE(together[0], together[1]);
}

TEST(Engine, the_first_parameters_of_a_program_give_the_value_its_prefix_ends_in) {
  const Program program = program_of("bilinear");
  const std::vector<int>& embeddings = program.ops().back().from;
  const std::vector<float> parameters = initial_parameters(program, 4);
  const DrawnPairs rows(source.data(), 9, 1, 0);
  const ForwardInputs inputs{9, rows.query, rows.anchor, rows.delta, rows.anchor_output};
  std::vector<Matrix<float>> embedded;
  for (int value : embeddings) {
    const Program part = program.prefix(value);
    ASSERT_LE(part.parameters(), parameters.size());
    const auto end = parameters.begin() + static_cast<std::ptrdiff_t>(part.parameters());
    Matrix<float> out(9, static_cast<size_t>(part.outputs()));
    make_engine(part, {{parameters.begin(), end}})->forward(0, inputs, out);
    embedded.push_back(std::move(out));
  }
  Matrix<float> whole(9, outputs);
  make_engine(program, {parameters})->forward(0, inputs, whole);
  for (size_t r = 0; r < 9; ++r) {
    for (size_t k = 0; k < outputs; ++k) {
      double sum = 0;
      for (size_t i = 7 * k; i < 7 * (k + 1); ++i)
        sum += static_cast<double>(embedded[0](r, i)) * static_cast<double>(embedded[1](r, i));
      EXPECT_NEAR(static_cast<double>(whole(r, k)), sum, forward_tolerance);
    }
  }
}

TEST(Engine, the_losses_of_a_short_run_are_those_of_its_steps_and_of_a_long_run_means_of_several) {
  const auto one_by_one = seeded_engine(program_of("mlp"), {1}),
             longer = seeded_engine(program_of("mlp"), {1});
  const TrainOptions constant{.batch = 13, .steps = 400};
  const TrainOutcome outcome = train(*longer, 0, {source.data(), constant, 1});
  ASSERT_EQ(outcome.losses.size(), 200u);
  TrainOptions first = constant;
  first.steps = 2;
  const std::vector<double> steps = train(*one_by_one, 0, {source.data(), first, 1}).losses;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_DOUBLE_EQ(outcome.losses[0], (steps[0] + steps[1]) / 2);
}

// Forward inputs of `rows` drawn pairs, their rows in the given order.
struct Rows {
  explicit Rows(size_t rows) : all(source.data(), rows, 11, 0) {}

  Matrix<float> forward(const Engine& engine, const std::vector<size_t>& order) const {
    const auto pick = [&](const Matrix<float>& from) {
      Matrix<float> picked(order.size(), from.cols());
      for (size_t r = 0; r < order.size(); ++r)
        std::copy_n(from.row(order[r]).begin(), from.cols(), picked.row(r).begin());
      return picked;
    };
    const Matrix<float> query = pick(all.query), anchor = pick(all.anchor), delta = pick(all.delta),
                        anchor_output = pick(all.anchor_output);
    Matrix<float> y(order.size(), outputs);
    engine.forward(0, {order.size(), query, anchor, delta, anchor_output}, y);
    return y;
  }

  DrawnPairs all;
};

TEST(Engine, forward_is_the_program_and_the_row_of_an_output_depends_on_no_other_row) {
  constexpr size_t rows = 150;
  const Rows inputs(rows);
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<size_t> shuffled = order;
  Rng rng(12, Stream::noise);
  for (size_t i = rows - 1; i > 0; --i) std::swap(shuffled[i], shuffled[rng.below(i + 1)]);
  for (const Model& model : all_models()) {
    SCOPED_TRACE(model.name);
    const auto engine = seeded_engine(program_of(model.name), {5});
    const std::vector<float> flat = engine->read(0);
    const Matrix<float> bulk = inputs.forward(*engine, order), mixed = inputs.forward(*engine, shuffled);
    for (size_t r = 0; r < rows; ++r) {
      const Matrix<float> alone = inputs.forward(*engine, {r});
      const Numbers exact =
          reference_prediction(engine->program(), {flat.begin(), flat.end()}, inputs.all, r);
      for (size_t k = 0; k < outputs; ++k) {
        EXPECT_EQ(alone(0, k), bulk(r, k));
        EXPECT_NEAR(static_cast<double>(bulk(r, k)), exact[k], forward_tolerance);
      }
      for (size_t k = 0; k < outputs; ++k) EXPECT_EQ(mixed(r, k), bulk(shuffled[r], k));
    }
  }
}

TEST(Engine, a_row_that_is_not_finite_spoils_no_other_row) {
  Rows inputs(40);
  const auto engine = seeded_engine(program_of("bilinear"), {5});
  std::vector<size_t> order(40);
  std::iota(order.begin(), order.end(), size_t{0});
  const Matrix<float> before = inputs.forward(*engine, order);
  inputs.all.delta(17, 2) = std::nanf("");
  const Matrix<float> after = inputs.forward(*engine, order);
  for (size_t r = 0; r < 40; ++r) {
    if (r == 17) {
      EXPECT_TRUE(std::isnan(after(r, 0)));
    } else {
      EXPECT_EQ(after(r, 0), before(r, 0));
    }
  }
}

TEST(Engine, forward_may_be_called_from_many_threads) {
  const Rows inputs(100);
  const auto engine = seeded_engine(program_of("bilinear"), {5});
  std::vector<size_t> order(100);
  std::iota(order.begin(), order.end(), size_t{0});
  const Matrix<float> expected = inputs.forward(*engine, order);
  std::vector<Matrix<float>> found(4);
  std::vector<std::thread> threads;
  for (Matrix<float>& one : found) threads.emplace_back([&] { one = inputs.forward(*engine, order); });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<float>& one : found) EXPECT_EQ(one, expected);
}

TEST(Engine, reads_back_the_parameters_it_was_given) {
  for (const Model& model : all_models()) {
    const auto engine = seeded_engine(program_of(model.name), {1, 2});
    std::vector<float> parameters(engine->program().parameters());
    std::iota(parameters.begin(), parameters.end(), 1.0f);
    const std::vector<float> other = engine->read(0);
    engine->write(1, parameters);
    EXPECT_EQ(engine->read(1), parameters);
    EXPECT_EQ(engine->read(0), other);
  }
}

TEST(Engine, starts_with_the_parameters_of_its_seeds) {
  const Program program = program_of("bilinear");
  const auto engine = seeded_engine(program, {4, 9});
  EXPECT_EQ(engine->read(0), initial_parameters(program, 4));
  EXPECT_EQ(engine->read(1), initial_parameters(program, 9));
  EXPECT_NE(engine->read(0), engine->read(1));
}

TEST(Engine, uniform_parameters_start_within_their_bound_and_fill_it) {
  Program p(100, 50);
  p.dense(Program::input(Input::query), 50, Activation::none, Init::uniform, 3);
  const std::vector<float> parameters = initial_parameters(p, 1);
  ASSERT_EQ(parameters.size(), p.parameters());
  const auto weights_end = parameters.begin() + 5000;
  EXPECT_LE(*std::max_element(parameters.begin(), weights_end), 0.3f);
  EXPECT_GT(*std::max_element(parameters.begin(), weights_end), 0.29f);
  EXPECT_LT(*std::min_element(parameters.begin(), weights_end), -0.29f);
  EXPECT_LE(*std::max_element(weights_end, parameters.end()), 0.1f);
  EXPECT_GT(*std::max_element(weights_end, parameters.end()), 0.08f);
}

TEST(Engine, orthogonal_parameters_have_orthonormal_rows_or_columns_and_no_bias) {
  for (const auto& [in, out] : std::vector<std::pair<int, int>>{{6, 3}, {3, 6}, {5, 5}}) {
    Program p(in, out);
    p.dense(Program::input(Input::query), out, Activation::none, Init::orthogonal, 2);
    const std::vector<float> w = initial_parameters(p, 1);
    const auto at = [&](int o, int i) { return static_cast<double>(w[static_cast<size_t>(o * in + i)]); };
    const bool by_row = out <= in;
    for (int a = 0; a < std::min(in, out); ++a) {
      for (int b = 0; b < std::min(in, out); ++b) {
        double dot = 0;
        for (int i = 0; i < std::max(in, out); ++i) dot += by_row ? at(a, i) * at(b, i) : at(i, a) * at(i, b);
        EXPECT_NEAR(dot, a == b ? 4 : 0, orthogonal_tolerance * 4);
      }
    }
    for (int o = 0; o < out; ++o) EXPECT_EQ(w[static_cast<size_t>(out * in + o)], 0);
  }
}

TEST(Engine, refuses_a_program_that_is_not_lawful) {
  Program p(2, 1);
  p.dense(Program::input(Input::query), 3, Activation::none);
  EXPECT_NE(error_text([&] { seeded_engine(p, {0}); }), "");
  Program unlawful(2, 1);
  unlawful.dense(40, 1, Activation::none);
  EXPECT_NE(error_text([&] { seeded_engine(unlawful, {0}); }), "");
}

}  // namespace
}  // namespace kedge
