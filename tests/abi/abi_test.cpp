#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "kedge/core/json.h"
#include "kedge/nn/engine_cuda.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/diagnosis.h"
#include "kedge/trials/settings.h"
#include "tests/abi/handles.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

/// What C++ fits with the same settings.
Predictor same_fit() {
  FitSettings settings = settings_from_json(quick_settings).fit;
  settings.label = "kind";
  const Table table = training_table();
  return fit({table, fit_options(settings)}).predictor;
}

TEST(Abi, says_its_version) {
  EXPECT_EQ(kedge_abi_version(), uint32_t{KEDGE_ABI_VERSION});
  EXPECT_EQ(kedge_version(), version());
}

TEST(Abi, a_fit_gives_the_file_that_cpp_gives_for_any_number_of_threads) {
  const std::string file = same_fit().to_bytes();
  EXPECT_EQ(file_of(quick_fit().get()), file);
  kedge_predictor* alone = nullptr;
  const kedge_run one_thread{.threads = 1, .watch = nullptr, .context = nullptr};
  ASSERT_EQ(kedge_fit(table_of(training_table()).get(), nullptr, quick_settings, nullptr, 0, &one_thread,
                      &alone, nullptr),
            KEDGE_OK);
  EXPECT_EQ(file_of(HeldPredictor(alone).get()), file);
}

TEST(Abi, validation_rows_reach_the_fit) {
  kedge_predictor* made = nullptr;
  kedge_text* report = nullptr;
  const HeldTable table = table_of(training_table()), rows = table_of(training_table(20));
  ASSERT_EQ(kedge_fit(table.get(), rows.get(), quick_settings, nullptr, 0, nullptr, &made, &report), KEDGE_OK)
      << kedge_error();
  const HeldPredictor predictor(made);
  EXPECT_GT(Json::parse(bytes_of(report)).at("validation").at("error").as_number("error"), 0);
}

TEST(Abi, a_device_is_a_setting_and_one_that_is_not_there_is_told) {
  kedge_predictor* made = nullptr;
  kedge_text* report = nullptr;
  const HeldTable table = table_of(training_table());
  const auto fitted = [&](const char* settings) {
    return kedge_fit(table.get(), nullptr, settings, nullptr, 0, nullptr, &made, nullptr);
  };
  EXPECT_EQ(fitted(R"({"device": "gpu"})"), KEDGE_INVALID);
  EXPECT_STREQ(kedge_error_setting(), "device");
  if (!find_cuda_device().missing.empty()) {
    EXPECT_EQ(fitted(R"({"device": "cuda"})"), KEDGE_INVALID);
    EXPECT_NE(std::string(kedge_error()).find("needs a CUDA device"), std::string::npos) << kedge_error();
    EXPECT_STREQ(kedge_error_setting(), "device");
    EXPECT_EQ(kedge_cross_validate(table.get(), R"({"device": "cuda"})", nullptr, &report), KEDGE_INVALID);
    EXPECT_EQ(made, nullptr);
  }
  ASSERT_EQ(fitted(R"({"device": "cuda", "model": "ridge"})"), KEDGE_OK) << kedge_error();
  const HeldPredictor closed(made);
}

TEST(Abi, a_column_may_be_part_of_a_matrix) {
  const Table table = training_table();
  kedge_table* made = nullptr;
  ASSERT_EQ(kedge_table_new("train.csv", &made), KEDGE_OK);
  const HeldTable held(made);
  const Matrix<double> inputs = table.matrix({"x", "angle", "size"});
  for (size_t c = 0; c < 3; ++c)
    ASSERT_EQ(kedge_table_add(made, std::array{"x", "angle", "size"}[c], KEDGE_INPUT, inputs.data() + c,
                              inputs.rows(), 3),
              KEDGE_OK);
  // From the last row to the first and back again.
  for (const char* name : {"kind", "y", "z"}) {
    std::vector<double> values = table.column(name).values;
    std::reverse(values.begin(), values.end());
    ASSERT_EQ(kedge_table_add(made, name, KEDGE_OUTPUT, &values.back(), values.size(), -1), KEDGE_OK);
  }
  ASSERT_EQ(kedge_table_assign(made, "kind", KEDGE_LABEL), KEDGE_OK);
  EXPECT_EQ(kedge_table_rows(made), table.rows());
  kedge_predictor* predictor = nullptr;
  ASSERT_EQ(kedge_fit(made, nullptr, quick_settings, nullptr, 0, nullptr, &predictor, nullptr), KEDGE_OK)
      << kedge_error();
  EXPECT_EQ(file_of(HeldPredictor(predictor).get()), same_fit().to_bytes());
}

