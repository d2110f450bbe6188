#include "kedge/trials/rehearsal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/domain.h"
#include "kedge/trials/calibration.h"
#include "kedge/trials/choice.h"
#include "kedge/trials/fit.h"

namespace kedge {
namespace {

FitOptions short_fit(Fourier fourier) {
  FitOptions options = preset_options("default", "bilinear");
  options.architecture.fourier = fourier;
  options.training.steps = 5000;
  options.replicas = 1;
  return options;
}

/// One rehearsal; throws its error.
Rehearsal rehearsed(const Table& table, const FitOptions& options, const RehearsalOptions& how) {
  const RehearsalRequest request{table, options, how};
  RehearsalAttempt attempt = std::move(rehearse({&request, 1}, {.threads = 1}).front());
  if (attempt.error) throw Error(*attempt.error);
  return std::move(*attempt.result);
}

Fourier chosen(const Table& table, const FitOptions& options) {
  const FitRequest request{table, options};
  return choose({&request, 1}, {.threads = 2}).front().architecture.fourier;
}

TEST(Rehearsal, what_repeats_gets_the_fourier_layer_and_what_is_straight_does_not_need_it) {
  const Table repeating = find_domain("sawtooth").sample(Split::train, 400, 0);
  const auto error = [&](Fourier fourier) {
    return shell_error(repeating, rehearsed(repeating, short_fit(fourier), {.effort = 1}));
  };
  const double with = error(Fourier::on), without = error(Fourier::off);
  EXPECT_LT(with, 0.5 * without);
  EXPECT_EQ(chosen(repeating, short_fit(Fourier::automatic)), Fourier::on);
}

TEST(Rehearsal, shells_of_outputs_hold_out_the_largest_or_the_smallest) {
  Table table("t");
  Column x{.name = "x", .role = Role::input, .values = {}, .words = {}},
      y{.name = "y", .role = Role::output, .values = {}, .words = {}};
  for (int i = 0; i < 100; ++i) {
    x.values.push_back(i);
    y.values.push_back((i * 37) % 100);
  }
  table.add(x);
  table.add(y);
  for (Shell shell : {Shell::smallest, Shell::largest}) {
    const HeldOut rows =
        hold_out(table.matrix({"x"}), {.shell = shell, .fraction = 0.1, .inside_fraction = 0.1}, 0,
                 table.matrix({"y"}));
    size_t outside = 0;
    for (size_t q = 0; q < rows.queries.size(); ++q) {
      const double value = y.values[rows.queries[q]];
      EXPECT_EQ(rows.outside[q], shell == Shell::largest ? value >= 90 : value < 10);
      outside += rows.outside[q];
    }
    EXPECT_EQ(outside, 10u);
    EXPECT_EQ(rows.queries.size() + rows.fitted.size(), 100u);
  }
}

TEST(Rehearsal, a_choice_already_made_is_left_alone_and_costs_no_steps) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  for (Fourier fourier : {Fourier::on, Fourier::off}) {
    EXPECT_EQ(choice_load({table, short_fit(fourier)}).steps, 0u);
    EXPECT_EQ(chosen(table, short_fit(fourier)), fourier);
  }
  EXPECT_EQ(choice_load({table, short_fit(Fourier::automatic)}).steps, 2000u);
}

TEST(Rehearsal, of_a_large_table_takes_some_rows_at_random_and_of_a_small_one_all) {
  const FitOptions options = short_fit(Fourier::off);
  const Table small = find_domain("sawtooth").sample(Split::train, 50, 0);
  EXPECT_EQ(rehearsal_rows(small, options).size(), 50u);
  const Table large = find_domain("sawtooth").sample(Split::train, 3 * most_rehearsal_rows, 0);
  const std::vector<size_t> rows = rehearsal_rows(large, options);
  EXPECT_EQ(rows.size(), most_rehearsal_rows);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rehearsal_rows(large, options), rows);
  const auto early = std::lower_bound(rows.begin(), rows.end(), most_rehearsal_rows) - rows.begin();
  EXPECT_NEAR(static_cast<double>(early), most_rehearsal_rows / 3.0, 300);
}

