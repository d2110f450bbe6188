#include "kedge/predictor/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-9;
constexpr double output_tolerance = 1e-4;  // outputs near 100, held as standardized floats

Predictor fitted(const FitOptions& options, int threads = 1) {
  return fit({training_table(), options}, {.threads = threads}).predictor;
}

std::string fit_error(const Table& table, const FitOptions& options) {
  const std::string error = error_text([&] { fit({table, options}); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

class EveryModel : public testing::TestWithParam<std::string> {};
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : all_models()) names.push_back(model.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Predictor, EveryModel, testing::ValuesIn(model_names()), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryModel, a_saved_and_loaded_predictor_predicts_the_same_bits) {
  for (const std::string& space : {std::string(), curved_space}) {
    FitOptions options = quick_options(GetParam());
    options.space = space;
    options.replicas = 2;
    const Predictor before = fitted(options);
    const std::string bytes = before.to_bytes();
    const Predictor after = Predictor::from_bytes(bytes, "model");
    EXPECT_TRUE(same(before.predict(query_rows()), after.predict(query_rows())));
    EXPECT_EQ(after.to_bytes(), bytes);
    EXPECT_EQ(after.inputs(), (std::vector<std::string>{"x", "angle", "size"}));
    EXPECT_EQ(after.outputs(), (std::vector<std::string>{"y", "z"}));
    EXPECT_EQ(after.training_rows(), 60u);
    EXPECT_EQ(after.program(), before.program());
    EXPECT_EQ(std::isnan(after.final_loss()), std::isnan(before.final_loss()));
  }
}

TEST_P(EveryModel, a_prediction_depends_on_its_row_alone) {
  const Predictor predictor = fitted(quick_options(GetParam()));
  const Matrix<double> rows = query_rows();
  for (const char* rule : {"nearest", "percentile=30", "many=3"}) {
    PredictOptions options{.anchors = parse_anchors(rule), .threads = 1};
    const Predictions bulk = predictor.predict(rows, options);
    EXPECT_TRUE(same(predictor.predict(rows, options), bulk));
    options.threads = 3;
    EXPECT_TRUE(same(predictor.predict(rows, options), bulk));
    Matrix<double> reversed(rows.rows(), 3);
    for (size_t r = 0; r < rows.rows(); ++r)
      std::copy_n(rows.row(rows.rows() - 1 - r).begin(), 3, reversed.row(r).begin());
    const Predictions back = predictor.predict(reversed, options);
    for (size_t r = 0; r < rows.rows(); ++r) {
      const Predictions alone = predictor.predict({rows.row(r).data(), 1, 3}, options);
      for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(alone.y(0, k), bulk.y(r, k));
        EXPECT_EQ(back.y(rows.rows() - 1 - r, k), bulk.y(r, k));
      }
      EXPECT_EQ(alone.anchor[0], bulk.anchor[r]);
      EXPECT_EQ(alone.spread[0], bulk.spread[r]);
    }
  }
}

TEST_P(EveryModel, the_same_seed_gives_the_same_predictor_for_any_number_of_threads) {
  FitOptions options = quick_options(GetParam());
  options.replicas = 3;
  const std::string one = fitted(options, 1).to_bytes();
  EXPECT_EQ(fitted(options, 2).to_bytes(), one);
  EXPECT_EQ(fitted(options, 5).to_bytes(), one);
  options.seed = 1;
  EXPECT_NE(fitted(options, 1).to_bytes(), one);
}

TEST_P(EveryModel, turns_of_an_angle_change_nothing) {
  FitOptions options = quick_options(GetParam());
  options.space = "angle=degrees";
  const Predictor predictor = fitted(options);
  Matrix<double> rows = query_rows(20);
  for (size_t r = 0; r < rows.rows(); ++r) rows(r, 1) = std::round(rows(r, 1));
  const Predictions before = predictor.predict(rows);
  for (size_t r = 0; r < rows.rows(); ++r) rows(r, 1) += 720;
  EXPECT_TRUE(same(predictor.predict(rows), before));
}

TEST(Predictor, the_nearest_row_answers_whatever_the_rule_and_never_counts_as_admissible) {
  FitOptions options = quick_options("nearest");
  options.anchors = {.rule = AnchorRule::none};
  const Table table = training_table();
  const Predictor predictor = fitted(options);
  EXPECT_EQ(to_text(predictor.options().anchors), "neighbour");
  const Matrix<double> rows = query_rows();
  const Predictions found = predictor.predict(rows);
  EXPECT_TRUE(same(predictor.predict(rows, {.anchors = parse_anchors("many=20")}), found));
  bool one_is_outside = false;
  for (size_t r = 0; r < rows.rows(); ++r) {
    const auto row = static_cast<size_t>(found.anchor[r]);
    EXPECT_NEAR(found.y(r, 0), table.column("y").values[row], output_tolerance);
    EXPECT_NEAR(found.y(r, 1), table.column("z").values[row], output_tolerance);
    EXPECT_EQ(found.analog_query[r], found.anchor[r]);
    EXPECT_EQ(found.analog_anchor[r], found.anchor[r]);
    EXPECT_EQ(found.admissible_anchors[r], Predictions::none);
    EXPECT_EQ(std::isnan(found.delta_distance[r]), found.verdict[r] == Verdict::interpolation);
    one_is_outside = one_is_outside || found.verdict[r] != Verdict::interpolation;
  }
  EXPECT_TRUE(one_is_outside);
}

TEST(Predictor, a_verdict_is_that_of_the_nearest_difference_whether_a_model_reads_anchors_or_not) {
  const Matrix<double> rows = query_rows();
  const Predictions with = fitted(quick_options("bilinear"))
                               .predict(rows, {.anchors = AnchorOptions{.rule = AnchorRule::nearest}});
  for (const char* model : {"linear", "quadratic", "mlp", "nearest", "extreme"}) {
    const Predictions without = fitted(quick_options(model)).predict(rows);
    EXPECT_EQ(without.verdict, with.verdict) << model;
    EXPECT_EQ(without.outside, with.outside) << model;
    for (size_t r = 0; r < rows.rows(); ++r) {
      if (with.verdict[r] == Verdict::interpolation) continue;
      EXPECT_EQ(without.delta_distance[r], with.delta_distance[r]) << model;
      EXPECT_EQ(without.delta_percentile[r], with.delta_percentile[r]) << model;
    }
  }
}

TEST(Predictor, names_the_columns_that_put_a_query_outside_in_the_units_of_the_table) {
  const Predictor predictor = fitted(quick_options("linear"));
  const Table table = training_table();
  const auto range = [&](const char* name) { return std::ranges::minmax(table.column(name).values); };
  const auto x = range("x"), size = range("size");
  const Matrix<double> rows(3, 3,
                            {x.max + 2, 10, size.min / 2, x.max, 10, size.max, table.column("x").values[0],
                             table.column("angle").values[0], table.column("size").values[0]});
  const Predictions found = predictor.predict(rows);
  constexpr double exact = 1e-9;
  ASSERT_EQ(found.outside[0].size(), 2u);
  const Departure &first = found.outside[0][0], &second = found.outside[0][1];
  EXPECT_EQ(found.inputs[first.column], "x");
  EXPECT_NEAR(first.amount, 2, exact);
  EXPECT_NEAR(first.relative, 2 / (x.max - x.min), exact);
  EXPECT_EQ(found.inputs[second.column], "size");
  EXPECT_NEAR(second.amount, -size.min / 2, exact);
  EXPECT_NEAR(second.relative, std::log(2) / std::log(size.max / size.min), exact);
  for (const Departure& one : found.outside[1]) EXPECT_TRUE(one.is_combination());
  EXPECT_EQ(found.verdict[2], Verdict::interpolation);
  EXPECT_TRUE(found.outside[2].empty());
}

TEST(Predictor, that_is_asked_for_answers_alone_gives_the_same_answers_and_judges_nothing) {
  const Matrix<double> rows = query_rows();
  for (const char* model : {"bilinear", "quadratic"}) {
    const Predictor predictor = fitted(quick_options(model));
    const Predictions full = predictor.predict(rows),
                      bare = predictor.predict(rows, {.judging = Judging::none});
    EXPECT_TRUE(same(bare.y.values(), full.y.values()));
    EXPECT_TRUE(same(bare.spread, full.spread));
    EXPECT_EQ(bare.anchor, full.anchor);
    for (Verdict verdict : bare.verdict) EXPECT_EQ(verdict, Verdict::undetermined);
  }
}

TEST(Predictor, may_predict_from_many_threads_at_once) {
  const Predictor predictor = fitted(quick_options("bilinear"));
  const Matrix<double> rows = query_rows();
  const Predictions expected = predictor.predict(rows);
  std::vector<Predictions> found(4);
  std::vector<std::thread> threads;
  for (Predictions& one : found) threads.emplace_back([&] { one = predictor.predict(rows, {.threads = 2}); });
  for (std::thread& thread : threads) thread.join();
  for (const Predictions& one : found) EXPECT_TRUE(same(one, expected));
}

TEST(Predictor, averages_over_the_anchors_and_replicas_and_reports_their_spread) {
  FitOptions options = quick_options("bilinear");
  options.replicas = 2;
  options.pool = 10000;
  const Predictor both = fitted(options);
  std::vector<Predictor> single;
  for (size_t replica : {0u, 1u}) {
    options.replicas = 1;
    options.seed = replica_seed(0, replica);
    single.push_back(fitted(options));
  }
  const Matrix<double> rows = query_rows(10);
  const PredictOptions nearest{.anchors = parse_anchors("nearest")};
  const Predictions mean = both.predict(rows, nearest), a = single[0].predict(rows, nearest);
  // Seeds also draw the pool when it is a sample; here it holds all pairs, so only the networks differ.
  const Predictions b = single[1].predict(rows, nearest);
  for (size_t r = 0; r < rows.rows(); ++r) {
    double variance = 0;
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(mean.y(r, k), (a.y(r, k) + b.y(r, k)) / 2, tolerance);
      variance += std::pow((a.y(r, k) - b.y(r, k)) / 2, 2);
    }
    EXPECT_NEAR(mean.spread[r], std::sqrt(variance), tolerance);
    EXPECT_EQ(a.spread[r], 0);
    EXPECT_EQ(mean.anchor[r], a.anchor[r]);
  }
}