TEST(Abi, answers_are_those_of_cpp) {
  const HeldPredictor predictor = quick_fit();
  const Matrix<double> rows = query_rows();
  const Predictions expected = same_fit().predict(rows);
  kedge_predictions* made = nullptr;
  ASSERT_EQ(kedge_predict(predictor.get(), rows.data(), rows.rows(), nullptr, nullptr, &made), KEDGE_OK);
  const HeldPredictions answers(made);
  ASSERT_EQ(kedge_predictions_rows(made), rows.rows());
  const auto numbers = [&](kedge_number which, size_t columns = 1) {
    const double* first = kedge_predictions_numbers(made, which);
    return std::vector<double>(first, first + rows.rows() * columns);
  };
  EXPECT_TRUE(same(numbers(KEDGE_Y, 2), expected.y.values()));
  EXPECT_TRUE(same(numbers(KEDGE_SPREAD), expected.spread));
  EXPECT_TRUE(same(numbers(KEDGE_SUPPORT_DISTANCE), expected.support_distance));
  EXPECT_TRUE(same(numbers(KEDGE_DELTA_DISTANCE), expected.delta_distance));
  EXPECT_TRUE(same(numbers(KEDGE_DELTA_PERCENTILE), expected.delta_percentile));
  EXPECT_TRUE(same(numbers(KEDGE_EXPECTED_ERROR), expected.expected_error));
  EXPECT_TRUE(same(numbers(KEDGE_EXPECTED_ERROR_BEYOND), expected.expected_error_beyond));
  const auto counts = [&](kedge_count which) {
    const int64_t* first = kedge_predictions_counts(made, which);
    return std::vector<int64_t>(first, first + rows.rows());
  };
  EXPECT_EQ(counts(KEDGE_ANCHOR), expected.anchor);
  EXPECT_EQ(counts(KEDGE_ANALOG_QUERY), expected.analog_query);
  EXPECT_EQ(counts(KEDGE_ANALOG_ANCHOR), expected.analog_anchor);
  EXPECT_EQ(counts(KEDGE_ADMISSIBLE_ANCHORS), expected.admissible_anchors);
  bool some_outside = false;
  for (size_t r = 0; r < rows.rows(); ++r) {
    EXPECT_EQ(kedge_predictions_verdicts(made)[r], static_cast<uint8_t>(expected.verdict[r]));
    const std::vector<Departure>& outside = expected.outside[r];
    EXPECT_EQ(kedge_predictions_outside(made, r), to_text(outside, expected.inputs, outside.size()));
    some_outside = some_outside || !outside.empty();
    EXPECT_STREQ(kedge_predictions_note(made, r), "");
  }
  EXPECT_TRUE(some_outside);
  EXPECT_EQ(kedge_predictions_numbers(made, 99), nullptr);
  EXPECT_EQ(kedge_predictions_counts(made, 99), nullptr);

  std::vector<double> y(rows.rows() * 2), spread(rows.rows());
  ASSERT_EQ(kedge_predict_values(predictor.get(), rows.data(), rows.rows(), nullptr, y.data(), spread.data()),
            KEDGE_OK);
  EXPECT_EQ(y, expected.y.values());
  EXPECT_EQ(spread, expected.spread);
}