TEST(Rehearsal, of_a_large_table_keeps_rows_together_that_are_paired) {
  FitOptions options = short_fit(Fourier::off);
  options.pairs = PairRule::same_label;
  Table table = find_domain("sawtooth").sample(Split::train, 3 * most_rehearsal_rows, 0);
  Column pairs{.name = "pair", .role = Role::label, .values = {}, .words = {}};
  for (size_t r = 0; r < table.rows(); ++r) pairs.values.push_back(static_cast<double>(r / 2));
  table.add(std::move(pairs));
  const std::vector<size_t> rows = rehearsal_rows(table, options);
  ASSERT_EQ(rows.size() % 2, 0u);
  EXPECT_NEAR(static_cast<double>(rows.size()), most_rehearsal_rows, 2);
  for (size_t i = 0; i < rows.size(); i += 2) ASSERT_EQ(rows[i] / 2, rows[i + 1] / 2);
}

TEST(Rehearsal, work_is_told_to_its_end_without_going_back_and_phases_are_named) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  FitOptions options = short_fit(Fourier::automatic);
  options.training.steps = 60;
  options.calibration = Calibration::shells;
  options.anchor_rows = 50;
  Progress last;
  std::vector<std::string> phases;
  const auto watch = [&](const Progress& p) {
    EXPECT_GE(p.work, last.work * (1 - 1e-9));
    EXPECT_LE(p.work, p.total_work * (1 + 1e-9));
    if (phases.empty() || phases.back() != p.phase) phases.emplace_back(p.phase);
    last = p;
    return true;
  };
  fit({table, options}, {.progress = watch, .threads = 2});
  EXPECT_EQ(phases, (std::vector<std::string>{"choosing", "training", "rehearsing", "measuring"}));
  EXPECT_GT(last.work, 0.5 * last.total_work);
}

TEST(Rehearsal, calibration_keeps_what_its_rehearsals_answered) {
  const Table table = find_domain("sawtooth").sample(Split::train, 60, 0);
  FitOptions options = preset_options("default", "linear");
  const FitResult result = fit({table, options});
  ASSERT_EQ(result.rehearsed.size(), closed_form_trials().size());
  EXPECT_EQ(result.rehearsed[0].held_out, "the outermost 20 %");
  EXPECT_EQ(result.rehearsed[1].held_out, "the outermost 40 %");
  for (const RehearsedRows& rows : result.rehearsed) {
    EXPECT_EQ(rows.truth.rows(), rows.outside.size());
    EXPECT_EQ(rows.predicted.rows(), rows.outside.size());
    EXPECT_EQ(rows.expected.size(), rows.outside.size());
    EXPECT_GT(std::count(rows.outside.begin(), rows.outside.end(), true), 0);
    EXPECT_GT(std::count(rows.outside.begin(), rows.outside.end(), false), 0);
  }
  EXPECT_GT(result.rehearsed[0].expected[0], 0);
  options.calibration = Calibration::none;
  EXPECT_TRUE(fit({table, options}).rehearsed.empty());
}

TEST(Rehearsal, too_few_rows_decide_nothing_and_leave_the_layer_off) {
  const Table table = find_domain("sawtooth").sample(Split::train, 10, 0);
  EXPECT_EQ(choice_load({table, short_fit(Fourier::automatic)}).steps, 0u);
  EXPECT_EQ(chosen(table, short_fit(Fourier::automatic)), Fourier::off);
}

TEST(Rehearsal, a_fit_never_stores_an_open_choice) {
  const Table table = find_domain("sawtooth").sample(Split::train, 50, 0);
  FitOptions options = short_fit(Fourier::automatic);
  options.training.steps = 50;
  EXPECT_NE(fit({table, options}).predictor.options().architecture.fourier, Fourier::automatic);
}

