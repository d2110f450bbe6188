#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "kedge/domains/analytic/analytic.h"
#include "kedge/domains/domain.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/experiments/experiment.h"
#include "kedge/predictor/fit.h"

namespace kedge {
namespace {

using Json = nlohmann::json;

const Extent quick{.quick = true};

/// The figure, had each of its jobs the result that `answer` makes up from its key.
template <class Answer>
Result figure_of(const std::string& id, const Answer& answer) {
  const Experiment& experiment = find_experiment(id);
  const std::vector<Job> jobs = experiment.jobs(quick);
  std::vector<JobResult> results;
  for (const Job& job : jobs) results.push_back({answer(Json::parse(job.key)), "m"});
  Result result{};
  experiment.assemble(quick, JobResults(jobs, results), result);
  return result;
}

std::string no_answer(const Json&) { return "{}"; }

void expect_drawn(const Result& result) {
  for (const Chart& chart : result.charts) EXPECT_NE(to_svg(chart).find("<svg"), std::string::npos);
}

std::set<std::string> keys_of(const std::string& id, const Extent& extent) {
  std::set<std::string> keys;
  for (const Job& job : find_experiment(id).jobs(extent)) keys.insert(job.key);
  return keys;
}

const Series& series_named(const Chart& chart, const std::string& name) {
  const auto found =
      std::find_if(chart.series.begin(), chart.series.end(), [&](const Series& s) { return s.name == name; });
  EXPECT_NE(found, chart.series.end()) << chart.title << " " << name;
  return *found;
}

TEST(PlaneFigure, shows_seen_differences_and_seen_anchors_in_unseen_combinations) {
  const Result figure = figure_of("fig-plane", no_answer);
  ASSERT_EQ(figure.charts.size(), 2u);
  expect_drawn(figure);
  const AnalyticFunction& f = find_function("sawtooth");
  const double width = f.train_high - f.train_low;
  const auto is_seen = [&](double x) { return x >= f.train_low && x <= f.train_high; };
  for (const bool asked : {false, true}) {
    const Series& pairs = series_named(figure.charts[1], asked ? "asked out of support" : "seen in training");
    EXPECT_GT(pairs.x.size(), 200u);
    for (size_t i = 0; i < pairs.x.size(); ++i) {
      EXPECT_LE(std::abs(pairs.x[i]), width);
      EXPECT_TRUE(is_seen(pairs.y[i])) << pairs.y[i];
      EXPECT_NE(is_seen(pairs.x[i] + pairs.y[i]), asked) << pairs.x[i] << " " << pairs.y[i];
    }
  }
}

TEST(PlaneFigure, draws_a_query_and_a_training_pair_of_one_length) {
  const Chart line = figure_of("fig-plane", no_answer).charts[0];
  std::vector<double> lengths;
  for (const Series& series : line.series)
    if (series.ends) lengths.push_back(series.x[1] - series.x[0]);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[0], lengths[1], 0.01);
  EXPECT_GT(std::abs(lengths[0]), 1);
}

TEST(PlaneFigure, could_as_well_be_of_a_longer_training) {
  const Domain& domain = find_domain("sawtooth");
  const Table rows = domain.sample(Split::train, 200, 0), asked = domain.sample(Split::oos, 40, 0);
  FitOptions options = preset_options("default", "bilinear");
  options.architecture.fourier = Fourier::off;
  options.training.steps = 1;
  const Predictions once = fit_model({.table = rows, .options = options}).predictor.predict(asked);
  options.architecture.fourier = Fourier::on;
  options.training.steps = 50;
  const Predictions longer = fit_model({.table = rows, .options = options}).predictor.predict(asked);
  EXPECT_EQ(once.anchor, longer.anchor);
  EXPECT_EQ(once.analog_query, longer.analog_query);
  EXPECT_NE(once.y.values(), longer.y.values());
}

/// Of the models that do not diverge: 20 mm from the true grasp point, which lies at (1, 2, 3).
std::string grasp_answer(const Json& key) {
  if (key.at("fit").at("options").at("model") == "mlp") return failed_result("too steep");
  return Json{{"in", {0}}, {"oos", {0.02}}, {"in_deviation", 1}, {"oos_deviation", 1}, {"oos_y", {1, 2, 3}}}
      .dump();
}

TEST(GraspFigure, shows_all_three_coordinates_and_the_distance) {
  const Result figure = figure_of("fig-grasp", grasp_answer);
  ASSERT_EQ(figure.charts.size(), 3u * 4 * 2);
  expect_drawn(figure);
  const Series side = series_named(figure.charts[0], "predicted");
  const Series above = series_named(figure.charts[4], "predicted");
  EXPECT_EQ(side.x, std::vector{1.0});
  EXPECT_EQ(side.y, std::vector{3.0});
  EXPECT_EQ(above.y, std::vector{2.0});
  EXPECT_EQ(figure.charts[0].title, "Linear: 20.0 mm");
  EXPECT_EQ(figure.charts[1].title, "Neural Net: diverged");
  EXPECT_EQ(figure.charts[0].x_range, figure.charts[1].x_range);
  EXPECT_LT(figure.charts[0].x_range->first, 1);
  EXPECT_GT(figure.charts[0].x_range->second, 1);
}

/// Of a colour "#rrggbb": 0 for red, 1 for green, 2 for blue.
size_t strongest_channel(const std::string& color) {
  const std::array<std::string, 3> channels = {color.substr(1, 2), color.substr(3, 2), color.substr(5, 2)};
  return static_cast<size_t>(std::max_element(channels.begin(), channels.end()) - channels.begin());
}

TEST(FeatureFigure, shows_all_three_coordinates_of_every_feature_in_the_colours_of_the_paper) {
  const Result figure = figure_of("fig-pca", no_answer);
  ASSERT_EQ(figure.charts.size(), 4u * 2 * 2);
  std::set<std::string> columns;
  for (const Chart& chart : figure.charts) {
    columns.insert({chart.x_label, chart.y_label.substr(0, chart.y_label.find(','))});
    ASSERT_EQ(chart.series.size(), 3u);
    EXPECT_EQ(strongest_channel(series_named(chart, "bottle").color), 2u) << "blue";
    EXPECT_EQ(strongest_channel(series_named(chart, "mug").color), 0u) << "red";
    EXPECT_EQ(strongest_channel(series_named(chart, "teapot").color), 1u) << "green";
  }
  EXPECT_EQ(columns, (std::set<std::string>{"cx", "cy", "cz", "a1x", "a1y", "a1z", "a2x", "a2y", "a2z", "a3x",
                                            "a3y", "a3z"}));
}

/// The expert moves along a straight line; every policy diverged.
std::string policies_diverged(const Json& key) {
  if (!key.at("options").is_null()) return failed_result("too steep");
  const SimulatedDomain& domain =
      find_simulated_domain(key.at("demonstrations").at("domain").get<std::string>());
  const Json scores{{"errors", {0.1}}, {"held", Json::array()}};
  const Json paths{{{"goal", std::vector<double>(domain.simulation.columns.goals.size(), 10)},
                    {"path", std::vector<double>(2 * domain.path.size(), 0.5)},
                    {"actions", {0.0, 0.5, 1.0}}}};
  return Json{{"in", scores},        {"oos", scores},     {"fresh_in", scores},
              {"fresh_oos", scores}, {"in_paths", paths}, {"oos_paths", paths}}
      .dump();
}

TEST(PolicyFigures, are_drawn_when_every_policy_diverged_and_say_so) {
  if (simulated_domains().empty()) GTEST_SKIP() << "built without simulations";
  for (const auto& [id, charts] : {std::pair{"fig-heatmap", 2u},
                                   {"fig-slider-actions", 6u},
                                   {"fig-trajectories", 6u},
                                   {"fig-domains", 8u}}) {
    const Result figure = figure_of(id, policies_diverged);
    EXPECT_EQ(figure.charts.size(), charts) << id;
    expect_drawn(figure);
    const bool told = std::any_of(figure.notes.begin(), figure.notes.end(), [](const std::string& note) {
      return note.find("Neural Net") != note.npos && note.find("diverged") != note.npos;
    });
    EXPECT_EQ(told, id != std::string("fig-domains")) << id;
  }
}

TEST(PolicyFigures, take_no_policy_that_the_tables_have_not) {
  for (const Extent& extent : {Extent{}, quick}) {
    const std::set<std::string> scaled = keys_of("table-scaled-robots", extent);
    for (const char* id : {"fig-heatmap", "fig-slider-actions"})
      for (const std::string& key : keys_of(id, extent))
        EXPECT_TRUE(scaled.contains(key)) << id << " " << key;
  }
}

TEST(PolicyFigures, have_the_preset_paper_at_the_least_width_only) {
  for (const Job& job : find_experiment("fig-heatmap").jobs({.widths = {32, 512}})) {
    const Json options = Json::parse(job.key).at("options");
    const Json& fit = options.at("fit");
    if (fit.at("preset") != "paper" || fit.at("model") == "linear") continue;
    EXPECT_EQ(fit.at("architecture").at("width"), 32) << job.key;
  }
}

}  // namespace
}  // namespace kedge