TEST(Abi, settings_of_a_prediction_are_read) {
  const HeldPredictor predictor = quick_fit();
  const Predictor expected = same_fit();
  const Matrix<double> rows = query_rows(3);
  const auto answers = [&](const char* settings) {
    kedge_predictions* made = nullptr;
    EXPECT_EQ(kedge_predict(predictor.get(), rows.data(), rows.rows(), settings, nullptr, &made), KEDGE_OK)
        << kedge_error();
    const HeldPredictions held(made);
    const double* y = kedge_predictions_numbers(made, KEDGE_Y);
    return std::vector<double>(y, y + 6);
  };
  EXPECT_EQ(answers(R"({"anchors": "nearest"})"),
            expected.predict(rows, {.anchors = parse_anchors("nearest")}).y.values());
  const std::vector<uint32_t> given = {5, 0, 59};
  EXPECT_EQ(answers(R"({"anchor_rows": [5, 0, 59]})"),
            expected.predict(rows, {.anchor_rows = given}).y.values());
  for (const auto& [settings, text] : std::vector<std::pair<const char*, const char*>>{
           {R"({"anchor": "nearest"})", "found 'anchor'"},
           {R"({"anchors": "nearst"})", "did you mean"},
           {R"({"anchors": 3})", "anchors"},
           {R"({"anchor_rows": [1]})", "for each of 3 queries; found 1"},
           {R"({"edge_factor": 0})", "edge_factor needs a positive number; found 0"},
           {R"({"bad_rows": "drop"})", "refuse or mark; found 'drop'"},
           {"[]", "settings"},
           {"{", "settings"}}) {
    kedge_predictions* made = nullptr;
    EXPECT_EQ(kedge_predict(predictor.get(), rows.data(), rows.rows(), settings, nullptr, &made),
              KEDGE_INVALID);
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(std::string(kedge_error()).find(text), std::string::npos) << kedge_error();
  }
}

TEST(Abi, a_row_that_is_not_finite_is_refused_or_marked) {
  const HeldPredictor predictor = quick_fit();
  Matrix<double> rows = query_rows(2);
  rows(1, 0) = std::numeric_limits<double>::quiet_NaN();
  kedge_predictions* made = nullptr;
  EXPECT_EQ(kedge_predict(predictor.get(), rows.data(), 2, nullptr, nullptr, &made), KEDGE_INVALID);
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(kedge_predict(predictor.get(), rows.data(), 2, R"({"bad_rows": "mark"})", nullptr, &made),
            KEDGE_OK);
  const HeldPredictions held(made);
  EXPECT_STREQ(kedge_predictions_note(made, 0), "");
  EXPECT_STRNE(kedge_predictions_note(made, 1), "");
  EXPECT_TRUE(std::isnan(kedge_predictions_numbers(made, KEDGE_Y)[2]));
  EXPECT_EQ(kedge_predictions_verdicts(made)[1], KEDGE_UNDETERMINED);
}

TEST(Abi, the_training_table_comes_back) {
  const HeldPredictor predictor = quick_fit();
  const Table table = training_table();
  ASSERT_EQ(kedge_predictor_rows(predictor.get()), table.rows());
  ASSERT_EQ(kedge_predictor_inputs(predictor.get()), 3u);
  ASSERT_EQ(kedge_predictor_outputs(predictor.get()), 2u);
  std::vector<double> inputs(table.rows() * 3), outputs(table.rows() * 2);
  ASSERT_EQ(kedge_predictor_training(predictor.get(), inputs.data(), outputs.data()), KEDGE_OK);
  EXPECT_EQ(outputs, table.matrix({"y", "z"}).values());
  for (size_t r = 0; r < table.rows(); ++r) {
    EXPECT_NEAR(inputs[3 * r], table.column("x").values[r], 1e-12);
    EXPECT_NEAR(std::remainder(inputs[3 * r + 1] - table.column("angle").values[r], 360), 0, 1e-9);
    EXPECT_NEAR(inputs[3 * r + 2], table.column("size").values[r], 1e-12);
  }
  EXPECT_EQ(kedge_predictor_training(predictor.get(), nullptr, nullptr), KEDGE_OK);
}

