#include "kedge/predictor/validation.h"

#include <gtest/gtest.h>

#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

FitOptions long_options() {
  FitOptions options = quick_options("bilinear");
  options.training.steps = 4000;
  options.training.adam.learning_rate = 0.01;
  return options;
}

/// Rows that no training table of fitted.h has.
Table validation_table() {
  Table table = training_table(120);
  std::vector<size_t> last;
  for (size_t r = 60; r < 120; ++r) last.push_back(r);
  return table.select(last);
}

/// As ValidationRows measures it, by predictions.
double error_of(const Predictor& predictor, const Table& table) {
  const Matrix<float> truth = predictor.encoder().encode_outputs(table.matrix({"y", "z"}));
  const Matrix<float> found = predictor.encoder().encode_outputs(predictor.predict(table).y);
  double squares = 0;
  for (size_t i = 0; i < truth.values().size(); ++i) {
    const double e = static_cast<double>(found.values()[i] - truth.values()[i]);
    squares += e * e;
  }
  return std::sqrt(squares / static_cast<double>(truth.values().size()));
}

TEST(Validation, parameters_that_did_best_on_its_rows_are_kept) {
  const Table table = training_table(), rows = validation_table();
  const FitResult with = fit_model({table, long_options(), {}, &rows}),
                  without = fit_model({table, long_options()});
  ASSERT_TRUE(with.validation);
  EXPECT_FALSE(without.validation);
  EXPECT_NEAR(error_of(with.predictor, rows), with.validation->error, 1e-5);
  EXPECT_LE(with.validation->error, error_of(without.predictor, rows) + 1e-5);
  EXPECT_GT(with.validation->step, 0u);
  EXPECT_LE(with.validation->step, 4000u);
}

TEST(Validation, a_run_that_was_best_at_its_end_is_as_without) {
  const Table table = training_table();
  // Of the rows it is trained on a short run is best at its end.
  const FitResult with = fit_model({table, quick_options("bilinear"), {}, &table});
  ASSERT_EQ(with.validation->step, 40u);
  EXPECT_EQ(with.predictor.to_bytes(), fit_model({table, quick_options("bilinear")}).predictor.to_bytes());
}

TEST(Validation, the_fit_is_the_same_for_any_number_of_threads) {
  const Table table = training_table(), rows = validation_table();
  FitOptions options = long_options();
  options.training.steps = 800;
  options.replicas = 3;
  const std::string alone = fit_model({table, options, {}, &rows}, {.threads = 1}).predictor.to_bytes();
  EXPECT_EQ(fit_model({table, options, {}, &rows}, {.threads = 3}).predictor.to_bytes(), alone);
}

TEST(Validation, models_without_anchors_have_it_and_closed_forms_do_not_look) {
  const Table table = training_table(), rows = validation_table();
  EXPECT_TRUE(fit_model({table, quick_options("mlp"), {}, &rows}).validation);
  EXPECT_FALSE(fit_model({table, quick_options("linear"), {}, &rows}).validation);
}

TEST(Validation, faults_are_one_line) {
  const Table table = training_table();
  const auto fault = [&](const Table& rows, FitOptions options = quick_options("bilinear")) {
    return error_text([&] { fit_model({table, options, {}, &rows}); });
  };
  EXPECT_NE(fault(table.select({})).find("validation needs rows; found none"), std::string::npos);
  Table lacking("late.csv");
  lacking.add(column("x", Role::input, {1}));
  EXPECT_NE(fault(lacking).find("late.csv"), std::string::npos);
  FitOptions over_base = quick_options("bilinear");
  over_base.base = "linear";
  EXPECT_NE(fault(validation_table(), over_base).find("without a base"), std::string::npos);
}

}  // namespace
}  // namespace kedge
