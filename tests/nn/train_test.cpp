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

const RandomPairs source(3, 2, PairWeights::equal);

TEST(Train, runs_every_step_once_and_reports_rising_steps) {
  const auto engine = make_cpu_engine(small_program(), {1}), direct = make_cpu_engine(small_program(), {1});
  Pool pool(1);
  const TrainOptions options{.batch = 8, .steps = 613};
  uint64_t last = 0;
  const TrainOutcome outcome = train(*engine, source, options, pool, [&](const Progress& p) {
    EXPECT_GT(p.step, last);
    EXPECT_EQ(p.steps, 613u);
    EXPECT_TRUE(std::isfinite(p.loss));
    last = p.step;
    return true;
  });
  EXPECT_EQ(outcome.status, TrainStatus::finished);
  EXPECT_EQ(outcome.steps, 613u);
  EXPECT_EQ(last, 613u);
  direct->train(source, options, 0, 613, pool);
  EXPECT_EQ(engine->read(0), direct->read(0));
}

TEST(Train, stopped_leaves_the_best_parameters_until_then) {
  const auto engine = make_cpu_engine(small_program(), {1, 2});
  Pool pool(2);
  std::vector<double> losses;
  std::vector<std::vector<float>> first, second;
  const TrainOutcome outcome =
      train(*engine, source, {.batch = 4, .steps = 100}, pool, [&](const Progress& p) {
        losses.push_back(p.loss);
        first.push_back(engine->read(0));
        second.push_back(engine->read(1));
        return losses.size() < 40;
      });
  EXPECT_EQ(outcome.status, TrainStatus::stopped);
  EXPECT_EQ(outcome.steps, 40u);
  EXPECT_EQ(outcome.losses, losses);
  const size_t best = static_cast<size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
  ASSERT_NE(best, 39u) << "the best chunk must not be the last, or nothing is tested";
  EXPECT_EQ(engine->read(0), first[best]);
  EXPECT_EQ(engine->read(1), second[best]);
}

// Good pairs until a step, then targets that are not numbers.
class SpoiledPairs : public PairSource {
 public:
  explicit SpoiledPairs(uint64_t from) : from_(from) {}
  void fill(uint64_t seed, uint64_t step, const Batch& batch) const override {
    source.fill(seed, step, batch);
    if (step >= from_) batch.target[0] = std::nanf("");
  }

 private:
  uint64_t from_;
};

TEST(Train, diverged_leaves_the_best_parameters_before_that) {
  const auto engine = make_cpu_engine(small_program(), {1});
  Pool pool(1);
  std::vector<double> losses;
  std::vector<std::vector<float>> seen;
  const TrainOutcome outcome =
      train(*engine, SpoiledPairs(30), {.batch = 4, .steps = 100}, pool, [&](const Progress& p) {
        losses.push_back(p.loss);
        seen.push_back(engine->read(0));
        return true;
      });
  EXPECT_EQ(outcome.status, TrainStatus::diverged);
  EXPECT_EQ(outcome.steps, 30u);
  ASSERT_EQ(losses.size(), 30u);
  const size_t best = static_cast<size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
  EXPECT_EQ(engine->read(0), seen[best]);
}

TEST(Train, diverged_at_once_leaves_the_starting_parameters) {
  const auto engine = make_cpu_engine(small_program(), {1});
  const std::vector<float> start = engine->read(0);
  Pool pool(1);
  const TrainOutcome outcome = train(*engine, SpoiledPairs(0), {.batch = 4, .steps = 10}, pool, {});
  EXPECT_EQ(outcome.status, TrainStatus::diverged);
  EXPECT_EQ(outcome.steps, 0u);
  EXPECT_EQ(engine->read(0), start);
}

// A finite loss whose gradient overflows.
class SteepPairs : public PairSource {
 public:
  void fill(uint64_t, uint64_t, const Batch& batch) const override {
    batch.query[0] = 1e25f;
    batch.target[0] = 1;
    batch.weight[0] = 1e25f;
  }
};

TEST(Train, parameters_that_are_not_finite_are_never_the_best) {
  Program p(1, 1);
  p.dense(Program::input(Input::query), 1, Activation::none);
  for (uint64_t steps : {1u, 5u}) {
    const auto engine = make_cpu_engine(p, {1});
    engine->write(0, {0, 0});
    Pool pool(1);
    const TrainOutcome outcome =
        train(*engine, SteepPairs(), {.loss = Loss::l2, .batch = 1, .steps = steps}, pool, {});
    EXPECT_EQ(outcome.status, TrainStatus::diverged);
    EXPECT_EQ(engine->read(0), (std::vector<float>{0, 0}));
  }
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