TEST(Abi, files_go_through_disk_and_memory) {
  const HeldPredictor predictor = quick_fit();
  const std::string bytes = file_of(predictor.get());
  const std::string path = testing::TempDir() + "abi.kedge";
  ASSERT_EQ(kedge_predictor_save(predictor.get(), path.c_str()), KEDGE_OK);
  kedge_predictor* made = nullptr;
  ASSERT_EQ(kedge_predictor_load(path.c_str(), &made), KEDGE_OK);
  EXPECT_EQ(file_of(HeldPredictor(made).get()), bytes);
  ASSERT_EQ(kedge_predictor_from_bytes(bytes.data(), bytes.size(), "memory", &made), KEDGE_OK);
  EXPECT_EQ(file_of(HeldPredictor(made).get()), bytes);
  EXPECT_EQ(kedge_predictor_from_bytes(bytes.data(), bytes.size() / 2, "memory", &made), KEDGE_DAMAGED);
  EXPECT_EQ(made, nullptr);
  EXPECT_NE(std::string(kedge_error()).find("memory"), std::string::npos) << kedge_error();
  std::filesystem::remove(path);
  EXPECT_EQ(kedge_predictor_load(path.c_str(), &made), KEDGE_DAMAGED);
  kedge_policy* policy = nullptr;
  EXPECT_EQ(kedge_policy_from_bytes(bytes.data(), bytes.size(), "memory", &policy), KEDGE_DAMAGED);
}

TEST(Abi, a_report_says_what_was_left_out) {
  Table table = training_table();
  table.add(column("still", Role::input, std::vector<double>(table.rows(), 3)));
  kedge_predictor* made = nullptr;
  kedge_text* report = nullptr;
  ASSERT_EQ(kedge_fit(table_of(table).get(), nullptr, quick_settings, nullptr, 0, nullptr, &made, &report),
            KEDGE_OK)
      << kedge_error();
  const HeldPredictor predictor(made);
  const Json json = Json::parse(bytes_of(report));
  EXPECT_EQ(json.at("left_out").dump(), R"(["still"])");
  EXPECT_EQ(json.at("inputs").dump(), R"(["x","angle","size"])");
  kedge_text* info = nullptr;
  ASSERT_EQ(kedge_predictor_info(made, &info), KEDGE_OK);
  const Json told = Json::parse(bytes_of(info));
  EXPECT_EQ(told.at("inputs").dump(), R"(["x","angle","size"])");
  EXPECT_EQ(told.at("intake").at("constants").dump(), R"(["still"])");
}

TEST(Abi, faults_of_settings_name_what_mends_them) {
  const HeldTable table = table_of(training_table());
  for (const auto& [settings, text, setting] : std::vector<std::tuple<const char*, const char*, const char*>>{
           {R"({"widht": 3})", "did you mean \"width\"?", ""},
           {R"({"width": "wide"})", "width needs a whole number in range; found \"wide\"; give one", "width"},
           {R"({"width": 2.5})", "width", "width"},
           {R"({"width": 0})", "width needs 1 to 16384; found 0", "width"},
           {R"({"model": "bilinar"})", "did you mean", ""},
           {R"({"steps": 5, "epochs": 2})", "say the same thing", "steps"},
           {R"({"epochs": 0})", "positive number; found 0", "epochs"},
           {R"({"loss": "l1"})", "loss needs one of mse, l2; found 'l1'", "loss"},
           {R"({"beyond": "all", "model": "auto"})", "beyond needs one of inputs, outputs, both", "beyond"},
           {R"({"budget": "5m", "steps": 5})", "a budget says how many steps", "budget"},
           {R"({"pairs": "same-time"})", "need a column to go by", "time"},
           {R"({"seed": 1, "seed": 2})", "seed", ""},
           {"[1]", "settings", ""}}) {
    kedge_predictor* made = nullptr;
    EXPECT_EQ(kedge_fit(table.get(), nullptr, settings, nullptr, 0, nullptr, &made, nullptr), KEDGE_INVALID)
        << settings;
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(std::string(kedge_error()).find(text), std::string::npos) << kedge_error();
    EXPECT_STREQ(kedge_error_setting(), setting) << kedge_error();
  }
}

