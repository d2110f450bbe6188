// The CUDA engine is held to the CPU engine: the same program, data, seed and options. Run by `make gpu-test`
// on a machine with a device; elsewhere every test is skipped.

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"
#include "kedge/core/score.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"
#include "kedge/pairs/sampler.h"

namespace kedge {
namespace {

// Sums have another order. Adam's first steps take the sign of a gradient, so a difference of one rounding
// turns a step around, and training multiplies it: two trainings on the CPU whose starts are one rounding
// apart differ in up to 4 % of their parameters after five steps. So parameters are compared with an epsilon
// that makes steps proportional to gradients, and the default Adam by the mean of its losses.
constexpr uint64_t few_steps = 1, many_steps = 100;
constexpr double few_tolerance = 1e-6, many_tolerance = 2e-3, loss_tolerance = 0.02;
constexpr AdamOptions smooth = {.learning_rate = 0.002, .epsilon = 0.1};

struct Data {
  Data(size_t rows, size_t features, size_t outputs)
      : x(rows, features), y(rows, outputs), points(rows, features), sampler(rows, SelfPairs::exclude) {
    Rng rng(1, Stream::domain);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t f = 0; f < features; ++f) {
        points(r, f) = rng.uniform(-1, 1);
        x(r, f) = static_cast<float>(points(r, f));
      }
      for (size_t k = 0; k < outputs; ++k)
        y(r, k) = x(r, k % features) * x(r, (k + 1) % features) + 0.3f * x(r, (k + 2) % features);
    }
  }
  TrainingData data() const { return {.rows = {points, x, y, {}}, .pairs = sampler.tables()}; }

  Matrix<float> x, y;
  Matrix<double> points;
  PairSampler sampler;
};

class Parity : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaDevice device = find_cuda_device(); !device.missing.empty()) GTEST_SKIP() << device.missing;
  }
};

std::vector<std::vector<float>> starts(const Program& program, size_t replicas) {
  std::vector<std::vector<float>> parameters;
  for (size_t r = 0; r < replicas; ++r) parameters.push_back(initial_parameters(program, 7 + r));
  return parameters;
}

std::vector<TrainOutcome> trained(Engine& engine, const Data& data, const TrainOptions& options,
                                  size_t first = 0) {
  std::vector<TrainingRun> runs;
  for (size_t r = 0; r < engine.replicas(); ++r) runs.push_back({data.data(), options, first + r});
  std::vector<TrainOutcome> outcomes(runs.size());
  engine.train(
      0, runs, [](size_t, const Progress&) { return true; }, outcomes);
  return outcomes;
}

/// Greatest difference of parameters between two engines.
double difference(const Engine& a, const Engine& b) {
  double most = 0;
  for (size_t r = 0; r < a.replicas(); ++r) {
    const std::vector<float> x = a.read(r), y = b.read(r);
    for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(double{x[i]} - double{y[i]}));
  }
  return most;
}

struct Both {
  std::vector<TrainOutcome> cpu, cuda;
  double difference;  ///< of parameters, the greatest
};

Both train_both(const Program& program, const TrainOptions& options) {
  const Data data(300, 12, 3);
  const auto cpu = make_engine(program, starts(program, 2)),
             cuda = make_cuda_engine(program, starts(program, 2));
  Both both{trained(*cpu, data, options), trained(*cuda, data, options), 0};
  both.difference = difference(*cpu, *cuda);
  return both;
}

/// The greatest difference of a parameter after many steps that are proportional to gradients.
double expect_parity(const Program& program, TrainOptions options, const std::string& what) {
  options.steps = many_steps;
  const Both usual = train_both(program, options);
  for (size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(usual.cuda[r].status, TrainStatus::finished) << what;
    EXPECT_EQ(usual.cuda[r].steps, many_steps) << what;
    const double expected = mean(usual.cpu[r].losses);
    EXPECT_NEAR(mean(usual.cuda[r].losses), expected, loss_tolerance * expected) << what;
  }
  options.adam.learning_rate = smooth.learning_rate;
  options.adam.epsilon = smooth.epsilon;
  const double after_many = train_both(program, options).difference;
  options.steps = few_steps;
  EXPECT_LE(train_both(program, options).difference, few_tolerance) << what;
  EXPECT_LE(after_many, many_tolerance) << what;
  return after_many;
}

TEST_F(Parity, every_trained_model_learns_what_it_learns_on_the_cpu) {
  double most = 0;
  for (const Model& model : all_models()) {
    if (!model.is_trained()) continue;
    for (Fourier fourier : {Fourier::off, Fourier::on})
      for (Predicts predicts : {Predicts::value, Predicts::change})
        for (const auto& [width, batch] :
             std::vector<std::pair<int, size_t>>{{32, 32}, {32, 20}, {150, 32}, {150, 20}, {150, 70}}) {
          const Architecture architecture{
              .layers = 3, .width = width, .embedding = 32, .fourier = fourier, .predicts = predicts};
          const Program program =
              model.program({.features = 12, .outputs = 3, .context = {0, 1}}, architecture);
          most = std::max(most, expect_parity(program, {.batch = batch},
                                              model.name + " of width " + std::to_string(width) + ", batch " +
                                                  std::to_string(batch)));
        }
  }
  RecordProperty("greatest_difference_after_100_steps", std::to_string(most));
  std::printf("greatest difference of a parameter after %d steps: %.2g\n", int{many_steps}, most);
}

TEST_F(Parity, odd_sizes_losses_and_decay_are_those_of_the_cpu) {
  for (int width : {7, 33, 100})
    for (Loss loss : {Loss::mse, Loss::l2}) {
      const Program program =
          find_model("bilinear").program({12, 3, {}}, {.layers = 2, .width = width, .embedding = 5});
      expect_parity(program,
                    {.adam = {.weight_decay = 0.01, .schedule = Schedule::cosine},
                     .loss = loss,
                     .batch = 9,
                     .steps = 60},
                    "width " + std::to_string(width));
    }
}

TEST_F(Parity, the_same_run_gives_the_same_bits_whatever_runs_beside_it) {
  const Data data(300, 12, 3);
  for (int width : {32, 512}) {
    const Program program =
        find_model("bilinear").program({12, 3, {}}, {.layers = 3, .width = width, .embedding = 32});
    const TrainOptions options{.batch = 32, .steps = 300};
    const auto many = make_cuda_engine(program, starts(program, 5)),
               alone = make_cuda_engine(program, starts(program, 1));
    trained(*many, data, options);
    trained(*alone, data, options);
    EXPECT_EQ(many->read(0), alone->read(0)) << width;
  }
}

TEST_F(Parity, a_run_that_diverges_ends_alone) {
  const Data data(300, 12, 3);
  const Program program = find_model("mlp").program({12, 3, {}}, {.layers = 3, .width = 32});
  const auto engine = make_cuda_engine(program, starts(program, 2));
  const TrainOptions good{.batch = 32, .steps = 200};
  TrainOptions bad = good;
  bad.adam.learning_rate = 1e30;
  const std::vector<TrainingRun> runs = {{data.data(), bad, 0}, {data.data(), good, 1}};
  std::vector<TrainOutcome> outcomes(2);
  engine->train(
      0, runs, [](size_t, const Progress&) { return true; }, outcomes);
  EXPECT_EQ(outcomes[0].status, TrainStatus::diverged);
  EXPECT_EQ(outcomes[1].status, TrainStatus::finished);
}

}  // namespace
}  // namespace kedge