TEST(Predictor, names_the_anchor_and_the_pair_that_justify_a_prediction_or_none) {
  const Matrix<double> rows = query_rows(10);
  const Predictions with = fitted(quick_options("bilinear")).predict(rows);
  const Predictions without = fitted(quick_options("mlp")).predict(rows);
  for (size_t r = 0; r < rows.rows(); ++r) {
    for (int64_t row : {with.anchor[r], with.analog_query[r], with.analog_anchor[r]}) {
      EXPECT_GE(row, 0);
      EXPECT_LT(row, 60);
    }
    EXPECT_GE(with.delta_distance[r], 0);
    EXPECT_EQ(without.anchor[r], Predictions::none);
    EXPECT_EQ(without.analog_query[r], Predictions::none);
  }
}

TEST(Predictor, a_linear_function_is_continued_far_outside_of_its_data) {
  Table table = training_table();
  table.assign(Role::ignored, {"angle", "z"});
  FitOptions options = quick_options("linear");
  options.space = "size=log";
  const Predictor predictor = fit({table, options}).predictor;
  const Matrix<double> far(1, 2, std::vector<double>{100, 1000});
  EXPECT_NEAR(predictor.predict(far).y(0, 0), 300 - std::log(1000), 1e-3);
}

TEST(Predictor, predicts_no_rows_for_no_rows) {
  EXPECT_EQ(fitted(quick_options("bilinear")).predict(Matrix<double>(0, 3)).rows(), 0u);
}

