#include "kedge/trials/cross_validation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "kedge/core/score.h"
#include "kedge/domains/domain.h"
#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double float_tolerance = 1e-5;  // outputs pass through standardized floats

const std::vector<std::string> closed_forms = {"linear", "ridge", "quadratic", "nearest", "extreme"};

/// x = 0 ... 39 and y = f(x).
template <class Function>
Table line(Function f) {
  std::vector<double> x, y;
  for (int r = 0; r < 40; ++r) {
    x.push_back(r);
    y.push_back(f(static_cast<double>(r)));
  }
  Table table("line");
  table.add(column("x", Role::input, x));
  table.add(column("y", Role::output, y));
  return table;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const CrossValidation& a, const CrossValidation& b) {
  ASSERT_EQ(a.models.size(), b.models.size());
  for (size_t m = 0; m < a.models.size(); ++m) {
    SCOPED_TRACE(a.models[m].model());
    EXPECT_EQ(a.models[m].failure, b.models[m].failure);
    ASSERT_EQ(a.models[m].shells.size(), b.models[m].shells.size());
    for (size_t s = 0; s < a.models[m].shells.size(); ++s) {
      EXPECT_TRUE(same_number(a.models[m].shells[s].in, b.models[m].shells[s].in));
      EXPECT_TRUE(same_number(a.models[m].shells[s].out, b.models[m].shells[s].out));
      EXPECT_TRUE(same_number(a.models[m].shells[s].rank, b.models[m].shells[s].rank));
      EXPECT_EQ(a.models[m].shells[s].fourier, b.models[m].shells[s].fourier);
    }
  }
  EXPECT_EQ(a.recommendation.reason, b.recommendation.reason);
}

TEST(CrossValidation, is_the_same_for_any_number_of_threads) {
  FitOptions base = quick_options("bilinear");
  base.architecture.fourier = Fourier::automatic;
  const Table table = training_table();
  const CrossValidation one = cross_validate(table, base, {}, {.threads = 1});
  EXPECT_EQ(one.models.size(), all_models().size() + 1) << "and bilinear over a base";
  for (const ModelScore& score : one.models) {
    EXPECT_EQ(score.failure, "");
    EXPECT_EQ(score.shells.size(), 5u);
    EXPECT_EQ(score.options.architecture.fourier, Fourier::automatic) << "a fit makes its own choice";
  }
  expect_same(cross_validate(table, base, {}, {.threads = 3}), one);
}

TEST(CrossValidation, outputs_of_a_shell_change_nothing_inside_it) {
  const Table rows = find_domain("sawtooth").sample(Split::train, 400, 0);
  Table spoiled("spoiled");
  const std::vector<double>& x = rows.column("x").values;
  std::vector<double> y = rows.column("y").values;
  const HeldOut held = hold_out(rows.matrix({"x"}), {.inside_fraction = 0.1, .queries = x.size()}, 0);
  for (size_t q = 0; q < held.queries.size(); ++q)
    if (held.outside[q]) y[held.queries[q]] = 0.5;
  spoiled.add(column("x", Role::input, x));
  spoiled.add(column("y", Role::output, y));
  FitOptions base = preset_options("default", "bilinear");
  base.architecture.fourier = Fourier::automatic;
  base.training.steps = 5000;
  // Tuning looks at the shell.
  const CrossValidationOptions options{.models = {"bilinear"}, .shells = {Shell::around}, .tuned = false};
  const auto error_inside = [&](const Table& table) {
    return cross_validate(table, base, options).score("bilinear").in.mean * output_scale(table);
  };
  EXPECT_NEAR(error_inside(spoiled), error_inside(rows), float_tolerance);
}

