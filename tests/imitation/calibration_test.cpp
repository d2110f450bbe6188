#include "kedge/imitation/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/imitation/point_mass.h"

namespace kedge {
namespace {

double expected(const Policy& policy, double goal) {
  return policy.judge(Matrix<double>(1, 1, std::vector<double>{goal}))[0].expected_error;
}

TEST(PolicyCalibration, holds_out_whole_demonstrations_so_that_a_row_is_not_known_by_its_neighbours) {
  // Within an episode every step is the same; between episodes the action cannot be told from the goal. A
  // row held out alone would be found in its own episode, without any error.
  const auto law = [](double goal, size_t) { return std::sin(1e6 * goal) > 0 ? 1.0 : -1.0; };
  const Demonstrations demonstrations = demonstrations_of(goals_between(1, 2, 60), 10, law);
  PolicyOptions options = quick_policy("replay");
  options.fit.calibration = Calibration::shells;
  const Policy policy = quick_imitation(demonstrations, options);
  EXPECT_EQ(worst_action(policy, demonstrations), 0);
  EXPECT_GT(expected(policy, 1.5), 0.5);
}

TEST(PolicyCalibration, expects_small_errors_inside_and_larger_ones_outside) {
  const auto law = [](double goal, size_t t) { return std::exp(2 * goal) + static_cast<double>(t); };
  const Demonstrations demonstrations = demonstrations_of(goals_between(1, 2, 60), 3, law);
  PolicyOptions options = quick_policy("bilinear", 3000);
  options.fit.calibration = Calibration::shells;
  const Policy policy = quick_imitation(demonstrations, options);
  const double inside = expected(policy, 1.5), near = expected(policy, 2.2), far = expected(policy, 2.8);
  EXPECT_GT(inside, 0);
  EXPECT_GT(near, 2 * inside);
  EXPECT_GT(far, near);
}

TEST(PolicyCalibration, knows_nothing_of_few_demonstrations_or_where_nobody_asked) {
  PolicyOptions options = quick_policy("bilinear", 100);
  const Demonstrations many = point_demonstrations(40), few = point_demonstrations(10);
  EXPECT_TRUE(std::isnan(expected(quick_imitation(many, options), 1.5)));
  EXPECT_EQ(calibration_steps({many, options}), 0u);
  options.fit.calibration = Calibration::shells;
  EXPECT_TRUE(std::isnan(expected(quick_imitation(few, options), 1.5)));
  EXPECT_EQ(calibration_steps({few, options}), 0u);
  EXPECT_TRUE(std::isfinite(expected(quick_imitation(many, options), 1.5)));
  EXPECT_GT(calibration_steps({many, options}), 0u);
}

TEST(PolicyCalibration, errors_are_those_of_actions_in_their_unit) {
  const auto law = [](double goal, size_t) { return std::sin(1e6 * goal) > 0 ? 1.0 : -1.0; };
  const auto larger = [&](double goal, size_t t) { return 1000 * law(goal, t); };
  PolicyOptions options = quick_policy("replay");
  options.fit.calibration = Calibration::shells;
  const Policy small = quick_imitation(demonstrations_of(goals_between(1, 2, 60), 3, law), options);
  const Policy large = quick_imitation(demonstrations_of(goals_between(1, 2, 60), 3, larger), options);
  EXPECT_NEAR(expected(large, 1.5) / expected(small, 1.5), 1000, 1e-6);
}

}  // namespace
}  // namespace kedge
