#include "kedge/trials/budget.h"

#include <gtest/gtest.h>

#include "kedge/predictor/sizes.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

FitOptions open_options() {
  FitOptions options = preset_options("default", "bilinear");
  options.space = curved_space;
  return options;
}

TEST(Budget, times_are_read_with_their_unit) {
  EXPECT_EQ(parse_duration("60s"), 60);
  EXPECT_EQ(parse_duration("5m"), 300);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  for (const std::string text :
       {"", "s", "60", "-5m", "0s", "1e3s", "1.2.3s", "5 m", "nans", "2d", "9999999h"})
    EXPECT_NE(error_text([&] { parse_duration(text); }).find("90s, 5m or 1.5h; found \"" + text + '"'),
              std::string::npos)
        << text;
}

TEST(Budget, steps_fill_the_time_and_follow_the_pace) {
  const Table table = training_table();
  const FitRequest request{table, open_options()};
  const auto steps = [&](double seconds, const Pace& pace) {
    return static_cast<double>(options_within(request, seconds, pace).training.steps);
  };
  const Pace one{.seconds = 1, .threads = 1}, slow{.seconds = 2, .threads = 1};
  EXPECT_GT(steps(4, one), 1.8 * steps(2, one));
  EXPECT_NEAR(steps(4, one) / steps(8, slow), 1, 0.05);
  EXPECT_EQ(steps(1e-3, one), fewest_budget_steps);
}

TEST(Budget, the_time_is_about_what_was_given) {
  const Table table = training_table();
  for (double seconds : {2.0, 5.0, 60.0, 900.0}) {
    for (int threads : {1, 2, 16}) {
      const Pace pace{.seconds = 1.3, .threads = threads};
      const FitOptions o = options_within({table, open_options()}, seconds, pace);
      const double fit = seconds_of_fit({table, o}, pace);
      EXPECT_LE(fit, seconds) << threads;
      EXPECT_GE(fit, 0.5 * seconds) << threads;
    }
  }
}

TEST(Budget, much_time_buys_replicas_too_and_little_time_keeps_them) {
  const Table table = training_table();
  const Pace pace{.seconds = 1, .threads = 2};
  const FitRequest request{table, open_options()};
  const double usual = seconds_of_fit(request, pace);
  EXPECT_EQ(options_within(request, usual / 4, pace).replicas, request.options.replicas);
  const FitOptions much = options_within(request, 20 * usual, pace);
  EXPECT_GT(much.replicas, request.options.replicas);
  EXPECT_GT(much.training.steps, request.options.training.steps);
}

TEST(Budget, sizes_that_are_given_stay) {
  const Table table = training_table();
  FitOptions options = open_options();
  options.open.steps = options.open.replicas = false;
  options.training.steps = 77;
  const FitOptions o = options_within({table, options}, 1000, {.seconds = 1, .threads = 2});
  EXPECT_EQ(o.training.steps, 77u);
  EXPECT_EQ(o.replicas, options.replicas);
}

TEST(Budget, twice_the_steps_follow_a_power_law) {
  const std::vector<InsideError> halving = {{100, 0.8}, {200, 0.4}, {400, 0.2}};
  EXPECT_NEAR(*error_of_twice(halving), 0.5, 1e-12);
  const std::vector<InsideError> rising = {{100, 0.2}, {200, 0.3}};
  EXPECT_EQ(error_of_twice(rising), 1);
  const std::vector<InsideError> one = {{100, 0.2}};
  EXPECT_FALSE(error_of_twice(one));
  const std::vector<InsideError> perfect = {{100, 0.2}, {200, 0}};
  EXPECT_FALSE(error_of_twice(perfect));
  const std::vector<InsideError> same = {{100, 0.2}, {100, 0.1}};
  EXPECT_FALSE(error_of_twice(same));
}

TEST(Budget, a_fit_within_it_is_the_fit_with_the_same_sizes) {
  const Table table = training_table();
  FitOptions options = open_options();
  options.architecture.fourier = Fourier::off;
  options.pool = 200;
  const BudgetedFit fitted = fit_within({table, options}, 0.01);
  EXPECT_EQ(fitted.plan.options.training.steps, fewest_budget_steps);
  EXPECT_EQ(fitted.plan.trials.size(), 3u);
  EXPECT_EQ(to_json(fitted.result.predictor.options()), to_json(fitted.plan.options));
  FitOptions same_sizes = options;
  same_sizes.training.steps = fitted.plan.options.training.steps;
  same_sizes.replicas = fitted.plan.options.replicas;
  const Matrix<double> queries = query_rows(10);
  EXPECT_TRUE(
      same(fitted.result.predictor.predict(queries), fit({table, same_sizes}).predictor.predict(queries)));
}

TEST(Budget, a_closed_form_has_none) {
  const Table table = training_table();
  FitOptions options = open_options();
  options.model = "ridge";
  EXPECT_NE(error_text([&] { fit_within({table, options}, 1); }).find("ridge"), std::string::npos);
}

}  // namespace
}  // namespace kedge