TEST(Predictor, finds_query_columns_by_name_and_ignores_others) {
  const Predictor predictor = fitted(quick_options("bilinear"));
  const Matrix<double> rows = query_rows(5);
  Table table("queries.csv");
  for (const auto& [name, c] :
       std::vector<std::pair<std::string, size_t>>{{"size", 2}, {"other", 0}, {"angle", 1}, {"x", 0}}) {
    std::vector<double> values;
    for (size_t r = 0; r < 5; ++r) values.push_back(rows(r, c));
    table.add(column(name, Role::input, values));
  }
  EXPECT_TRUE(same(predictor.predict(table), predictor.predict(rows)));
}

TEST(Predictor, refuses_queries_it_cannot_read_and_says_where) {
  const Predictor predictor = fitted(quick_options("bilinear"));
  Table missing("q.csv");
  missing.add(column("x", Role::input, {1}));
  EXPECT_TRUE(mentions(error_text([&] { predictor.predict(missing); }), {"angle"}));
  EXPECT_TRUE(mentions(error_text([&] { predictor.predict(Matrix<double>(1, 2)); }),
                       {"needs 3 input columns (x, angle, size); found 2"}));
  Matrix<double> rows = query_rows(5);
  rows(3, 0) = std::nan("");
  EXPECT_TRUE(mentions(error_text([&] { predictor.predict(rows); }), {"X, row 3", "x"}));
  rows(3, 0) = 1;
  rows(4, 2) = 0;
  EXPECT_TRUE(mentions(error_text([&] { predictor.predict(rows); }), {"X, row 4", "log"}));
  EXPECT_TRUE(
      mentions(error_text([&] { predictor.predict(query_rows(1), {.anchors = parse_anchors("none")}); }),
               {"bilinear needs anchors"}));
  EXPECT_NE(error_text([&] {
              predictor.predict(query_rows(1),
                                {.anchors = AnchorOptions{.rule = AnchorRule::many, .count = 0}});
            }),
            "");
}

