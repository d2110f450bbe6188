#include "kedge/jobs/fit_job.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/domains/domain.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;

TEST(FitJob, takes_the_space_of_the_domain) {
  EXPECT_EQ(experiment_options("arm", "default", "bilinear", 0).space, "theta1=angle,theta2=angle");
  EXPECT_EQ(experiment_options("sawtooth", "default", "bilinear", 0).space, "");
}

FitScores scores(const std::vector<double>& in, const std::vector<double>& oos, double in_deviation,
                 double oos_deviation) {
  return {.failed = 0,
          .in = in,
          .oos = oos,
          .in_deviation = in_deviation,
          .oos_deviation = oos_deviation,
          .grid = {},
          .oos_y = {}};
}

TEST(FitJob, errors_are_root_mean_squares_over_the_deviation) {
  const FitScores one = scores({3, 4}, {1, 7}, 2, 10);
  EXPECT_NEAR(one.in_error(), std::sqrt(12.5) / 2, tolerance);
  EXPECT_NEAR(one.oos_error(), 0.5, tolerance);
}

TEST(FitJob, the_training_mean_is_taken_of_each_output_by_itself) {
  const uint64_t seed = 3;
  const FitSpec spec{.domain = "grasp-mug",
                     .options = experiment_options("grasp-mug", "default", "mlp", seed),
                     .train_rows = 40,
                     .test_rows = 6};
  const FitScores found = training_mean_scores(spec);
  const Domain& domain = find_domain(spec.domain);
  const Table train = domain.sample(Split::train, spec.train_rows, seed);
  const Table oos = domain.sample(Split::oos, spec.test_rows, seed);
  ASSERT_EQ(found.in.size(), spec.test_rows);
  ASSERT_EQ(found.oos.size(), spec.test_rows);
  double variance = 0;
  std::vector<double> squares(spec.test_rows);
  for (const std::string& output : train.names(Role::output)) {
    double mean = 0, oos_mean = 0;
    for (double y : train.column(output).values) mean += y / static_cast<double>(spec.train_rows);
    const std::vector<double>& asked = oos.column(output).values;
    for (double y : asked) oos_mean += y / static_cast<double>(spec.test_rows);
    for (size_t row = 0; row < spec.test_rows; ++row) {
      squares[row] += (asked[row] - mean) * (asked[row] - mean);
      variance += (asked[row] - oos_mean) * (asked[row] - oos_mean) / static_cast<double>(spec.test_rows - 1);
    }
  }
  for (size_t row = 0; row < spec.test_rows; ++row)
    EXPECT_NEAR(found.oos[row], std::sqrt(squares[row]), tolerance);
  EXPECT_NEAR(found.oos_deviation, std::sqrt(variance), tolerance);
}

}  // namespace
}  // namespace kedge
