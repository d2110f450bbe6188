// The CUDA engine is held to the CPU engine: the same program, data, seed and options. Run by `make gpu-test`
// on a machine with a device, and by `make test` on the emulated one.

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/score.h"
#include "kedge/models/models.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"
#include "tests/gpu/training_data.h"

namespace kedge {
namespace {

// Sums have another order. Adam's first steps take the sign of a gradient, so a difference of one rounding
// turns a step around, and training multiplies it: two trainings on the CPU whose starts are one rounding
// apart differ in up to 4 % of their parameters after five steps. So parameters are compared with an epsilon
// that makes steps proportional to gradients, and the default Adam by the mean of its losses.
constexpr uint64_t few_steps = 1, many_steps = 100, many_emulated_steps = 25;
constexpr double few_tolerance = 1e-6, many_tolerance = 2e-3, loss_tolerance = 0.02;
constexpr AdamOptions smooth = {.learning_rate = 0.002, .epsilon = 0.1};

bool is_emulated() { return find_cuda_device().name == "emulated"; }

class Parity : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaDevice device = find_cuda_device(); !device.missing.empty()) GTEST_SKIP() << device.missing;
  }
};

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
  const DrawnTable data(300, 12, 3);
  const auto cpu = make_engine(program, starts(program, 2)),
             cuda = make_cuda_engine(program, starts(program, 2));
  Both both{train_all(*cpu, data, options), train_all(*cuda, data, options), 0};
  both.difference = difference(*cpu, *cuda);
  return both;
}

/// The greatest difference of a parameter after many steps that are proportional to gradients.
double expect_parity(const Program& program, TrainOptions options, const std::string& what) {
  const Both usual = train_both(program, options);
  for (size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(usual.cuda[r].status, TrainStatus::finished) << what;
    EXPECT_EQ(usual.cuda[r].steps, options.steps) << what;
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

struct Case {
  std::string model;
  Fourier fourier = Fourier::on;
  Predicts predicts = Predicts::change;
  int width = 32;
  size_t batch = 32;
};

void PrintTo(const Case& c, std::ostream* to) {
  *to << c.model << (c.fourier == Fourier::on ? ", fourier" : "")
      << (c.predicts == Predicts::change ? ", change" : "") << ", width " << c.width << ", batch " << c.batch;
}

/// Every trained model in both forms of a device, of which wide networks and those with a Fourier layer take
/// the whole device.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Model& model : all_models()) {
    if (!model.is_trained()) continue;
    if (is_emulated()) {
      all.insert(all.end(), {{model.name, Fourier::off, Predicts::value, 32, 32},
                             {model.name, Fourier::off, Predicts::change, 32, 20},
                             {model.name, Fourier::on, Predicts::change, 32, 32},
                             {model.name, Fourier::off, Predicts::change, 70, 32},
                             {model.name, Fourier::off, Predicts::value, 40, 70}});
      continue;
    }
    for (Fourier fourier : {Fourier::off, Fourier::on})
      for (Predicts predicts : {Predicts::value, Predicts::change})
        for (int width : {32, 150}) {
          all.push_back({model.name, fourier, predicts, width, 32});
          all.push_back({model.name, fourier, predicts, width, 20});
          if (width > 32) all.push_back({model.name, fourier, predicts, width, 70});
        }
  }
  return all;
}

class ModelParity : public Parity, public testing::WithParamInterface<Case> {};

TEST_P(ModelParity, a_model_learns_what_it_learns_on_the_cpu) {
  const Case& c = GetParam();
  const Architecture architecture{
      .layers = 3, .width = c.width, .embedding = 32, .fourier = c.fourier, .predicts = c.predicts};
  const Program program =
      find_model(c.model).program({.features = 12, .outputs = 3, .context = {0, 1}}, architecture);
  const bool is_quick = !is_emulated() || (c.fourier == Fourier::off && c.width == 32);
  const uint64_t steps = is_quick ? many_steps : many_emulated_steps;
  const double difference =
      expect_parity(program, {.batch = c.batch, .steps = steps}, testing::PrintToString(c));
  std::printf("%s: greatest difference of a parameter after %d steps: %.2g\n",
              testing::PrintToString(c).c_str(), static_cast<int>(steps), difference);
}

INSTANTIATE_TEST_SUITE_P(All, ModelParity, testing::ValuesIn(cases()));

TEST_F(Parity, odd_sizes_losses_and_decay_are_those_of_the_cpu) {
  for (int width : {7, 33, 100})
    for (Loss loss : {Loss::mse, Loss::l2}) {
      const Program program =
          find_model("bilinear").program({12, 3, {}}, {.layers = 2, .width = width, .embedding = 5});
      expect_parity(program,
                    {.adam = {.weight_decay = 0.01, .schedule = Schedule::cosine},
                     .loss = loss,
                     .batch = 9,
                     .steps = is_emulated() ? many_emulated_steps : many_steps},
                    "width " + std::to_string(width));
    }
}

TEST_F(Parity, the_same_run_gives_the_same_bits_whatever_runs_beside_it) {
  const DrawnTable data(300, 12, 3);
  for (int width : {32, is_emulated() ? 70 : 512}) {
    const Program program =
        find_model("bilinear").program({12, 3, {}}, {.layers = 3, .width = width, .embedding = 32});
    const TrainOptions options{.batch = 32, .steps = is_emulated() ? uint64_t{10} : 300};
    const auto many = make_cuda_engine(program, starts(program, 5)),
               alone = make_cuda_engine(program, starts(program, 1));
    train_all(*many, data, options);
    train_all(*alone, data, options);
    EXPECT_EQ(many->read(0), alone->read(0)) << width;
  }
}

TEST_F(Parity, a_run_that_diverges_ends_alone) {
  const DrawnTable data(300, 12, 3);
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