TEST(Predictor, refuses_tables_it_cannot_fit_and_says_why) {
  const FitOptions options = quick_options("bilinear");
  EXPECT_TRUE(mentions(fit_error(training_table(0), options), {"train.csv", "two rows", "found 0"}));
  EXPECT_TRUE(mentions(fit_error(training_table(1), options), {"train.csv", "two rows", "found 1"}));
  Table no_output = training_table();
  no_output.assign(Role::input, {"y", "z"});
  EXPECT_TRUE(mentions(fit_error(no_output, options), {"0 outputs"}));
  Table no_input = training_table();
  no_input.assign(Role::ignored, {"x", "angle", "size"});
  EXPECT_TRUE(mentions(fit_error(no_input, options), {"0 inputs"}));
  EXPECT_NE(fit_error(Table("empty"), options), "");
  FitOptions context = quick_options("deepsets");
  context.context = {"mass"};
  EXPECT_TRUE(mentions(fit_error(training_table(), context), {"\"mass\"", "\"x\", \"angle\", \"size\""}));
  for (const char* model : {"deepsets", "bilinear-direct"}) {
    context.model = model;
    context.context = {};
    EXPECT_TRUE(mentions(fit_error(training_table(), context), {model, "context", "0 of 3"}));
    context.context = {"x", "angle", "size"};
    EXPECT_TRUE(mentions(fit_error(training_table(), context), {model, "3 of 3"}));
  }
  FitOptions space = options;
  space.space = "weight=log";
  EXPECT_TRUE(mentions(fit_error(training_table(), space), {"weight"}));
}

// The training table with one number replaced.
Table with(const std::string& name, size_t row, double value) {
  const Table good = training_table();
  Table table("train.csv");
  std::vector<uint32_t> lines;
  for (Column one : good.columns()) {
    if (one.name == name) one.values[row] = value;
    table.add(one);
  }
  for (uint32_t r = 0; r < table.rows(); ++r) lines.push_back(r + 2);
  table.set_lines(lines);
  return table;
}

TEST(Predictor, refuses_numbers_it_cannot_fit_and_names_line_and_column) {
  const FitOptions options = quick_options("bilinear");
  for (const char* column : {"x", "angle", "size", "y"})
    EXPECT_TRUE(mentions(fit_error(with(column, 7, std::nan("")), options), {"train.csv, line 9", column}));
  for (double value : {0.0, -1.0})
    EXPECT_TRUE(mentions(fit_error(with("size", 4, value), options), {"train.csv, line 6", "log"}));
  FitOptions labels = options;
  labels.pairs = PairRule::same_label;
  EXPECT_TRUE(mentions(fit_error(with("kind", 4, std::nan("")), labels), {"line 6", "kind"}));
}

Table with_constant_column() {
  Table table = training_table();
  table.add(column("same", Role::input, std::vector<double>(60, 4.5)));
  return table;
}