/// The table with another output in every row but those.
Table with_outputs_spoiled_outside(const Table& table, const std::vector<size_t>& kept) {
  std::vector<double> y(table.rows(), 0.5);
  for (size_t r : kept) y[r] = table.column("y").values[r];
  Table spoiled("spoiled");
  spoiled.add(table.column("x"));
  spoiled.add({.name = "y", .role = Role::output, .values = y, .words = {}});
  return spoiled;
}

TEST(Rehearsal, an_open_choice_and_the_fit_never_see_a_held_out_row) {
  const Table table = find_domain("sawtooth").sample(Split::train, 400, 0);
  const FitOptions options = short_fit(Fourier::automatic);
  for (const CalibrationTrial& trial : calibration_trials()) {
    if (is_of_outputs(trial.rehearsal.shell)) continue;  // spoiled outputs would be another shell
    const HeldOut rows = hold_out(table.matrix({"x"}), trial.rehearsal, options.seed);
    const Table spoiled = with_outputs_spoiled_outside(table, rows.fitted);
    const Rehearsal one = rehearsed(table, options, trial.rehearsal);
    const Rehearsal two = rehearsed(spoiled, options, trial.rehearsal);
    EXPECT_EQ(one.fourier, two.fourier);
    EXPECT_EQ(one.predictions.y.values(), two.predictions.y.values());
    EXPECT_EQ(one.loss, two.loss);
    EXPECT_NE(one.truth.values(), two.truth.values());
  }
  const RehearsalOptions around{};
  const Table spoiled =
      with_outputs_spoiled_outside(table, hold_out(table.matrix({"x"}), around, options.seed).fitted);
  EXPECT_EQ(chosen(spoiled, options), Fourier::off) << "a choice on all rows would follow the outer ones";
  EXPECT_EQ(rehearsed(spoiled, options, around).fourier, Fourier::on);
}

TEST(Rehearsal, a_nested_choice_has_the_effort_of_the_choice_before_a_fit) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  FitOptions options = short_fit(Fourier::automatic);
  options.epochs = 100;  // 300 steps; fewer rows would make fewer
  const RehearsalOptions how{.effort = 0.5};
  EXPECT_EQ(rehearsal_load({table, options, how}).steps, 150u + 2 * 60u);
  options.architecture.fourier = Fourier::off;
  EXPECT_EQ(rehearsal_load({table, options, how}).steps, 150u);
}

TEST(Rehearsal, where_too_few_rows_are_left_to_choose_on_the_layer_stays_off_and_steps_count_all_the_same) {
  const Table table = find_domain("sawtooth").sample(Split::train, 24, 0);
  FitOptions options = short_fit(Fourier::automatic);
  options.training.steps = 50;
  const RehearsalRequest request{table, options};
  uint64_t last = 0;
  const auto watch = [&](const Progress& p) {
    EXPECT_GE(p.step, last);
    EXPECT_EQ(p.steps, rehearsal_load(request).steps);
    last = p.step;
    return true;
  };
  const std::vector<RehearsalAttempt> attempts = rehearse({&request, 1}, {.progress = watch, .threads = 2});
  EXPECT_EQ(attempts.front().result.value().fourier, Fourier::off);
  EXPECT_EQ(last, rehearsal_load(request).steps);
}

FitOptions blink(const std::string& model) {
  FitOptions options = preset_options("default", model);
  options.architecture.fourier = Fourier::off;
  options.training.steps = 200;
  return options;
}

TEST(Rehearsal, predicts_the_outermost_rows_by_the_others_and_never_saw_them) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  const Rehearsal rehearsal =
      rehearsed(table, blink("ridge"), {.fraction = 0.3, .inside_fraction = 0.1, .queries = 1000});
  ASSERT_EQ(rehearsal.truth.rows(), 37u);
  EXPECT_EQ(std::count(rehearsal.outside.begin(), rehearsal.outside.end(), true), 30);
  for (size_t r = 0; r < rehearsal.outside.size(); ++r) {
    EXPECT_GT(rehearsal.predictions.support_distance[r], 0);
    if (rehearsal.outside[r]) {
      EXPECT_NE(rehearsal.predictions.verdict[r], Verdict::interpolation);
    }
  }
}

