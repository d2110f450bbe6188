// Row weights: what they do to fits and trials.

#include "kedge/table/row_weights.h"

#include <gtest/gtest.h>

#include "kedge/trials/budget.h"
#include "kedge/trials/cross_validation.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double float_tolerance = 1e-5;  // outputs pass through standardized floats

Table with_weights(Table table, std::vector<double> weights) {
  table.add(column("w", Role::weight, std::move(weights)));
  return table;
}

/// 1, 2, 3, 1, ...; some of them 0 where asked for.
std::vector<double> some_weights(size_t rows, size_t zero_each = 0) {
  std::vector<double> weights;
  for (size_t r = 0; r < rows; ++r)
    weights.push_back(zero_each > 0 && r % zero_each == 0 ? 0 : static_cast<double>(1 + r % 3));
  return weights;
}

Table without_zeros(const Table& table) {
  std::vector<size_t> rows;
  for (size_t r = 0; r < table.rows(); ++r)
    if (table.column("w").values[r] > 0) rows.push_back(r);
  return table.select(rows);
}

FitOptions calibrated(const std::string& model) {
  FitOptions options = quick_options(model);
  options.calibration = Calibration::shells;
  return options;
}

const std::vector<std::string> some_models = {"bilinear",       "mlp",     "linear", "quadratic",
                                              "bilinear-ridge", "nearest", "extreme"};

TEST(RowWeightsInFits, a_row_of_weight_zero_is_as_if_it_were_not_in_the_table_bit_for_bit) {
  const Table all = with_weights(training_table(), some_weights(60, 7)), counted = without_zeros(all);
  for (const std::string& model : some_models) {
    SCOPED_TRACE(model);
    const Predictor with = fit_model({all, quick_options(model)}).predictor;
    EXPECT_EQ(with.training_rows(), counted.rows());
    EXPECT_EQ(with.to_bytes(), fit_model({counted, quick_options(model)}).predictor.to_bytes());
  }
  EXPECT_EQ(fit({all, calibrated("bilinear")}).predictor.to_bytes(),
            fit({counted, calibrated("bilinear")}).predictor.to_bytes());
}

TEST(RowWeightsInFits, equal_weights_are_as_if_there_were_no_column_bit_for_bit) {
  const Table plain = training_table(), alike = with_weights(plain, std::vector<double>(60, 0.3));
  std::vector<double> some(60, 2.0);
  std::vector<size_t> kept;
  for (size_t r = 0; r < 60; ++r) {
    if (r % 5 == 0)
      some[r] = 0;
    else
      kept.push_back(r);
  }
  for (const std::string& model : some_models) {
    SCOPED_TRACE(model);
    const FitOptions options = quick_options(model);
    EXPECT_EQ(fit_model({alike, options}).predictor.to_bytes(),
              fit_model({plain, options}).predictor.to_bytes());
    EXPECT_EQ(fit_model({with_weights(plain, some), options}).predictor.to_bytes(),
              fit_model({plain.select(kept), options}).predictor.to_bytes());
  }
}

TEST(RowWeightsInFits, only_ratios_of_weights_count) {
  std::vector<double> weights = some_weights(60), larger = weights;
  for (double& weight : larger) weight *= 1024;
  const Table table = with_weights(training_table(), weights), other = with_weights(training_table(), larger);
  for (const std::string& model : some_models)
    EXPECT_EQ(fit_model({table, quick_options(model)}).predictor.to_bytes(),
              fit_model({other, quick_options(model)}).predictor.to_bytes())
        << model;
}

TEST(RowWeightsInFits, weights_change_what_is_trained_and_nothing_of_nearest_and_extreme_answers) {
  Table plain = training_table();
  Rng rng(3, Stream::noise);
  std::vector<double> noise(60);
  for (double& value : noise) value = rng.normal();
  plain.add(column("noise", Role::output, noise));
  const Table weighted = with_weights(plain, some_weights(60));
  for (const std::string& model : some_models) {
    FitOptions options = quick_options(model);
    options.inputs = Scaling::none;  // scales follow the weights too
    const Matrix<double> with = fit_model({weighted, options}).predictor.predict(query_rows()).y,
                         without = fit_model({plain, options}).predictor.predict(query_rows()).y;
    double largest = 0;
    for (size_t i = 0; i < with.values().size(); ++i)
      largest = std::max(largest, std::abs(with.values()[i] - without.values()[i]));
    if (model == "nearest" || model == "extreme")
      EXPECT_LT(largest, float_tolerance * 100) << model;
    else
      EXPECT_GT(largest, 1e-3) << model;
  }
}

TEST(RowWeightsInFits, a_linear_fit_with_whole_weights_answers_like_one_of_as_many_copies) {
  const Table table = with_weights(training_table(), some_weights(60));
  std::vector<size_t> copies;
  for (size_t r = 0; r < 60; ++r) copies.insert(copies.end(), 1 + r % 3, r);
  Table repeated = table.select(copies);
  repeated.assign(Role::ignored, {"w"});
  FitOptions options = quick_options("linear");
  options.space = "size=log";  // angles are scaled by differences, of which copies have more
  const Predictor weighted = fit_model({table, options}).predictor,
                  expected = fit_model({repeated, options}).predictor;
  const Standardizer &found = weighted.encoder().point_scaling(), &scale = expected.encoder().point_scaling();
  for (size_t c = 0; c < scale.columns(); ++c) {
    EXPECT_NEAR(found.mean[c] / scale.mean[c], 1, 1e-12);
    EXPECT_NEAR(found.scale[c] / scale.scale[c], 1, 1e-12);
  }
  const Matrix<double> a = weighted.predict(query_rows()).y, b = expected.predict(query_rows()).y;
  for (size_t i = 0; i < a.values().size(); ++i)
    EXPECT_NEAR(a.values()[i], b.values()[i], float_tolerance * 100) << i;
}