TEST(CrossValidation, trivial_models_score_what_a_hand_would_find) {
  const Table table = line([](double x) { return -x * x; });
  const std::vector<double>& y = table.column("y").values;
  double squares = 0;
  for (double value : y) squares += (value - mean(y)) * (value - mean(y));
  const double scale = std::sqrt(squares / 40);
  // Rows 32 ... 39 are the shell. Of the rest, the outermost outputs are nearer to 0 than to -31 * 31.
  const auto error_of = [&](double answer) {
    double sum = 0;
    for (size_t r = 32; r < 40; ++r) sum += (y[r] - answer) * (y[r] - answer);
    return std::sqrt(sum / 8) / scale;
  };
  FitOptions base;
  const CrossValidationOptions options{
      .models = {"nearest", "extreme"}, .shells = {Shell::high_end}, .inside_fraction = 0};
  const CrossValidation found = cross_validate(table, base, options, {.threads = 1});
  EXPECT_NEAR(found.score("nearest").out.mean, error_of(-31 * 31), float_tolerance);
  EXPECT_NEAR(found.score("extreme").out.mean, error_of(0), float_tolerance);
  EXPECT_EQ(found.score("extreme").out.deviation, 0);
  for (const ModelScore& score : found.models) {
    EXPECT_TRUE(std::isnan(score.rank.mean)) << "a constant ranks nothing";
    EXPECT_TRUE(std::isnan(score.in.mean)) << "no row was held out inside";
  }
}

TEST(CrossValidation, a_straight_line_is_won_by_a_model_of_straight_lines_and_carries_over) {
  const CrossValidation found =
      cross_validate(line([](double x) { return 3 * x - 7; }), {}, {.models = closed_forms}, {.threads = 2});
  EXPECT_TRUE(found.recommendation.model == "linear" || found.recommendation.model == "ridge");
  EXPECT_EQ(found.recommendation.carries, Carries::over);
  EXPECT_LT(found.score("linear").out.mean, float_tolerance);
  EXPECT_NEAR(found.score("linear").rank.mean, 1, float_tolerance);
}

TEST(CrossValidation, a_parabola_needs_a_quadratic) {
  const CrossValidation found = cross_validate(line([](double x) { return x * x - 20 * x; }), {},
                                               {.models = closed_forms}, {.threads = 2});
  EXPECT_EQ(found.recommendation.model, "quadratic");
  EXPECT_EQ(found.recommendation.carries, Carries::over);
}

TEST(CrossValidation, what_repeats_carries_over_by_transduction_and_a_polynomial_by_nothing) {
  FitOptions base = preset_options("default", "bilinear");
  base.architecture.fourier = Fourier::on;
  base.training.steps = 3000;
  const CrossValidationOptions options{.models = {"bilinear", "linear", "quadratic", "nearest", "extreme"},
                                       .effort = 1};
  const auto recommended = [&](const char* domain) {
    return cross_validate(find_domain(domain).sample(Split::train, 400, 0), base, options).recommendation;
  };
  const Recommendation sawtooth = recommended("sawtooth"), polynomial = recommended("polynomial");
  EXPECT_EQ(sawtooth.model, "bilinear");
  EXPECT_EQ(sawtooth.carries, Carries::over) << sawtooth.reason;
  EXPECT_EQ(polynomial.carries, Carries::not_over) << polynomial.reason;
}

TEST(CrossValidation, a_model_that_fails_is_reported_with_the_reason_and_stops_nothing) {
  FitOptions base = quick_options("bilinear");
  base.context = {};
  const CrossValidation found =
      cross_validate(training_table(), base, {.models = {"deepsets", "linear"}}, {.threads = 1});
  EXPECT_NE(found.score("deepsets").failure.find("around"), std::string::npos);
  EXPECT_NE(found.score("deepsets").failure.find("context"), std::string::npos);
  EXPECT_TRUE(std::isnan(found.score("deepsets").out.mean));
  EXPECT_EQ(found.recommendation.model, "linear");
  const CrossValidation nothing =
      cross_validate(training_table(), base, {.models = {"deepsets"}}, {.threads = 1});
  EXPECT_EQ(nothing.recommendation.carries, Carries::unknown);
}

TEST(CrossValidation, a_training_that_diverges_is_a_failure) {
  FitOptions base = quick_options("mlp");
  base.training.adam.learning_rate = 99;
  base.training.loss = Loss::mse;
  base.inputs = base.outputs = Scaling::none;
  base.architecture.layers = 20;
  base.training.steps = 400;
  const CrossValidation found =
      cross_validate(training_table(), base, {.models = {"mlp", "linear"}, .effort = 1}, {.threads = 1});
  EXPECT_NE(found.score("mlp").failure, "");
  EXPECT_EQ(found.recommendation.model, "linear");
}

