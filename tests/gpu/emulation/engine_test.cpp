// What only an emulated device can show: the engine waits wherever it has to, reads nothing that was not
// written, and goes on with less memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "block.h"
#include "kedge/jobs/sweep_job.h"
#include "kedge/models/models.h"
#include "kedge/nn/device_chains.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"
#include "kedge/predictor/sizes.h"
#include "tests/gpu/parity.h"
#include "tests/gpu/training_data.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

using emulation::Copies;
using emulation::Order;

struct EmulatedEngine : testing::Test {
  void TearDown() override { emulation::device() = {}; }
};

Program program_of(const std::string& model, int width, Fourier fourier = Fourier::on) {
  return find_model(model).program(
      {.features = 12, .outputs = 3, .context = {0, 1}},
      {.layers = 3, .width = width, .embedding = 32, .fourier = fourier, .predicts = Predicts::change});
}

struct Trained {
  std::vector<std::vector<float>> parameters;
  std::vector<TrainOutcome> outcomes;
};

Trained trained(const Program& program, size_t replicas, const TrainOptions& options) {
  const DrawnTable data(300, 12, program.outputs());
  const auto engine = make_cuda_engine(program, starts(program, replicas));
  Trained result;
  result.outcomes = train_all(*engine, data, options);
  for (size_t r = 0; r < replicas; ++r) result.parameters.push_back(engine->read(r));
  return result;
}

struct Case {
  Program program;
  size_t batch;
  std::string name;
};

/// A model in all forms that it may take. Chains are of models without a Fourier layer.
std::vector<Case> cases_of(const std::string& model) {
  std::vector<Case> cases;
  const auto add = [&](Fourier fourier, int width, size_t batch) {
    cases.push_back({program_of(model, width, fourier), batch,
                     model + ", width " + std::to_string(width) + ", batch " + std::to_string(batch)});
  };
  for (const auto& [width, batch] : {std::pair<int, size_t>{32, 20}, {70, 32}, {40, 70}})
    add(Fourier::on, width, batch);
  if (chains_of(cases[0].program).empty()) return cases;
  for (const auto& [width, batch] : {std::pair<int, size_t>{32, 20}, {32, 48}, {16, 64}})
    add(Fourier::off, width, batch);
  return cases;
}

TEST_F(EmulatedEngine, a_step_reads_only_what_was_written) {
  for (const Model& model : all_models()) {
    if (!model.is_trained()) continue;
    for (const auto& [program, batch, name] : cases_of(model.name)) {
      emulation::device() = {.order = Order::backward, .copies = Copies::late};
      const Trained one = trained(program, 1, {.batch = batch, .steps = 1});
      const std::vector<float>& parameters = one.parameters[0];
      EXPECT_TRUE(std::all_of(parameters.begin(), parameters.end(), [](float x) { return std::isfinite(x); }))
          << name;
      EXPECT_EQ(one.outcomes[0].status, TrainStatus::finished);
    }
  }
}

void expect_same_bits(const Case& of, int architecture = 90) {
  const TrainOptions options{.batch = of.batch, .steps = 3};
  emulation::device() = {.architecture = architecture};
  const Trained expected = trained(of.program, 1, options);
  for (Order order : {Order::backward, Order::shuffled})
    for (Copies copies : {Copies::early, Copies::late}) {
      emulation::device() = {.architecture = architecture, .order = order, .copies = copies};
      EXPECT_EQ(trained(of.program, 1, options).parameters, expected.parameters) << of.name;
    }
}

TEST_F(EmulatedEngine, neither_the_order_of_threads_nor_the_time_of_copies_changes_a_bit) {
  for (const Model& model : all_models())
    if (model.is_trained())
      for (const Case& one : cases_of(model.name)) expect_same_bits(one);
  expect_same_bits({program_of("bilinear", 16, Fourier::off), 20, "bilinear without clusters"}, 80);
}

struct Launches {
  size_t all, clusters;
};

Launches launches_of(const Program& program, size_t batch, uint64_t steps, int architecture = 90) {
  emulation::device() = {.architecture = architecture};
  const size_t before = emulation::device().launches_left;
  EXPECT_EQ(trained(program, 1, {.batch = batch, .steps = steps}).outcomes[0].status, TrainStatus::finished);
  return {before - emulation::device().launches_left, emulation::device().clusters};
}

