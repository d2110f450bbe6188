#include "kedge/nn/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/nn/random_pairs.h"

namespace kedge {
namespace {

Program small_program() {
  Program p(3, 2);
  p.dense(p.dense(Program::input(Input::query), 8, Activation::relu), 2, Activation::none);
  return p;
}

TEST(Train, runs_every_step_once_and_reports_rising_steps) {
  const RandomData data(3, 2, 8, LossWeights::equal);
  const auto engine = seeded_engine(small_program(), {1});
  uint64_t last = 0;
  const TrainOutcome outcome =
      train(*engine, 0, {data.data(), {.batch = 8, .steps = 613}, 1}, [&](const Progress& p) {
        EXPECT_GT(p.step, last);
        EXPECT_EQ(p.steps, 613u);
        EXPECT_TRUE(std::isfinite(p.loss));
        last = p.step;
        return true;
      });
  EXPECT_EQ(outcome.status, TrainStatus::finished);
  EXPECT_EQ(outcome.steps, 613u);
  EXPECT_EQ(last, 613u);
  EXPECT_EQ(outcome.loss, outcome.losses.back());
}

/// Loss of parameters on what a stopped run is measured on: 8 batches of the stream of evaluation.
double measured_loss(const Program& program, const std::vector<float>& parameters, const TrainingData& data,
                     size_t batch) {
  TrainingData measured = data;
  measured.pairs.stream = Stream::evaluation;
  // A rate of 0 moves nothing, so the losses of eight steps are those of the parameters.
  const auto engine = make_engine(program, {parameters});
  const TrainOptions still{.adam = {.learning_rate = 0}, .batch = batch, .steps = 8};
  const TrainOutcome outcome = train(*engine, 0, {measured, still, 1});
  double sum = 0;
  for (double loss : outcome.losses) sum += loss;
  return sum / 8;
}

TEST(Train, stopped_leaves_the_best_parameters_until_then_under_the_loss_they_have) {
  const RandomData data(3, 2, 4, LossWeights::equal);
  const auto engine = seeded_engine(small_program(), {1});
  std::vector<std::vector<float>> seen;
  // A rate at which the loss goes up and down; reports at every fourth step, measures at every 250th.
  const TrainingRun run{data.data(), {.adam = {.learning_rate = 0.3}, .batch = 4, .steps = 800}, 1};
  const TrainOutcome outcome = train(*engine, 0, run, [&](const Progress& p) {
    seen.push_back(engine->read(0));
    return p.step < 600;
  });
  EXPECT_EQ(outcome.status, TrainStatus::stopped);
  EXPECT_EQ(outcome.steps, 600u);
  const std::vector<size_t> measured = {252 / 4 - 1, 504 / 4 - 1, 600 / 4 - 1};
  std::vector<double> losses;
  for (size_t at : measured) losses.push_back(measured_loss(engine->program(), seen[at], run.data, 4));
  const size_t best = static_cast<size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
  ASSERT_NE(best + 1, losses.size()) << "the best must not be the last, or nothing is tested";
  EXPECT_EQ(engine->read(0), seen[measured[best]]);
  EXPECT_NEAR(outcome.loss, losses[best], 1e-12);
}

/// Good pairs until a step, then a target that is not a number.
struct SpoiledData {
  explicit SpoiledData(size_t good_steps) : points(2, 1), features(2, 3, 0.5f), outputs(2, 2, 1.0f) {
    outputs(1, 0) = std::nanf("");
    std::vector<Pair> list(4 * good_steps, Pair{0, 0});
    list.resize(4 * 400, Pair{1, 1});
    sampler = PairSampler::in_order(2, std::move(list), 4);
  }
  TrainingData data() const {
    return {.rows = {.points = points, .features = features, .outputs = outputs, .curved = {}},
            .pairs = sampler.tables()};
  }
  Matrix<double> points;
  Matrix<float> features, outputs;
  PairSampler sampler{1, SelfPairs::allow};
};

TEST(Train, diverged_leaves_the_best_parameters_before_that) {
  const SpoiledData data(320);
  const auto engine = seeded_engine(small_program(), {1});
  std::vector<std::vector<float>> seen;
  const TrainOutcome outcome =
      train(*engine, 0, {data.data(), {.batch = 4, .steps = 399}, 1}, [&](const Progress&) {
        seen.push_back(engine->read(0));
        return true;
      });
  EXPECT_EQ(outcome.status, TrainStatus::diverged);
  EXPECT_EQ(outcome.steps, 320u);
  ASSERT_EQ(seen.size(), 320u);
  EXPECT_EQ(engine->read(0), seen[249]);
  EXPECT_TRUE(std::isfinite(outcome.loss));
}

TEST(Train, diverged_at_once_leaves_the_starting_parameters) {
  const SpoiledData data(0);
  const auto engine = seeded_engine(small_program(), {1});
  const std::vector<float> start = engine->read(0);
  const TrainOutcome outcome = train(*engine, 0, {data.data(), {.batch = 4, .steps = 10}, 1});
  EXPECT_EQ(outcome.status, TrainStatus::diverged);
  EXPECT_EQ(outcome.steps, 0u);
  EXPECT_TRUE(std::isnan(outcome.loss));
  EXPECT_EQ(engine->read(0), start);
}

TEST(Train, parameters_that_are_not_finite_are_never_the_best) {
  Program p(1, 1);
  p.dense(Program::input(Input::query), 1, Activation::none);
  // A finite loss whose gradient overflows.
  const Matrix<double> points(1, 1);
  const Matrix<float> features(1, 1, 1e25f), outputs(1, 1, 1.0f);
  const std::vector<float> weights = {1e25f};
  const PairSampler sampler = PairSampler::in_order(1, {{0, 0}}, 1);
  for (uint64_t steps : {1u, 5u}) {
    const auto engine = make_engine(p, {{0, 0}});
    const TrainingRun run{
        .data = {.rows = {.points = points, .features = features, .outputs = outputs, .curved = {}},
                 .pairs = sampler.tables(),
                 .pair_weights = weights},
        .options = {.loss = Loss::l2, .batch = 1, .steps = steps}};
    EXPECT_EQ(train(*engine, 0, run).status, TrainStatus::diverged);
    EXPECT_EQ(engine->read(0), (std::vector<float>{0, 0}));
  }
}

TEST(Train, a_wide_program_is_asked_after_few_steps) {
  const auto longest_wait = [](int width) {
    Program p(3, 2);
    p.dense(p.dense(p.dense(Program::input(Input::query), width, Activation::relu), width, Activation::relu),
            2, Activation::none);
    const RandomData data(3, 2, 32, LossWeights::equal);
    const auto engine = seeded_engine(p, {1});
    uint64_t last = 0, longest = 0;
    // A hundred steps for each loss.
    train(*engine, 0, {data.data(), {.batch = 32, .steps = 20000}, 1}, [&](const Progress& progress) {
      longest = std::max(longest, progress.step - last);
      last = progress.step;
      return progress.step < 100;
    });
    return longest;
  };
  EXPECT_EQ(longest_wait(8), 100u);
  // 1.05 million parameters times 40: the 32 pairs, and Adam as eight more. 23 steps are one thousand
  // million.
  EXPECT_EQ(longest_wait(1024), 23u);
}

TEST(TrainingRecord, gives_the_same_losses_however_often_it_reports) {
  const TrainOptions options{.batch = 56, .steps = 2005};  // ten steps for each loss
  const auto outcome_of = [&](size_t parameters, uint64_t wait, auto next) {
    TrainingRecord record(options, parameters);
    std::vector<uint64_t> checkpoints;
    while (const uint64_t count = (record.*next)()) {
      EXPECT_LE(count, wait);
      std::vector<double> losses;
      for (uint64_t t = record.done(); t < record.done() + count; ++t)
        losses.push_back(1 / (static_cast<double>(t) + 3));
      record.add(losses);
      if (!record.is_checkpoint()) continue;
      checkpoints.push_back(record.done());
      record.measure(1, true);
    }
    EXPECT_EQ(checkpoints, (std::vector<uint64_t>{250, 500, 750, 1000, 1250, 1500, 1750, 2000}));
    return record.finish(true);
  };
  const TrainOutcome narrow = outcome_of(10, 10, &TrainingRecord::next),
                     wide = outcome_of(5'000'000, 3, &TrainingRecord::next),
                     on_device = outcome_of(10, 250, &TrainingRecord::next_on_device);
  EXPECT_EQ(wide.losses, narrow.losses);
  EXPECT_EQ(wide.loss, narrow.loss);
  EXPECT_EQ(on_device.losses, narrow.losses);
  EXPECT_EQ(on_device.loss, narrow.loss);
  EXPECT_EQ(wide.losses.size(), 201u);
  EXPECT_EQ(wide.steps, 2005u);
}

TEST(Fleet, that_is_stopped_before_it_begins_is_left_as_it_was) {
  const RandomData data(3, 2, 8, LossWeights::equal);
  const auto engine = seeded_engine(small_program(), {1, 2});
  const std::vector<float> start = engine->read(1);
  const TrainingRun run{data.data(), {.batch = 8, .steps = 100}, 1};
  Fleet fleet{engine.get(), {run, run}};
  ThreadPool pool(1);
  train({&fleet, 1}, pool,
        {.progress = [](size_t, size_t which, const Progress& p) { return which == 0 || p.step > 0; }});
  EXPECT_EQ(fleet.outcomes[0].status, TrainStatus::finished);
  EXPECT_EQ(fleet.outcomes[1].status, TrainStatus::stopped);
  EXPECT_EQ(fleet.outcomes[1].steps, 0u);
  EXPECT_EQ(engine->read(1), start);
}

TEST(Fleet, runs_of_different_data_options_and_seeds_are_those_of_engines_of_their_own) {
  const Program program = small_program();
  std::vector<RandomData> data;
  for (uint64_t seed : {3u, 4u, 5u}) data.emplace_back(3, 2, 8, LossWeights::drawn, seed);
  const SpoiledData spoiled(7);
  const std::vector<TrainingRun> runs = {
      {data[0].data(), {.batch = 8, .steps = 90}, 1},
      {data[1].data(), {.adam = {.learning_rate = 0.01}, .loss = Loss::mse, .batch = 8, .steps = 250}, 2},
      {spoiled.data(), {.batch = 4, .steps = 50}, 3},
      {data[2].data(), {.adam = {.schedule = Schedule::cosine}, .batch = 3, .steps = 40}, 4}};
  for (int threads : {1, 3}) {
    const auto engine = seeded_engine(program, {1, 2, 3, 4});
    Fleet fleet{engine.get(), runs};
    ThreadPool pool(threads);
    train({&fleet, 1}, pool);
    for (size_t r = 0; r < runs.size(); ++r) {
      const auto alone = seeded_engine(program, {r + 1});
      const TrainOutcome outcome = train(*alone, 0, runs[r]);
      EXPECT_EQ(engine->read(r), alone->read(0));
      EXPECT_EQ(fleet.outcomes[r].status, r == 2 ? TrainStatus::diverged : TrainStatus::finished);
      EXPECT_EQ(fleet.outcomes[r].losses, outcome.losses);
    }
  }
}

TEST(Fleet, one_run_can_be_stopped_alone) {
  const RandomData data(3, 2, 8, LossWeights::equal);
  const auto engine = seeded_engine(small_program(), {1, 2});
  const TrainingRun run{data.data(), {.batch = 8, .steps = 100}, 1};
  Fleet fleet{engine.get(), {run, run}};
  ThreadPool pool(2);
  std::vector<size_t> ended;
  std::mutex mutex;
  const auto progress = [](size_t, size_t which, const Progress& p) { return which == 0 || p.step < 20; };
  const auto on_end = [&](size_t, size_t which) {
    const std::lock_guard lock(mutex);
    ended.push_back(which);
  };
  train({&fleet, 1}, pool, {.progress = progress, .ended = on_end});
  EXPECT_EQ(fleet.outcomes[0].status, TrainStatus::finished);
  EXPECT_EQ(fleet.outcomes[1].status, TrainStatus::stopped);
  EXPECT_EQ(fleet.outcomes[1].steps, 20u);
  std::sort(ended.begin(), ended.end());
  EXPECT_EQ(ended, (std::vector<size_t>{0, 1}));
}

TEST(Train, cosine_falls_from_the_full_rate_to_zero) {
  const AdamOptions constant{.learning_rate = 0.5},
      cosine{.learning_rate = 0.5, .schedule = Schedule::cosine};
  EXPECT_EQ(learning_rate(constant, 70, 100), 0.5);
  EXPECT_EQ(learning_rate(cosine, 0, 100), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(cosine, 50, 100), 0.25);
  EXPECT_NEAR(learning_rate(cosine, 100, 100), 0, 1e-15);
  for (uint64_t t = 1; t <= 100; ++t)
    EXPECT_LT(learning_rate(cosine, t, 100), learning_rate(cosine, t - 1, 100));
}

}  // namespace
}  // namespace kedge