// The same inputs with two outputs: a network answers with their mean, by weight.
TEST(RowWeightsInFits, a_network_learns_the_weighted_mean_of_rows_that_disagree) {
  std::vector<double> x, y, weights;
  for (size_t r = 0; r < 40; ++r) {
    x.push_back(static_cast<double>(r / 2));
    y.push_back(r % 2 == 0 ? 0 : 1);
    weights.push_back(r % 2 == 0 ? 1 : 9);
  }
  Table table("X");
  table.add(column("x", Role::input, x));
  table.add(column("y", Role::output, y));
  table.add(column("w", Role::weight, weights));
  for (const char* model : {"mlp", "bilinear"}) {
    FitOptions options = quick_options(model);
    options.space = "";
    options.context = {};
    options.training.steps = 2000;
    options.training.loss = Loss::mse;  // the distance of one output has a median instead
    options.training.adam.learning_rate = 3e-3;
    const Predictor predictor = fit_model({table, options}).predictor;
    const Matrix<double> inside(3, 1, std::vector<double>{4, 10, 15});
    const Predictions found = predictor.predict(inside);
    for (double answer : found.y.values()) EXPECT_NEAR(answer, 0.9, 0.1) << model;
  }
}

TEST(RowWeightsInFits, a_base_and_pairs_by_label_take_them) {
  const Table all = with_weights(training_table(), some_weights(60, 7)), counted = without_zeros(all);
  FitOptions options = quick_options("bilinear");
  options.base = "ridge";
  options.pairs = PairRule::same_label;
  const Predictor with = fit_model({all, options}).predictor;
  EXPECT_EQ(with.to_bytes(), fit_model({counted, options}).predictor.to_bytes());
  Table plain = counted;
  plain.assign(Role::ignored, {"w"});
  EXPECT_NE(with.to_bytes(), fit_model({plain, options}).predictor.to_bytes());
}

TEST(RowWeightsInFits, cross_validation_does_not_see_rows_of_weight_zero) {
  const Table all = with_weights(training_table(), some_weights(60, 7)), counted = without_zeros(all);
  const CrossValidationOptions options{.models = {"linear", "nearest", "quadratic"}};
  const CrossValidation with = cross_validate(all, quick_options("linear"), options),
                        without = cross_validate(counted, quick_options("linear"), options);
  ASSERT_EQ(with.models.size(), without.models.size());
  for (size_t m = 0; m < with.models.size(); ++m) {
    EXPECT_EQ(with.models[m].out.mean, without.models[m].out.mean);
    EXPECT_EQ(with.models[m].in.mean, without.models[m].in.mean);
  }
}

TEST(RowWeightsInFits, a_fault_of_the_weights_is_told_by_every_way_to_a_fit) {
  std::vector<double> weights = some_weights(60);
  weights[5] = -1;
  const Table table = with_weights(training_table(), weights);
  const std::string expected =
      "[fit] train.csv, row 5, column \"w\": a row weight needs a finite number, 0 or more; found -1; give "
      "the "
      "row the weight 0 to leave it out";
  const FitOptions options = quick_options("linear");
  EXPECT_EQ(error_text([&] { fit_model({table, options}); }), expected);
  EXPECT_EQ(error_text([&] { fit({table, options}); }), expected);
  EXPECT_EQ(error_text([&] { require_fittable({table, options}); }), expected);
  EXPECT_EQ(error_text([&] { cross_validate(table, options, {}); }), expected);
  EXPECT_EQ(error_text([&] { fit_within({table, quick_options("bilinear")}, 1); }), expected);
}

TEST(RowWeightsInFits, one_row_that_counts_is_too_few) {
  std::vector<double> weights(60);
  weights[3] = 1;
  const Table table = with_weights(training_table(), weights);
  EXPECT_EQ(error_text([&] {
              fit({table, quick_options("linear")});
            }),
            "[fit] train.csv needs at least two rows, a query and an anchor; found 1; add rows");
}

TEST(RowWeightsInFits, learned_weights_of_pairs_are_refused_beside_them) {
  FitOptions options = quick_options("bilinear");
  options.weights.source = WeightSource::joint;
  options.anchors = {.rule = AnchorRule::weight, .count = 3};
  for (const std::vector<double>& weights :
       {some_weights(60), some_weights(60, 7), std::vector<double>(60, 1)}) {
    const Table table = with_weights(training_table(), weights);
    const std::string expected =
        "[fit] learned weights of pairs need rows that count alike; found row weights in column \"w\"; leave "
        "out the one or the other";
    EXPECT_EQ(error_text([&] { fit({table, options}); }), expected);
    EXPECT_EQ(error_text([&] { fit_model({table, options}); }), expected);
  }
}

}  // namespace
}  // namespace kedge