TEST(CrossValidation, models_that_need_context_stand_for_election_only_with_some) {
  FitOptions base;
  EXPECT_EQ(default_candidates(base).size(), all_models().size() - 2);
  base.context = {"x"};
  EXPECT_EQ(default_candidates(base).size(), all_models().size());
}

// 62 columns make 2015 features: more than a quadratic is tried with.
TEST(CrossValidation, a_quadratic_of_too_many_inputs_is_skipped_unless_it_was_asked_for) {
  Rng rng(3, Stream::domain);
  Table table("wide");
  for (int c = 0; c < 63; ++c) {
    Column values = column("c" + std::to_string(c), c == 62 ? Role::output : Role::input, {});
    for (int r = 0; r < 2001; ++r) values.values.push_back(rng.uniform(0, 1));
    table.add(std::move(values));
  }
  const auto never = [](const Progress&) { return false; };
  const CrossValidation found = cross_validate(table, {}, {}, {.progress = never, .threads = 1});
  EXPECT_EQ(found.status, TrainStatus::stopped);
  EXPECT_NE(found.score("quadratic").failure.find("2015 features of 62 inputs"), std::string::npos);
  EXPECT_EQ(found.score("linear").failure, "");
  EXPECT_EQ(cross_validate(table, {}, {.models = {"quadratic"}}, {.progress = never, .threads = 1})
                .score("quadratic")
                .failure,
            "");
}

TEST(CrossValidation, progress_rises_to_the_steps_it_promised_and_a_stop_ends_it) {
  const Table table = training_table();
  const FitOptions base = quick_options("bilinear");
  const CrossValidationOptions options{.models = {"bilinear", "linear", "mlp"}};
  const auto expect_steps = [&](const FitOptions& of, uint64_t promised) {
    uint64_t last = 0;
    const auto watch = [&](const Progress& p) {
      EXPECT_GE(p.step, last);
      EXPECT_EQ(p.steps, promised);
      last = p.step;
      return true;
    };
    EXPECT_EQ(cross_validate(table, of, options, {.progress = watch, .threads = 2}).status,
              TrainStatus::finished);
    EXPECT_EQ(last, promised);
  };
  expect_steps(base, 5 * (2 * 40 + 20));  // shells; bilinear alone and over linear; half of 40 steps for mlp
  FitOptions open = base;
  open.architecture.fourier = Fourier::automatic;
  expect_steps(open,
               5 * (2 * 40 + 20 + 3 * 2 * 8));  // and for each a fifth of 40 steps with the layer and without
  int calls = 0;
  const auto stop_soon = [&](const Progress&) { return ++calls < 4; };
  EXPECT_EQ(cross_validate(table, base, options, {.progress = stop_soon, .threads = 2}).status,
            TrainStatus::stopped);
}

TEST(CrossValidation, refuses_what_no_model_can_be_fitted_to) {
  const auto error_on = [](const Table& table, const FitOptions& base, std::vector<std::string> models) {
    return error_text([&] { cross_validate(table, base, {.models = std::move(models)}); });
  };
  const FitOptions base = quick_options("bilinear");
  EXPECT_NE(error_on(training_table(19), base, {}).find("at least 20 rows"), std::string::npos);
  EXPECT_NE(error_on(training_table(), base, {"linear", "linaer"}).find("\"linaer\""), std::string::npos);
  Table constant = training_table();
  constant.add(column("c", Role::input, std::vector<double>(60, 2.0)));
  EXPECT_NE(error_on(constant, base, {}).find("\"c\""), std::string::npos);
}

ModelScore scored(const std::string& model, double in, double out) {
  ModelScore score;
  score.options.model = model;
  score.in = {in, 0};
  score.out = {out, 0};
  score.errors = {.inside = in, .inputs = out};
  return score;
}

TEST(Recommendation, is_the_least_error_out_of_support_whatever_it_is_in_support) {
  const Recommendation r = recommend({scored("mlp", 0.01, 0.4), scored("bilinear", 0.1, 0.11)});
  EXPECT_EQ(r.model, "bilinear");
  EXPECT_EQ(r.carries, Carries::over);
}

