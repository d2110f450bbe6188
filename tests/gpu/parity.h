#pragma once

// How a device is held to the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kedge/core/score.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/nn/train.h"
#include "tests/gpu/training_data.h"

namespace kedge {

// Sums have another order. Adam's first steps take the sign of a gradient, so a difference of one rounding
// turns a step around, and training multiplies it: two trainings on the CPU whose starts are one rounding
// apart differ in up to 4 % of their parameters after five steps. So parameters are compared with an epsilon
// that makes steps proportional to gradients, and the default Adam by the mean of its losses.
inline constexpr uint64_t few_steps = 1, many_steps = 100, many_emulated_steps = 25;
inline constexpr double few_tolerance = 1e-6, many_tolerance = 2e-3, loss_tolerance = 0.02;
inline constexpr AdamOptions smooth = {.learning_rate = 0.002, .epsilon = 0.1};

/// Greatest difference of parameters between two engines.
inline double difference(const Engine& a, const Engine& b) {
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

inline Both train_both(const Program& program, const TrainOptions& options) {
  const DrawnTable data(300, 12, program.outputs());
  const auto cpu = make_engine(program, starts(program, 2)),
             cuda = make_cuda_engine(program, starts(program, 2));
  Both both{train_all(*cpu, data, options), train_all(*cuda, data, options), 0};
  both.difference = difference(*cpu, *cuda);
  return both;
}

/// The greatest difference of a parameter after many steps that are proportional to gradients.
inline double expect_parity(const Program& program, TrainOptions options, const std::string& what) {
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

}  // namespace kedge