TEST(Rehearsal, at_one_end_holds_out_that_end) {
  const Table table = find_domain("sawtooth").sample(Split::train, 200, 0);
  for (Shell shell : {Shell::low_end, Shell::high_end}) {
    const Rehearsal rehearsal = rehearsed(table, blink("linear"), {.shell = shell, .fraction = 0.5});
    const std::vector<double>& x = table.column("x").values;
    std::vector<double> outside;
    for (size_t r = 0; r < x.size(); ++r)
      if ((x[r] > 30) == (shell == Shell::high_end)) outside.push_back(sawtooth(x[r]));
    size_t found = 0;
    for (size_t r = 0; r < rehearsal.truth.rows(); ++r)
      found += static_cast<size_t>(std::count(outside.begin(), outside.end(), rehearsal.truth(r, 0)) > 0);
    EXPECT_GT(found, rehearsal.truth.rows() * 9 / 10);
  }
}

TEST(Rehearsal, holds_out_all_rows_of_equal_inputs_together) {
  Table table("levels.csv");
  Column x{.name = "x", .role = Role::input, .values = {}, .words = {}}, y{x};
  y.name = "y";
  y.role = Role::output;
  for (size_t r = 0; r < 60; ++r) {
    x.values.push_back(static_cast<double>(r % 6));
    y.values.push_back(x.values.back() * x.values.back());
  }
  table.add(x);
  table.add(y);
  const Rehearsal rehearsal = rehearsed(table, blink("nearest"), {.fraction = 0.2});
  for (size_t r = 0; r < rehearsal.outside.size(); ++r)
    EXPECT_GT(rehearsal.predictions.support_distance[r], 0);
  EXPECT_THROW(rehearsed(table.select({0, 1, 6, 7, 12, 13}), blink("nearest"), {.fraction = 0.2}), Error);
}

TEST(Rehearsal, calibration_is_the_same_for_any_number_of_threads) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  for (Fourier fourier : {Fourier::off, Fourier::automatic}) {
    FitOptions options = blink("bilinear");
    options.architecture.fourier = fourier;
    const Predictor one = fit({table, options}, {.threads = 1}).predictor;
    const Predictor two = fit({table, options}, {.threads = 3}).predictor;
    EXPECT_EQ(to_json(one.coverage()), to_json(two.coverage()));
    EXPECT_TRUE(one.coverage().errors.is_known());
  }
}

TEST(Rehearsal, calibration_makes_the_choice_anew_with_the_rows_that_it_fits) {
  // Enough rows to choose the layer, but not without those that are held out.
  Table table("waves.csv");
  Column x{.name = "x", .role = Role::input, .values = {}, .words = {}}, y{x};
  y.name = "y";
  y.role = Role::output;
  for (size_t r = 0; r < 25; ++r) {
    x.values.push_back(static_cast<double>(r));
    y.values.push_back(static_cast<double>(r % 4));
  }
  table.add(x);
  table.add(y);
  const FitRequest request{table, short_fit(Fourier::automatic)};
  const Predictor predictor = fit(request).predictor;
  ASSERT_EQ(predictor.options().architecture.fourier, Fourier::on);
  const auto errors = [&](Fourier fourier) {
    const FitRequest of{table, short_fit(fourier)};
    const CalibrationRequest calibration{of, predictor};
    return calibrate({&calibration, 1}, {.threads = 1}).front().errors.coefficients;
  };
  EXPECT_EQ(predictor.coverage().errors.coefficients, errors(Fourier::automatic));
  EXPECT_EQ(predictor.coverage().errors.coefficients, errors(Fourier::off)) << "too few rows to choose on";
  EXPECT_NE(predictor.coverage().errors.coefficients, errors(Fourier::on));
}

TEST(Rehearsal, of_what_does_not_carry_over_expects_large_errors_outside_and_small_ones_inside) {
  const Table table = find_domain("polynomial").sample(Split::train, 300, 0);
  const Predictor predictor = fit({table, preset_options("default", "quadratic")}).predictor;
  const auto expected = [&](Split split) {
    const Predictions p = predictor.predict(find_domain("polynomial").sample(split, 50, 1));
    return std::accumulate(p.expected_error.begin(), p.expected_error.end(), 0.0) / 50;
  };
  EXPECT_GT(expected(Split::oos), 2 * expected(Split::in));
}

