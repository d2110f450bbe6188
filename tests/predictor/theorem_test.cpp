#include <gtest/gtest.h>

#include <cmath>

#include "kedge/predictor/predictor.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double float_tolerance = 1e-4;
constexpr double rounding = 1e-12;

bool same(const TheoremQuantities& a, const TheoremQuantities& b) {
  bool equal = a.pairs == b.pairs && a.kappa == b.kappa && a.covered == b.covered &&
               a.new_together == b.new_together && a.outputs.size() == b.outputs.size();
  for (size_t k = 0; equal && k < a.outputs.size(); ++k)
    equal = a.outputs[k].singular_values == b.outputs[k].singular_values &&
            a.outputs[k].risk == b.outputs[k].risk && a.outputs[k].rank == b.outputs[k].rank &&
            a.outputs[k].supremum == b.outputs[k].supremum &&
            a.outputs[k].in_support == b.outputs[k].in_support &&
            a.outputs[k].clipped.test_risk == b.outputs[k].clipped.test_risk;
  return equal;
}

// Columns a and b, both in [-1, 1], and y = `output` of them.
template <class Function>
Table square_table(size_t rows, Function output) {
  Rng rng(6, Stream::domain);
  std::vector<double> a, b, y;
  for (size_t r = 0; r < rows; ++r) {
    a.push_back(rng.uniform(-1, 1));
    b.push_back(rng.uniform(-1, 1));
    y.push_back(output(a[r], b[r]));
  }
  Table table("square.csv");
  table.add(column("a", Role::input, a));
  table.add(column("b", Role::input, b));
  table.add(column("y", Role::output, y));
  return table;
}

FitOptions direct_options() {
  FitOptions options;
  options.model = "bilinear-direct";
  options.context = {"b"};
  options.architecture = {.layers = 2, .width = 24, .embedding = 6};
  options.training = {.adam = {.learning_rate = 3e-3, .schedule = Schedule::cosine}, .steps = 8000};
  options.outputs = Scaling::none;
  return options;
}

TEST(PredictorTheorem, is_there_for_products_and_for_nothing_else) {
  for (const Model& model : all_models()) {
    const Predictor predictor = fit({training_table(), quick_options(model.name)}).predictor;
    const bool is_product =
        model.name == "bilinear" || model.name == "bilinear-direct" || model.name == "bilinear-ridge";
    EXPECT_EQ(predictor.theorem().has_value(), is_product) << model.name;
    Table queries = training_table(7);
    EXPECT_EQ(predictor.theorem(queries).has_value(), is_product) << model.name;
  }
}

TEST(PredictorTheorem, is_left_out_where_it_would_take_long) {
  for (int embedding : {512, 513}) {
    FitOptions options = direct_options();
    options.architecture.embedding = embedding;
    options.training.steps = 1;
    const Table table = square_table(20, [](double a, double b) { return a * b; });
    EXPECT_EQ(fit({table, options}).predictor.theorem().has_value(), embedding == 512);
  }
}

TEST(PredictorTheorem, is_the_same_every_time_and_after_a_file) {
  for (const char* model : {"bilinear", "bilinear-direct"})
    for (PairRule rule : {PairRule::any, PairRule::same_label}) {
      FitOptions options = quick_options(model);
      options.pairs = rule;
      options.replicas = 2;
      const Predictor predictor = fit({training_table(), options}).predictor;
      const TheoremQuantities once = predictor.theorem().value();
      EXPECT_TRUE(same(once, predictor.theorem().value()));
      EXPECT_TRUE(same(once, Predictor::from_bytes(predictor.to_bytes(), "model").theorem().value()));
      options.replicas = 1;
      EXPECT_TRUE(same(once, fit({training_table(), options}).predictor.theorem().value()))
          << "the first replica is the one reported";
    }
}

// Without an anchor every training row is one sample: the risk is the error of the predictions themselves.
TEST(PredictorTheorem, the_risk_is_that_of_the_predictions) {
  const Table table = training_table();
  FitOptions options = quick_options("bilinear-direct");
  options.outputs = Scaling::none;
  const Predictor predictor = fit({table, options}).predictor;
  const Predictions answers = predictor.predict(table);
  const TheoremQuantities theorem = predictor.theorem().value();
  EXPECT_EQ(theorem.pairs, table.rows());
  for (size_t k = 0; k < 2; ++k) {
    double squares = 0;
    for (size_t r = 0; r < table.rows(); ++r) {
      const double e = answers.y(r, k) - table.column(predictor.outputs()[k]).values[r];
      squares += e * e;
    }
    const double risk = squares / static_cast<double>(table.rows());
    EXPECT_NEAR(theorem.outputs[k].risk, risk, float_tolerance * risk);
  }
}