TEST_F(EmulatedEngine, trains_products_of_two_small_networks_by_clusters_and_others_without) {
  const auto clusters_of = [](const Program& program, size_t batch, int architecture = 90) {
    return launches_of(program, batch, 1, architecture).clusters;
  };
  const Program small = program_of("bilinear", 32, Fourier::off);
  EXPECT_GT(clusters_of(small, 20), 0u);
  EXPECT_GT(clusters_of(small, 64), 0u);
  for (const auto& [outputs, rank] : {std::pair{3, 8}, {3, 37}, {7, 40}})
    EXPECT_GT(clusters_of(small_product(outputs, rank), 20), 0u) << outputs << " outputs, rank " << rank;
  EXPECT_EQ(clusters_of(small, 65), 0u) << "more pairs than a block takes";
  EXPECT_EQ(clusters_of(program_of("bilinear", 70, Fourier::off), 20), 0u)
      << "more weights than a block takes";
  EXPECT_EQ(clusters_of(program_of("mlp", 32, Fourier::off), 20), 0u) << "a plain network";
  EXPECT_EQ(clusters_of(small, 20, 80), 0u) << "a device without clusters";
}

TEST_F(EmulatedEngine, products_learn_what_they_learn_on_the_cpu_in_blocks_without_clusters_too) {
  const Program program = program_of("bilinear", 16, Fourier::off);
  for (size_t batch : {20, 32}) {
    EXPECT_EQ(launches_of(program, batch, 1, 80).all, launches_of(program, batch, 3, 80).all)
        << "a launch is not a phase of a step";
    expect_parity(program, {.batch = batch, .steps = many_emulated_steps}, "without clusters");
    EXPECT_EQ(emulation::device().clusters, 0u);
  }
}

/// Lets one training begin when the other is about to launch its first kernel, which then waits for its end.
class OneInsideTheOther {
 public:
  OneInsideTheOther() {
    emulation::device().before_launch = [this] {
      if (std::this_thread::get_id() != outer_ || began_.exchange(true)) return;
      begins_.set_value();
      ended_.get_future().wait();
    };
  }

  template <class Outer, class Inner>
  void run(const Outer& outer, const Inner& inner) {
    outer_ = std::this_thread::get_id();
    std::thread other([&] {
      begins_.get_future().wait();
      EXPECT_NO_THROW(inner());
      ended_.set_value();
    });
    EXPECT_NO_THROW(outer());
    if (!began_.exchange(true)) begins_.set_value();
    other.join();
  }

 private:
  std::thread::id outer_;
  std::atomic<bool> began_ = false;
  std::promise<void> begins_, ended_;
};

TEST_F(EmulatedEngine, programs_of_different_size_are_trained_by_two_threads_side_by_side) {
  const TrainOptions options{.batch = 32, .steps = 2};
  // Both fit into the shared memory of a block.
  const Program large = find_model("bilinear").program({12, 3, {}}, {.layers = 3, .width = 32}),
                small = find_model("mlp").program({12, 3, {}}, {.layers = 2, .width = 8});
  const Trained large_alone = trained(large, 1, options), small_alone = trained(small, 1, options);
  Trained large_beside, small_beside;
  OneInsideTheOther both;
  both.run([&] { large_beside = trained(large, 1, options); },
           [&] { small_beside = trained(small, 1, options); });
  EXPECT_EQ(large_beside.parameters, large_alone.parameters);
  EXPECT_EQ(small_beside.parameters, small_alone.parameters);
}

TEST_F(EmulatedEngine, with_less_memory_trains_fewer_at_a_time_to_the_same_bits_and_says_it) {
  const TrainOptions options{.batch = 32, .steps = 4};
  for (int width : {16, 70}) {
    emulation::device() = {};
    const Program program = program_of("bilinear", width);
    const Trained expected = trained(program, 5, options);
    EXPECT_EQ(emulation::device().used, 0u) << "all is given back";
    EXPECT_EQ(expected.outcomes[0].at_once, 0u);
    emulation::device().memory = emulation::device().most_used / 2;
    const Trained fewer = trained(program, 5, options);
    EXPECT_EQ(fewer.parameters, expected.parameters);
    EXPECT_GT(emulation::device().refused, 0u);
    EXPECT_EQ(emulation::device().used, 0u);
    for (const TrainOutcome& outcome : fewer.outcomes) {
      EXPECT_GT(outcome.at_once, 0u);
      EXPECT_LT(outcome.at_once, 5u);
      EXPECT_EQ(outcome.status, TrainStatus::finished);
    }
  }
}