TEST(Predictor, refuses_a_constant_column_by_name_unless_it_is_to_be_kept) {
  for (const std::string& model : model_names()) {
    FitOptions options = quick_options(model);
    EXPECT_TRUE(mentions(fit_error(with_constant_column(), options), {"\"same\"", "4.5", "leave it out"}));
    options.constants = ConstantInputs::keep;
    const Predictor predictor = fit({with_constant_column(), options}).predictor;
    const Predictions p = predictor.predict(Matrix<double>(1, 4, std::vector<double>{1, 20, 3, 4.5}));
    EXPECT_TRUE(std::isfinite(p.y(0, 0))) << model;
  }
}

TEST(Predictor, keeps_a_rotation_of_which_some_numbers_never_change) {
  Table table("turns.csv");
  std::vector<double> w, z, y;
  Rng rng(1, Stream::domain);
  for (int r = 0; r < 20; ++r) {
    y.push_back(rng.uniform(-1, 1));
    w.push_back(std::cos(y.back()));
    z.push_back(std::sin(y.back()));
  }
  table.add(column("w", Role::input, w));
  table.add(column("i", Role::input, std::vector<double>(20)));
  table.add(column("j", Role::input, std::vector<double>(20)));
  table.add(column("z", Role::input, z));
  table.add(column("y", Role::output, y));
  FitOptions options = quick_options("bilinear");
  options.space = "w+i+j+z=rotation";
  options.context = {};
  EXPECT_EQ(fit_error(table, options), "");
}

TEST(Predictor, pairs_by_label_or_time_need_such_a_column_with_repeats) {
  FitOptions options = quick_options("bilinear");
  options.pairs = PairRule::same_label;
  fit({training_table(), options});
  options.pairs = PairRule::same_time;
  EXPECT_TRUE(mentions(fit_error(training_table(), options), {"time", "found 0"}));
  Table times = training_table();
  times.assign(Role::time, {"kind"});
  fit({times, options});
  options.pairs = PairRule::same_label;
  Table distinct = training_table(2);
  Table all_differ("t.csv");
  for (Column one : distinct.columns()) {
    if (one.name == "kind") one.values = {1, 2};
    all_differ.add(one);
  }
  EXPECT_TRUE(mentions(fit_error(all_differ, options), {"\"kind\"", "all 2 rows differ"}));
}

TEST(Predictor, reports_how_training_ended_and_still_predicts) {
  FitOptions options = quick_options("bilinear");
  const auto stop = [](const Progress& p) { return p.step < 10; };
  const FitResult stopped = fit({training_table(), options}, {.progress = stop});
  EXPECT_EQ(stopped.outcome.status, TrainStatus::stopped);
  EXPECT_EQ(stopped.outcome.steps, 10u);
  EXPECT_TRUE(std::isfinite(stopped.predictor.predict(query_rows(1)).y(0, 0)));
  options.training.adam.learning_rate = 99;
  options.training.steps = 2000;
  options.training.loss = Loss::mse;
  options.architecture.layers = 8;
  const Predictor wild = fit({training_table(), options}).predictor;
  EXPECT_TRUE(std::isfinite(wild.predict(query_rows(1)).y(0, 0)));
}

TEST(Predictor, epochs_count_steps_as_rows_over_batch) {
  FitOptions options = quick_options("mlp");
  options.epochs = 3;
  options.training.batch = 20;
  const FitResult counted = fit({training_table(), options});
  EXPECT_EQ(counted.predictor.options().training.steps, 9u);
  EXPECT_EQ(counted.outcome.steps, 9u);
  options.training.batch = 100;
  EXPECT_EQ(fit({training_table(), options}).predictor.options().training.steps, 3u);
}

TEST(Predictor, can_be_stopped_between_rows) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}).predictor;
  std::atomic<int> asked = 0;
  const StopCheck stop = [&] {
    if (++asked >= 10) throw Error("test", "stop");
  };
  EXPECT_THROW(predictor.predict(query_rows(), {.threads = 1, .stop_check = stop}), Error);
  EXPECT_LT(asked, 20) << "every row of 80 was asked for";
}

}  // namespace
}  // namespace kedge