// f and g start from small weights: before training the product is near 0, and its error is the size of what
// it should be, the value or its change.
TEST(PredictorTheorem, a_model_of_the_change_is_measured_on_the_change) {
  const Table table = square_table(200, [](double a, double) { return 1000 + a; });
  FitOptions options = direct_options();
  options.model = "bilinear";
  options.training.steps = 1;
  options.training.adam.learning_rate = 1e-9;
  const auto risk = [&](Predicts predicts) {
    options.architecture.predicts = predicts;
    return fit({table, options}).predictor.theorem().value().outputs[0].risk;
  };
  EXPECT_GT(risk(Predicts::value), 990.0 * 990);
  EXPECT_LT(risk(Predicts::change), 10.0);
}

TEST(PredictorTheorem, a_function_of_bilinear_rank_r_is_learned_as_rank_r) {
  const auto rank = [](auto function) {
    return fit({square_table(300, function), direct_options()}).predictor.theorem().value().outputs[0].rank;
  };
  EXPECT_EQ(rank([](double a, double b) { return (1 + a) * (b - 0.5); }), 1u);
  EXPECT_EQ(rank([](double a, double b) { return 2 * a + b; }), 2u);
  EXPECT_EQ(rank([](double a, double b) { return 1 + 2 * a * b + 4 * (a * a - 0.3) * (b * b - 0.3); }), 3u);
}

TEST(PredictorTheorem, queries_beyond_what_was_seen_make_kappa_infinite) {
  FitOptions options = direct_options();
  options.training.steps = 50;
  const Table table = square_table(300, [](double a, double b) { return a * b; });
  const Predictor predictor = fit({table, options}).predictor;
  const TheoremQuantities inside = predictor.theorem(table).value();
  EXPECT_TRUE(std::isfinite(inside.kappa));
  EXPECT_EQ(inside.unseen, 0);
  EXPECT_EQ(inside.covered, 1);
  EXPECT_NEAR(inside.in_support.kappa, 1, rounding);  // the training rows themselves
  EXPECT_NEAR(inside.outputs[0].in_support, inside.outputs[0].risk, rounding * inside.outputs[0].risk);
  Table far("far.csv");
  far.add(column("a", Role::input, {0, 0.5, 7, 0}));
  far.add(column("b", Role::input, {0, 0.5, 0, -0.5}));
  const TheoremQuantities outside = predictor.theorem(far).value();
  EXPECT_TRUE(std::isinf(outside.kappa));
  EXPECT_TRUE(std::isinf(outside.in_support.kappa));
  EXPECT_TRUE(std::isinf(outside.outputs[0].clipped.test_risk));
  EXPECT_EQ(outside.unseen, 0.25);

  Table none("none.csv");
  none.add(column("a", Role::input, {}));
  none.add(column("b", Role::input, {}));
  EXPECT_NE(error_text([&] { predictor.theorem(none); }).find("none.csv needs at least one query"),
            std::string::npos);
}

// A query is beyond the training range, its differences from well-chosen anchors are not.
TEST(PredictorTheorem, with_anchors_a_query_out_of_support_is_a_new_combination_of_seen_halves) {
  FitOptions options = direct_options();
  options.model = "bilinear";
  options.context = {};
  options.training.steps = 50;
  options.anchors = {.rule = AnchorRule::nearest};
  const Predictor predictor =
      fit({square_table(300, [](double a, double b) { return a * b; }), options}).predictor;
  Table beyond("beyond.csv");
  Rng rng(7, Stream::domain);
  std::vector<double> a, b;
  for (int r = 0; r < 100; ++r) {
    a.push_back(rng.uniform(1.4, 1.7));
    b.push_back(rng.uniform(-1, 1));
  }
  beyond.add(column("a", Role::input, a));
  beyond.add(column("b", Role::input, b));
  const TheoremQuantities theorem = predictor.theorem(beyond).value();
  EXPECT_EQ(theorem.unseen, 0);
  EXPECT_GE(theorem.kappa, 3);
}

}  // namespace
}  // namespace kedge