TEST_F(EmulatedEngine, memory_for_no_run_at_all_is_one_clear_line) {
  emulation::device().memory = 1000;
  const std::string text = error_text([&] { trained(program_of("bilinear", 32), 3, {.steps = 5}); });
  EXPECT_NE(text.find("needs more memory on the device; found: memory: out of memory; train on the CPU"),
            std::string::npos)
      << text;
}

TEST_F(EmulatedEngine, a_fit_says_how_many_networks_its_memory_held) {
  const Table table = training_table();
  FitOptions options = quick_options("bilinear");
  options.replicas = 4;
  const FitResult all = fit_model({table, options}, {.device = Device::cuda});
  EXPECT_EQ(all.trained_on->at_once, 0u);
  emulation::device().memory = emulation::device().most_used * 3 / 4;
  const FitResult fewer = fit_model({table, options}, {.device = Device::cuda});
  EXPECT_EQ(fewer.trained_on->at_once, 2u);
  EXPECT_EQ(fewer.predictor.to_bytes(), all.predictor.to_bytes());
}

TEST_F(EmulatedEngine, rehearsals_of_a_sweep_are_trained_on_it) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 1;
  const Table table = training_table();
  const SweepTrial trial{sweep_table(table), sized(options, table), {.models = {"bilinear"}}, Device::cuda};
  const std::vector<Job> jobs = sweep_jobs(trial);
  const JobOptions how{.threads = 2, .device = {Device::cuda, "emulated"}};
  const ModelScore score = sweep_result(trial, JobResults(jobs, run_jobs(jobs, how)));
  EXPECT_GT(emulation::device().most_used, 0u);
  for (const ShellScore& shell : score.shells) EXPECT_EQ(shell.failure, "");
  const CrossValidation cv =
      cross_validate(*trial.table.rows, trial.options, trial.how, {.threads = 1, .device = Device::cuda});
  EXPECT_EQ(score.out.mean, cv.score("bilinear").out.mean);
}

void expect_to_stop_alone(const Program& program) {
  const DrawnTable data(300, 12, 3);
  const auto engine = make_cuda_engine(program, starts(program, 2)),
             whole = make_cuda_engine(program, starts(program, 2));
  const TrainOptions options{.batch = 8, .steps = 600};
  std::vector<TrainingRun> runs = {{data.data(), options, 0}, {data.data(), options, 1}};
  std::vector<TrainOutcome> outcomes(2);
  engine->train(
      0, runs, [](size_t run, const Progress&) { return run > 0; }, outcomes);
  train_all(*whole, data, options);
  EXPECT_EQ(outcomes[0].status, TrainStatus::stopped);
  EXPECT_LT(outcomes[0].steps, 600u);
  EXPECT_TRUE(std::isfinite(outcomes[0].loss));
  EXPECT_EQ(outcomes[1].status, TrainStatus::finished);
  EXPECT_EQ(engine->read(1), whole->read(1));
  EXPECT_NE(engine->read(0), whole->read(0));
}

TEST_F(EmulatedEngine, a_stopped_run_ends_alone_with_its_best_parameters) {
  expect_to_stop_alone(find_model("mlp").program({12, 3, {}}, {.layers = 2, .width = 8}));
  expect_to_stop_alone(small_product(3, 8));
}

TEST_F(EmulatedEngine, a_driver_that_is_missing_or_too_old_is_told_as_such) {
  emulation::device().driver = 0;
  EXPECT_EQ(find_cuda_device().missing,
            "found no CUDA device, as there is no driver of one; train on the CPU");
  emulation::device().driver = 12040;
  EXPECT_EQ(find_cuda_device().missing,
            "found a driver of CUDA 12.4, and this kedge needs one of 13.0; update the driver, or train on "
            "the CPU");
}

TEST_F(EmulatedEngine, without_a_device_nothing_begins_and_one_line_says_it) {
  emulation::device().is_there = false;
  const Table table = training_table();
  const std::string text = error_text([&] {
    fit_model({table, quick_options("bilinear")}, {.device = Device::cuda});
  });
  EXPECT_NE(text.find("needs a CUDA device; found no CUDA device; train on the CPU"), std::string::npos)
      << text;
  EXPECT_EQ(fit_model({table, quick_options("bilinear")}, {.device = Device::automatic}).trained_on,
            UsedDevice{});
}

}  // namespace
}  // namespace kedge
