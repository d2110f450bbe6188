#include "kedge/predictor/fit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "tests/predictor/fitted.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

FitOptions with_seed(const std::string& model, uint64_t seed) {
  FitOptions options = quick_options(model);
  options.seed = seed;
  return options;
}

/// y = 3 x^2 of x from 1 to 10.
Table power_law() {
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) {
    x.push_back(std::pow(10.0, i / 39.0));
    y.push_back(3 * x.back() * x.back());
  }
  Table table("law.csv");
  table.add(column("x", Role::input, x));
  table.add(column("y", Role::output, y));
  return table;
}

TEST(FitModel, an_output_on_a_log_scale_carries_a_power_law_over_decades) {
  FitOptions options = quick_options("linear");
  options.space = "x=log,y=log";
  options.context = {};
  const Table table = power_law();
  const Predictor predictor = fit_model({table, options}).predictor;
  const Matrix<double> far(1, 1, std::vector<double>{1000});
  EXPECT_NEAR(predictor.predict(far).y(0, 0) / 3e6, 1, 1e-4);
  const Predictor loaded = Predictor::from_bytes(predictor.to_bytes(), "law.kedge");
  EXPECT_TRUE(same(predictor.predict(far), loaded.predict(far)));
  EXPECT_EQ(loaded.training_outputs().values(), table.column("y").values);
}

TEST(FitModel, an_output_on_a_log_scale_needs_positive_numbers) {
  FitOptions options = quick_options("linear");
  options.space = "y=log";
  options.context = {};
  Table table("law.csv");
  table.add(column("x", Role::input, {1, 2, 3}));
  table.add(column("y", Role::output, {1, 0, 3}));
  const std::string error = error_text([&] { fit_model({table, options}); });
  EXPECT_NE(error.find("row 1, column \"y\": an output on a log scale needs positive"), std::string::npos)
      << error;
}

TEST(FitModels, fits_side_by_side_are_those_made_one_by_one_bit_for_bit) {
  const Table table = training_table(), other = training_table(40);
  std::vector<FitRequest> requests;
  for (uint64_t seed : {1u, 2u, 3u}) requests.push_back({table, with_seed("bilinear", seed)});
  requests.push_back({other, with_seed("bilinear", 4)});
  requests.push_back({table, with_seed("mlp", 1)});
  requests.push_back({table, with_seed("quadratic", 1)});
  requests[1].options.training.steps = 70;
  requests[2].options.replicas = 3;
  for (int threads : {1, 3}) {
    const std::vector<FitAttempt> together = fit_models(requests, {.threads = threads});
    for (size_t i = 0; i < requests.size(); ++i) {
      ASSERT_TRUE(together[i].result.has_value());
      EXPECT_EQ(together[i].result->predictor.to_bytes(), fit_model(requests[i]).predictor.to_bytes());
    }
  }
}

TEST(FitModels, one_that_cannot_be_fitted_does_not_end_the_others) {
  const Table good = training_table(), bad = training_table(1);
  const std::vector<FitRequest> requests = {
      {good, quick_options("bilinear")}, {bad, quick_options("bilinear")}, {good, quick_options("ridge")}};
  const std::vector<FitAttempt> attempts = fit_models(requests);
  EXPECT_TRUE(attempts[0].result && attempts[2].result);
  ASSERT_TRUE(attempts[1].error.has_value());
  EXPECT_NE(std::string(attempts[1].error->what()).find("at least two rows"), std::string::npos);
}

TEST(FitModels, one_that_diverges_ends_alone) {
  const Table table = training_table();
  std::vector<FitRequest> requests = {{table, quick_options("bilinear")}, {table, quick_options("bilinear")}};
  requests[0].options.training.adam.learning_rate = 99;
  requests[0].options.training.loss = Loss::mse;
  requests[0].options.architecture.layers = requests[1].options.architecture.layers = 12;
  requests[0].options.training.steps = 3000;
  const std::vector<FitAttempt> attempts = fit_models(requests);
  EXPECT_EQ(attempts[0].result->outcome.status, TrainStatus::diverged);
  EXPECT_EQ(attempts[1].result->outcome.status, TrainStatus::finished);
  EXPECT_EQ(attempts[1].result->predictor.to_bytes(), fit_model(requests[1]).predictor.to_bytes());
}

TEST(StopNote, keeps_to_a_wish_to_stop) {
  int asked = 0;
  StopNote note({.progress = [&](const Progress&) { return ++asked != 2; }, .threads = 3});
  const RunOptions run = note.run();
  EXPECT_EQ(run.threads, 3);
  EXPECT_TRUE(run.progress({1, 4, 0}));
  EXPECT_FALSE(note.is_wished());
  EXPECT_FALSE(run.progress({2, 4, 0}));
  EXPECT_TRUE(note.is_wished());
  EXPECT_FALSE(run.progress({3, 4, 0})) << "though it was not wished again";
  EXPECT_THROW(note.check(), Error);
  EXPECT_EQ(asked, 2);
}