TEST(Abi, null_pointers_are_refused) {
  const HeldPredictor predictor = quick_fit();
  const HeldTable table = table_of(training_table());
  const double number = 0;
  kedge_predictor* made = nullptr;
  kedge_predictions* predictions = nullptr;
  kedge_table* no_table = nullptr;
  EXPECT_EQ(kedge_table_new(nullptr, nullptr), KEDGE_INVALID);
  EXPECT_EQ(kedge_table_read(nullptr, &no_table), KEDGE_INVALID);
  EXPECT_EQ(kedge_table_add(nullptr, "x", KEDGE_INPUT, &number, 1, 1), KEDGE_INVALID);
  EXPECT_EQ(kedge_table_add(table.get(), nullptr, KEDGE_INPUT, &number, 1, 1), KEDGE_INVALID);
  EXPECT_EQ(kedge_table_add(table.get(), "x9", KEDGE_INPUT, nullptr, 60, 1), KEDGE_INVALID);
  EXPECT_EQ(kedge_table_add(table.get(), "x9", 99, &number, 1, 1), KEDGE_INVALID);
  EXPECT_EQ(kedge_fit(nullptr, nullptr, nullptr, nullptr, 0, nullptr, &made, nullptr), KEDGE_INVALID);
  EXPECT_EQ(kedge_fit(table.get(), nullptr, nullptr, nullptr, 3, nullptr, &made, nullptr), KEDGE_INVALID);
  EXPECT_EQ(kedge_fit(table.get(), nullptr, quick_settings, nullptr, 0, nullptr, nullptr, nullptr),
            KEDGE_INVALID);
  EXPECT_EQ(kedge_predict(nullptr, &number, 1, nullptr, nullptr, &predictions), KEDGE_INVALID);
  EXPECT_EQ(kedge_predict(predictor.get(), nullptr, 1, nullptr, nullptr, &predictions), KEDGE_INVALID);
  EXPECT_EQ(kedge_predict_values(predictor.get(), nullptr, 1, nullptr, nullptr, nullptr), KEDGE_INVALID);
  EXPECT_EQ(kedge_predictor_from_bytes(nullptr, 5, "memory", &made), KEDGE_INVALID);
  EXPECT_EQ(kedge_predictor_to_bytes(nullptr, nullptr), KEDGE_INVALID);
  EXPECT_NE(std::string(kedge_error()).find("needs a pointer; found NULL"), std::string::npos);
  EXPECT_EQ(kedge_predictor_rows(nullptr), 0u);
  kedge_table_free(nullptr);
  kedge_predictor_free(nullptr);
  kedge_predictions_free(nullptr);
  kedge_text_free(nullptr);
}

TEST(Abi, an_error_is_of_the_thread_that_called) {
  kedge_table* table = nullptr;
  EXPECT_EQ(kedge_table_read("no such file.csv", &table), KEDGE_DAMAGED);
  const std::string here = kedge_error();
  std::string there = "unset";
  std::thread([&] { there = kedge_error(); }).join();
  EXPECT_NE(here.find("no such file.csv"), std::string::npos) << here;
  EXPECT_EQ(there, "");
  EXPECT_EQ(kedge_error(), here);
}

struct Watched {
  size_t calls = 0;
  bool goes_on = true;
  std::vector<std::string> phases = {};
};

int watch(void* context, const kedge_progress* progress) {
  auto& watched = *static_cast<Watched*>(context);
  ++watched.calls;
  if (watched.phases.empty() || watched.phases.back() != progress->phase)
    watched.phases.emplace_back(progress->phase);
  return watched.goes_on ? 1 : 0;
}

TEST(Abi, a_watch_hears_of_long_work_and_can_stop_it) {
  const HeldTable table = table_of(training_table());
  Watched watched;
  const kedge_run run{.threads = 2, .watch = watch, .context = &watched};
  kedge_predictor* made = nullptr;
  ASSERT_EQ(kedge_fit(table.get(), nullptr, quick_settings, nullptr, 0, &run, &made, nullptr), KEDGE_OK);
  EXPECT_EQ(file_of(HeldPredictor(made).get()), same_fit().to_bytes());
  EXPECT_GT(watched.calls, 0u);
  watched.goes_on = false;
  kedge_text* report = nullptr;
  EXPECT_EQ(kedge_fit(table.get(), nullptr, quick_settings, nullptr, 0, &run, &made, &report), KEDGE_STOPPED);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(report, nullptr);
  EXPECT_NE(std::string(kedge_error()).find("stopped before the end"), std::string::npos);
  EXPECT_EQ(kedge_cross_validate(table.get(), quick_settings, &run, &report), KEDGE_STOPPED);
  EXPECT_EQ(report, nullptr);
}