TEST(Rehearsal, expects_nothing_of_too_few_rows_or_when_not_asked_to) {
  const Table few = find_domain("sawtooth").sample(Split::train, 19, 0);
  EXPECT_FALSE(fit({few, blink("ridge")}).predictor.coverage().errors.is_known());
  FitOptions options = blink("ridge");
  options.calibration = Calibration::none;
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  EXPECT_FALSE(fit({table, options}).predictor.coverage().errors.is_known());
  EXPECT_EQ(calibration_load({table, options}).steps, 0u);
}

TEST(Rehearsal, progress_counts_to_its_announced_end_without_going_back) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  for (Fourier fourier : {Fourier::off, Fourier::automatic}) {
    FitOptions options = blink("bilinear");
    options.architecture.fourier = fourier;
    const FitRequest request{table, options};
    const uint64_t total =
        choice_load(request).steps + options.training.steps + calibration_load(request).steps;
    uint64_t last = 0;
    const auto watch = [&](const Progress& p) {
      EXPECT_GE(p.step, last);
      EXPECT_EQ(p.steps, total);
      last = p.step;
      return true;
    };
    fit(request, {.progress = watch, .threads = 2});
    EXPECT_EQ(last, total);
  }
}

TEST(Rehearsal, stopped_during_calibration_leaves_the_trained_model_without_expectations) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  const FitOptions options = blink("bilinear");
  const auto watch = [&](const Progress& p) { return p.step <= options.training.steps; };
  const FitResult result = fit({table, options}, {.progress = watch, .threads = 1});
  EXPECT_EQ(result.outcome.status, TrainStatus::finished);
  EXPECT_FALSE(result.predictor.coverage().errors.is_known());
  EXPECT_TRUE(result.calibration_stopped);
}

TEST(Rehearsal, one_wish_to_stop_in_the_choices_of_a_calibration_ends_it) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  FitOptions options = blink("bilinear");
  options.architecture.fourier = Fourier::automatic;
  const FitRequest request{table, options};
  const uint64_t fitted = choice_load(request).steps + options.training.steps;
  bool asked = false;
  const auto stop_once = [&](const Progress& p) {
    const bool goes_on = asked || p.step <= fitted;
    asked = asked || !goes_on;
    return goes_on;
  };
  const FitResult result = fit(request, {.progress = stop_once, .threads = 1});
  EXPECT_TRUE(asked);
  EXPECT_EQ(result.outcome.status, TrainStatus::finished);
  EXPECT_FALSE(result.predictor.coverage().errors.is_known());
  EXPECT_TRUE(result.calibration_stopped);
}

TEST(Fit, stopped_during_the_choice_gives_no_model) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  const auto stop = [](const Progress&) { return false; };
  try {
    fit({table, short_fit(Fourier::automatic)}, {.progress = stop, .threads = 1});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("before the training began"), std::string::npos);
  }
}

TEST(Rehearsal, hears_a_stop_while_it_predicts) {
  const Table table = find_domain("sawtooth").sample(Split::train, 100, 0);
  const std::vector<RehearsalRequest> requests(1, RehearsalRequest{table, blink("ridge")});
  size_t reports = 0;
  rehearse(requests, {.progress = [&](const Progress&) { return ++reports > 0; }});
  // The last are asked between the rows of the two predictions.
  for (size_t stop : {reports - 1, reports - 40}) {
    size_t asked = 0;
    const auto watch = [&](const Progress&) { return ++asked < stop; };
    const std::vector<RehearsalAttempt> attempts = rehearse(requests, {.progress = watch});
    ASSERT_TRUE(attempts[0].result);
    EXPECT_EQ(attempts[0].result->status, TrainStatus::stopped);
    EXPECT_EQ(asked, stop);
  }
}

}  // namespace
}  // namespace kedge