TEST(Recommendation, of_models_as_good_is_the_simplest) {
  const std::vector<std::string> order = {"extreme",  "nearest",         "linear",
                                          "ridge",    "quadratic",       "bilinear-ridge",
                                          "deepsets", "bilinear-direct", "bilinear"};
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    EXPECT_EQ(recommend({scored(order[i + 1], 0.1, 0.100), scored(order[i], 0.1, 0.102)}).model, order[i]);
    EXPECT_EQ(recommend({scored(order[i + 1], 0.1, 0.100), scored(order[i], 0.1, 0.106)}).model,
              order[i + 1]);
  }
  EXPECT_EQ(recommend({scored("quadratic", 0, 1e-9), scored("linear", 0, 9e-5)}).model, "linear");
}

TEST(Recommendation, is_a_network_without_structure_only_when_it_is_better_by_a_quarter) {
  for (const char* network : {"mlp", "concat"}) {
    EXPECT_EQ(recommend({scored(network, 0.1, 0.100), scored("bilinear", 0.1, 0.11)}).model, "bilinear");
    EXPECT_EQ(recommend({scored(network, 0.1, 0.100), scored("bilinear", 0.1, 0.14)}).model, network);
  }
}

TEST(Recommendation, carries_over_when_the_error_is_small_or_stays_what_it_is_inside) {
  const auto carries = [](double in, double out) { return recommend({scored("mlp", in, out)}).carries; };
  EXPECT_EQ(carries(0.001, 0.15), Carries::over);
  EXPECT_EQ(carries(0.001, 0.16), Carries::not_over);
  EXPECT_EQ(carries(0.3, 0.59), Carries::over);
  EXPECT_EQ(carries(0.3, 0.61), Carries::not_over);
  EXPECT_EQ(carries(0.45, 0.69), Carries::over);
  EXPECT_EQ(carries(0.45, 0.71), Carries::not_over) << "hardly better than a constant";
  EXPECT_EQ(carries(0.6, 0.69), Carries::unexplained);
  EXPECT_EQ(carries(0.9, 0.01), Carries::unexplained) << "luck: inside it is no better than a constant";
  EXPECT_EQ(carries(std::nan(""), 0.3), Carries::not_over);
  EXPECT_EQ(recommend({scored("mlp", 0.1, 0.3)}, Beyond::both, {.small = 0.3}).carries, Carries::over);
}

TEST(Recommendation, says_plainly_when_nothing_carries_over) {
  for (const char* model : {"mlp", "nearest", "extreme"}) {
    const Recommendation r = recommend({scored(model, 0.01, 0.54)});
    EXPECT_EQ(r.model, model);
    EXPECT_TRUE(r.reason.starts_with("no model carries over beyond the data")) << r.reason;
    EXPECT_NE(r.reason.find("0.54"), std::string::npos);
  }
}

TEST(Recommendation, says_that_nothing_explains_a_table_only_where_no_model_does_so_inside) {
  const Recommendation noise = recommend({scored("linear", 0.69, 0.7), scored("mlp", 0.66, 0.9)});
  EXPECT_EQ(noise.carries, Carries::unexplained);
  EXPECT_EQ(noise.model, "linear");
  EXPECT_TRUE(noise.reason.starts_with("no model explains this table, even inside: the best there, mlp"))
      << noise.reason;
  const Recommendation inside = recommend({scored("extreme", 0.9, 0.3), scored("mlp", 0.35, 0.9)});
  EXPECT_EQ(inside.carries, Carries::not_over);
  EXPECT_EQ(inside.model, "extreme");
}

TEST(Recommendation, is_no_constant_where_outputs_are_sought) {
  const std::vector<ModelScore> scores = {scored("extreme", 0.9, 0.1), scored("ridge", 0.3, 0.4)};
  EXPECT_EQ(recommend(scores, Beyond::inputs).model, "extreme");
  EXPECT_EQ(recommend(scores, Beyond::outputs).model, "ridge");
}

TEST(Recommendation, passes_over_models_without_a_score) {
  ModelScore failed;
  failed.options.model = "linear";
  failed.failure = "training diverged";
  EXPECT_EQ(recommend({failed, scored("mlp", 0.1, 0.9)}).model, "mlp");
  EXPECT_EQ(recommend({failed}).carries, Carries::unknown);
  EXPECT_EQ(recommend({}).carries, Carries::unknown);
}

}  // namespace
}  // namespace kedge