TEST(StopNote, asks_with_the_last_report_for_work_that_has_none) {
  std::vector<uint64_t> steps;
  StopNote note({.progress = [&](const Progress& p) {
    steps.push_back(p.step);
    return steps.size() < 3;
  }});
  note.run().progress({7, 9, 0});
  note.check();
  EXPECT_THROW(note.check(), Error);
  EXPECT_EQ(steps, (std::vector<uint64_t>{7, 7, 7}));
}

TEST(StopNote, of_a_run_that_nobody_watches_never_stops) {
  StopNote note(RunOptions{});
  EXPECT_FALSE(note.run().progress);
  note.check();
  EXPECT_FALSE(note.is_wished());
}

TEST(FitModel, stopped_before_its_training_gives_no_model) {
  for (const char* model : {"bilinear", "ridge"}) {
    // Reports before the training; the last of a closed form is its end.
    int reports = 0;
    fit_model({training_table(), quick_options(model)}, {.progress = [&](const Progress& p) {
                if (p.step == 0) ++reports;
                return true;
              }});
    ASSERT_GT(reports, 2) << model;
    for (int stop : {1, reports / 2, reports - 1}) {
      int asked = 0;
      const auto watch = [&](const Progress&) { return ++asked < stop; };
      EXPECT_NE(error_text([&] {
                  fit_model({training_table(), quick_options(model)}, {.progress = watch});
                }).find("stopped before the training began"),
                std::string::npos)
          << model << " at report " << stop;
    }
  }
}

TEST(FitModels, that_a_stop_finds_waiting_do_not_begin) {
  const Table table = training_table();
  const std::vector<FitRequest> requests(6, FitRequest{table, quick_options("bilinear")});
  const auto watch = [](const Progress& p) { return p.step == 0; };
  const std::vector<FitAttempt> attempts = fit_models(requests, {.progress = watch, .threads = 1});
  ASSERT_TRUE(attempts[0].result);
  EXPECT_EQ(attempts[0].result->outcome.status, TrainStatus::stopped);
  for (size_t i = 1; i < attempts.size(); ++i) EXPECT_TRUE(attempts[i].error) << i;
}

TEST(FitModel, tells_its_errors_and_those_of_the_mean_on_training_pairs) {
  FitOptions options = quick_options("bilinear");
  options.training.steps = 2000;
  for (Loss loss : {Loss::l2, Loss::mse}) {
    options.training.loss = loss;
    const FitResult result = fit_model({training_table(), options});
    ASSERT_TRUE(result.training_errors);
    const TrainingErrors& errors = *result.training_errors;
    EXPECT_LT(errors.model, errors.constant);
    EXPECT_FALSE(errors.is_worse_than_constant());
    // The root mean square error of the mean is the deviation, 1 in standardized units.
    if (loss == Loss::mse) {
      EXPECT_NEAR(errors.constant, 1, 0.2);
    }
  }
  EXPECT_FALSE(fit_model({training_table(), quick_options("ridge")}).training_errors);
}

TEST(FitModel, that_explodes_is_worse_than_the_mean) {
  FitOptions options = quick_options("bilinear");
  options.training.adam.learning_rate = 30;
  const FitResult result = fit_model({training_table(), options});
  ASSERT_EQ(result.outcome.status, TrainStatus::finished) << "or nothing is tested";
  ASSERT_TRUE(result.training_errors);
  EXPECT_GT(result.training_errors->model, 10 * result.training_errors->constant);
  EXPECT_TRUE(result.training_errors->is_worse_than_constant());
}

TEST(FitModel, of_noise_is_no_harm_though_a_change_of_noise_is_more_than_noise) {
  Rng rng(3, Stream::noise);
  Table noise("noise");
  for (const char* name : {"a", "b", "y"}) {
    std::vector<double> values;
    for (int r = 0; r < 400; ++r) values.push_back(rng.normal());
    noise.add(column(name, *name == 'y' ? Role::output : Role::input, values));
  }
  for (Predicts predicts : {Predicts::value, Predicts::change}) {
    FitOptions options = quick_options("bilinear");
    options.space = "";
    options.context = {};
    options.architecture.predicts = predicts;
    options.training.steps = 2000;
    const FitResult result = fit_model({noise, options});
    ASSERT_TRUE(result.training_errors);
    EXPECT_FALSE(result.training_errors->is_worse_than_constant());
    EXPECT_NEAR(result.training_errors->constant, predicts == Predicts::change ? 1.13 : 0.8, 0.15);
  }
}