TEST(Abi, a_training_that_diverges_says_so) {
  kedge_predictor* made = nullptr;
  EXPECT_EQ(kedge_fit(table_of(training_table()).get(), nullptr,
                      R"({"learning_rate": 90, "steps": 400, "fourier": "off", "calibration": "none",
                          "schedule": "constant", "layers": 6})",
                      nullptr, 0, nullptr, &made, nullptr),
            KEDGE_DIVERGED);
  EXPECT_EQ(made, nullptr);
  EXPECT_STREQ(kedge_error_setting(), "learning_rate");
}

TEST(Abi, a_watch_can_stop_a_prediction) {
  const HeldPredictor predictor = quick_fit();
  const Matrix<double> rows = query_rows(5000);
  Watched watched{.goes_on = false};
  const kedge_run run{.threads = 2, .watch = watch, .context = &watched};
  kedge_predictions* made = nullptr;
  EXPECT_EQ(kedge_predict(predictor.get(), rows.data(), rows.rows(), nullptr, &run, &made), KEDGE_STOPPED);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(watched.calls, 1u);
}

TEST(Abi, cross_validation_gives_the_scores_of_cpp) {
  kedge_text* report = nullptr;
  ASSERT_EQ(kedge_cross_validate(table_of(training_table()).get(),
                                 R"({"models": ["linear", "quadratic"], "space": "angle=degrees,size=log",
                                     "effort": 0.25})",
                                 nullptr, &report),
            KEDGE_OK)
      << kedge_error();
  const Json json = Json::parse(bytes_of(report));
  FitSettings settings{.space = "angle=degrees,size=log", .label = "kind"};
  CrossValidationOptions trial = trial_of(settings, {"linear", "quadratic"});
  trial.effort = 0.25;
  const CrossValidation expected = cross_validate(training_table(), fit_options(settings), trial);
  ASSERT_EQ(json.at("models").size(), expected.models.size());
  for (size_t m = 0; m < expected.models.size(); ++m) {
    const Json& model = json.at("models").as_list("models")[m];
    EXPECT_EQ(model.at("model").as_string("model"), expected.models[m].name());
    EXPECT_EQ(model.at("out_of_support").at("mean").as_number("mean"), expected.models[m].out.mean);
  }
  EXPECT_EQ(json.at("recommendation").at("model").as_string("model"), expected.recommendation.model);
  EXPECT_EQ(kedge_cross_validate(table_of(training_table()).get(), R"({"effort": 2})", nullptr, &report),
            KEDGE_INVALID);
}

TEST(Abi, a_diagnosis_counts_queries_by_verdict) {
  const HeldPredictor predictor = quick_fit();
  kedge_text* report = nullptr;
  const Table queries = table_from_matrix(query_rows(), "queries");
  kedge_table* made = nullptr;
  ASSERT_EQ(kedge_table_new("queries", &made), KEDGE_OK);
  const HeldTable held(made);
  for (size_t c = 0; c < 3; ++c)
    ASSERT_EQ(kedge_table_add(made, std::array{"x", "angle", "size"}[c], KEDGE_INPUT,
                              queries.columns()[c].values.data(), queries.rows(), 1),
              KEDGE_OK);
  ASSERT_EQ(kedge_diagnose(predictor.get(), made, nullptr, nullptr, &report), KEDGE_OK) << kedge_error();
  const Json json = Json::parse(bytes_of(report));
  double counted = 0;
  for (const Json& verdict : json.at("verdicts").as_list("verdicts"))
    counted += verdict.at("queries").as_number("queries");
  EXPECT_EQ(counted, 80);
  EXPECT_EQ(json.at("query_map").size(), 80u);
  EXPECT_EQ(json.at("training_map").size(), 60u);
}

TEST(Abi, example_pairs_are_checked) {
  const HeldTable table = table_of(training_table());
  kedge_predictor* made = nullptr;
  for (const kedge_pair_example& bad : {kedge_pair_example{60, 0, 1}, kedge_pair_example{0, 60, 1},
                                        kedge_pair_example{3, 3, 1}, kedge_pair_example{0, 1, 0.5f}}) {
    EXPECT_EQ(kedge_fit(table.get(), nullptr, R"({"weights": "labels"})", &bad, 1, nullptr, &made, nullptr),
              KEDGE_INVALID);
    EXPECT_NE(std::string(kedge_error()).find("example 0 needs two rows below 60"), std::string::npos);
  }
}

}  // namespace
}  // namespace kedge
