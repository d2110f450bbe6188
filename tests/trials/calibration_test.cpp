#include "kedge/trials/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/score.h"
#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

/// A curve that neither a line nor a parabola is.
double curve(double x) { return std::exp(-x); }

Table sampled(double low, double high, size_t rows) {
  std::vector<double> x, y;
  for (size_t r = 0; r < rows; ++r) {
    x.push_back(low + (high - low) * static_cast<double>(r) / static_cast<double>(rows - 1));
    y.push_back(curve(x.back()));
  }
  Table table("curve");
  table.add(column("x", Role::input, x));
  table.add(column("y", Role::output, y));
  return table;
}

TEST(Calibration, of_a_closed_form_foresees_that_errors_grow_with_the_width_it_was_fitted_on) {
  for (const char* model : {"linear", "quadratic"}) {
    FitOptions options;
    options.model = model;
    options.calibration = Calibration::shells;
    const Table table = sampled(0, 2, 100), beyond = sampled(2.1, 3, 20);
    const Predictor predictor = fit({table, options}).predictor;
    const Predictions found = predictor.predict(beyond);
    const double truth = mean(distances(found.y, beyond.matrix({"y"})));
    const double ratio = truth / mean(found.expected_error);
    constexpr double most = 1.6, least = 0.5;
    EXPECT_LT(ratio, most) << model;
    EXPECT_GT(ratio, least) << model;
  }
}

TEST(Calibration, of_a_model_without_differences_expects_some_error_however_far_a_query_lies) {
  for (const char* model : {"mlp", "linear", "nearest"}) {
    FitOptions options = quick_options(model);
    options.calibration = Calibration::shells;
    const Predictor predictor = fit({training_table(40), options}).predictor;
    const Matrix<double> far(1, 3, {1000, 10, 1});
    const Predictions found = predictor.predict(far);
    EXPECT_EQ(found.verdict[0], Verdict::unreachable) << model;
    EXPECT_TRUE(std::isfinite(found.expected_error[0])) << model;
  }
}

TEST(Calibration, tries_closed_forms_at_more_depths_and_every_fraction_leaves_rows) {
  EXPECT_GT(closed_form_trials().size(), calibration_trials().size());
  for (const auto& trials : {closed_form_trials(), calibration_trials()}) {
    for (const CalibrationTrial& trial : trials) {
      EXPECT_GT(trial.rehearsal.fraction, 0);
      EXPECT_LT(trial.rehearsal.fraction, 1);
    }
  }
}

}  // namespace
}  // namespace kedge