TEST(FitModel, of_outputs_that_do_not_vary_is_no_harm) {
  Table table = training_table();
  Table constant("constant");
  for (Column column : table.columns()) {
    if (column.role == Role::output) std::fill(column.values.begin(), column.values.end(), 0.1);
    constant.add(std::move(column));
  }
  const FitResult result = fit_model({constant, quick_options("bilinear")});
  ASSERT_TRUE(result.training_errors);
  EXPECT_EQ(result.training_errors->constant, 0);
  EXPECT_FALSE(result.training_errors->is_worse_than_constant());
}

TEST(TrainingErrors, are_worse_when_they_are_no_numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE((TrainingErrors{nan, 1}.is_worse_than_constant()));
  EXPECT_TRUE((TrainingErrors{1.2, 1}.is_worse_than_constant()));
  EXPECT_FALSE((TrainingErrors{1.05, 1}.is_worse_than_constant())) << "chance can do that";
}

TEST(FitModel, stopped_knows_how_many_steps_it_was_trained_for) {
  FitOptions options = quick_options("bilinear");
  options.training.steps = 4000;
  options.replicas = 2;
  const auto stop = [](const Progress& p) { return p.step < 300; };
  const FitResult stopped = fit_model({training_table(), options}, {.progress = stop, .threads = 2});
  EXPECT_EQ(stopped.outcome.status, TrainStatus::stopped);
  EXPECT_EQ(stopped.predictor.trained_steps(), stopped.outcome.steps);
  EXPECT_LT(stopped.predictor.trained_steps(), 4000u);
  EXPECT_FALSE(stopped.training_errors);
  const FitResult all = fit_model({training_table(), quick_options("bilinear")});
  EXPECT_EQ(all.predictor.trained_steps(), all.predictor.options().training.steps);
  EXPECT_EQ(fit_model({training_table(), quick_options("ridge")}).predictor.trained_steps(), 0u);
}

TEST(FitModel, takes_no_choice_that_is_still_open) {
  FitOptions open = quick_options("bilinear");
  open.architecture.fourier = Fourier::automatic;
  EXPECT_NE(error_text([&] {
              fit_model({training_table(), open});
            }).find("Fourier layer on or off"),
            std::string::npos);
}

TEST(FitModels, options_that_cannot_be_do_not_end_the_others) {
  const Table table = training_table();
  std::vector<FitRequest> requests = {{table, quick_options("bilinear")},
                                      {table, quick_options("bilinear")},
                                      {table, quick_options("bilinear")}};
  requests[0].options.model = "no such model";
  requests[1].options.epochs = 3;
  requests[1].options.training.batch = 0;
  const std::vector<FitAttempt> attempts = fit_models(requests);
  EXPECT_NE(std::string(attempts[0].error->what()).find("no such model"), std::string::npos);
  EXPECT_NE(std::string(attempts[1].error->what()).find("batch"), std::string::npos);
  EXPECT_TRUE(attempts[2].result.has_value());
}

TEST(FitModels, tell_each_request_once_and_pass_on_what_the_listener_throws) {
  const Table table = training_table();
  const std::vector<FitRequest> requests(5, FitRequest{table, quick_options("bilinear")});
  std::atomic<int> told = 0;
  const auto listen = [&](size_t i, FitAttempt&&) {
    ++told;
    if (i == 2) throw Error("test", "the disk is full");
  };
  EXPECT_NE(error_text([&] { fit_models(requests, {.threads = 2}, listen); }).find("the disk is full"),
            std::string::npos);
  EXPECT_EQ(told, 5);
}

TEST(FitModel, stopped_while_a_later_replica_begins_answers_by_the_one_that_was_trained) {
  FitOptions options = quick_options("bilinear");
  options.training.steps = 4000;
  options.replicas = 2;
  const auto stop_in_second = [](const Progress& p) { return p.step < 2010; };
  const FitResult stopped =
      fit_model({training_table(), options}, {.progress = stop_in_second, .threads = 1});
  EXPECT_EQ(stopped.outcome.status, TrainStatus::stopped);
  EXPECT_EQ(stopped.predictor.options().replicas, 1u);
  ASSERT_EQ(stopped.replicas.size(), 2u);
  EXPECT_LT(stopped.replicas[1].steps, 100u);
  options.replicas = 1;
  const FitResult alone = fit_model({training_table(), options});
  EXPECT_EQ(stopped.predictor.predict(query_rows()).y, alone.predictor.predict(query_rows()).y);
}

TEST(FitModel, refuses_example_pairs_that_are_no_examples) {
  FitOptions options = quick_options("bilinear");
  weigh_pairs(options, WeightSource::examples);
  const auto refused = [&](PairExamples examples) {
    return error_text([&] { fit_model({training_table(), options, std::move(examples)}); });
  };
  EXPECT_NE(refused({{{0, 1}, {1, 2}}, {1}}).find("1 weights for 2 pairs"), std::string::npos);
  EXPECT_NE(refused({{{0, 1}}, {2}}).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(refused({{{0, 1}}, {std::nanf("")}}).find("from 0 to 1"), std::string::npos);
}

}  // namespace
}  // namespace kedge
