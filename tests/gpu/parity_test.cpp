// The CUDA engine is held to the CPU engine: the same program, data, seed and options. Run by `make gpu-test`
// on a machine with a device, and by `make test` on the emulated one.

#include <gtest/gtest.h>

#include "kedge/models/models.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"
#include "tests/gpu/parity.h"

namespace kedge {
namespace {

bool is_emulated() { return find_cuda_device().name == "emulated"; }

class Parity : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaDevice device = find_cuda_device(); !device.missing.empty()) GTEST_SKIP() << device.missing;
  }
};

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

/// Every trained model in all forms of a device that it may take.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Model& model : all_models()) {
    if (!model.is_trained()) continue;
    if (is_emulated()) {
      all.insert(all.end(), {{model.name, Fourier::off, Predicts::value, 32, 32},
                             {model.name, Fourier::off, Predicts::change, 32, 20},
                             {model.name, Fourier::on, Predicts::change, 32, 32},
                             {model.name, Fourier::off, Predicts::change, 20, 48},
                             {model.name, Fourier::off, Predicts::change, 70, 32},
                             {model.name, Fourier::off, Predicts::value, 40, 70}});
      continue;
    }
    for (Fourier fourier : {Fourier::off, Fourier::on})
      for (Predicts predicts : {Predicts::value, Predicts::change})
        for (int width : {32, 150}) {
          all.push_back({model.name, fourier, predicts, width, 32});
          all.push_back({model.name, fourier, predicts, width, 20});
          all.push_back({model.name, fourier, predicts, width, width > 32 ? size_t{70} : 48});
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

TEST_F(Parity, products_of_many_outputs_and_of_any_rank_are_those_of_the_cpu) {
  for (const auto& [outputs, rank] : {std::pair{7, 40}, {3, 37}})
    expect_parity(small_product(outputs, rank),
                  {.batch = 20, .steps = is_emulated() ? many_emulated_steps : many_steps},
                  std::to_string(outputs) + " outputs, rank " + std::to_string(rank));
}

TEST_F(Parity, a_run_of_two_launches_goes_on_where_the_first_one_ended) {
  constexpr uint64_t steps = 300;  // a launch ends at step 250
  const Both both = train_both(small_product(3, 8), {.adam = smooth, .batch = 8, .steps = steps});
  EXPECT_LE(both.difference, many_tolerance / 20) << "lost moments of Adam make more";
  EXPECT_EQ(both.cuda[0].steps, steps);
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
