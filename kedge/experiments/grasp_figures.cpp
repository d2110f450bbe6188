// The paper's pictures of the grasp domain: what the features look like in and out of support, and where each
// method would take the object. Each picture comes in two views, so that all three coordinates are seen.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "kedge/core/format.h"
#include "kedge/domains/grasp/grasp.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

constexpr size_t train_rows = 1000, pca_rows = 150, cloud_points = 120;
constexpr int panel_width = 220;  // four stand side by side

std::vector<Job> no_jobs(const Extent&) { return {}; }

/// The colours of the paper's figure.
std::string color_of(const std::string& object) {
  return object == "bottle" ? "#2b7bba" : object == "mug" ? "#d13b2a" : "#2a9d4f";
}

/// The rows of a feature, in two of its coordinates, one colour for each object.
Chart feature_chart(const Table& table, const std::string& x, const std::string& y) {
  Chart chart{.x_label = x, .y_label = y, .width = panel_width, .height = 220};
  const Column& object = table.column("object");
  for (size_t word = 0; word < object.words.size(); ++word) {
    Series series{
        .name = object.words[word], .color = color_of(object.words[word]), .style = SeriesStyle::points};
    for (size_t r = 0; r < table.rows(); ++r) {
      if (static_cast<size_t>(object.values[r]) != word) continue;
      series.x.push_back(table.column(x).values[r]);
      series.y.push_back(table.column(y).values[r]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void assemble_pca(const Extent&, const JobResults&, Result& result) {
  constexpr std::array<std::array<const char*, 2>, 4> features = {
      {{"mean", "c"}, {"first axis", "a1"}, {"second axis", "a2"}, {"third axis", "a3"}}};
  for (const Split split : {Split::in, Split::oos}) {
    const Table table = find_domain("grasp").sample(split, pca_rows, 0);
    for (const char* up : {"y", "z"})
      for (const auto& [name, column] : features) {
        Chart chart = feature_chart(table, fmt::format("{}x", column), fmt::format("{}{}", column, up));
        chart.title = name;
        chart.y_label += split == Split::in ? ", in support" : ", out of support";
        result.charts.push_back(std::move(chart));
      }
  }
  result.seeds = {0};
  result.notes = {
      fmt::format("{} rows of the domain 'grasp' in support, and as many out of it. Each feature has three "
                  "coordinates and two panels: y over x, and z over x. No model takes part.",
                  pca_rows)};
}

const std::vector<std::pair<std::string, std::string>>& shown_models() {
  static const std::vector<std::pair<std::string, std::string>> models = {
      {"linear", "Linear"}, {"mlp", "Neural Net"}, {"concat", "Transduction"}, {"bilinear", "Ours"}};
  return models;
}

constexpr std::array<const char*, 3> shown_objects = {"bottle", "mug", "teapot"};

/// Where a model takes the objects out of support; the first of them is drawn.
FitSpec grasp_spec(const std::string& object, const std::string& model, const Extent& extent) {
  const std::string domain = "grasp-" + object;
  FitSpec spec{.domain = domain,
               .options = experiment_options(domain, "default", model, 0),
               .train_rows = train_rows,
               .keep_predictions = true};
  spec.options.architecture.fourier = Fourier::off;
  if (extent.quick) shorten(spec.options);
  return spec;
}

std::vector<Job> grasp_jobs(const Extent& extent) {
  std::vector<Job> jobs;
  for (const char* object : shown_objects)
    for (const auto& [model, title] : shown_models())
      jobs.push_back(fit_job(grasp_spec(object, model, extent)));
  return jobs;
}

/// One model's answer for the object that is drawn.
struct Taken {
  std::string model;
  std::array<double, 3> point;  ///< not finite where the fit diverged
  std::string distance;         ///< from the true point
};

Taken taken_by(const std::string& title, const FitScores& scores) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  if (scores.failed > 0) return {title, {nowhere, nowhere, nowhere}, "diverged"};
  return {title,
          {scores.oos_y[0], scores.oos_y[1], scores.oos_y[2]},
          fmt::format("{:.1f} mm", 1000 * scores.oos[0])};
}

/// Which coordinate is drawn upwards; x is to the right.
struct GraspView {
  const char* label;
  size_t up;
};

Chart grasp_chart(const std::string& object, const GraspScene& scene, const Taken& taken,
                  const GraspView& view) {
  const auto up_of = [&](const Point& p) { return view.up == 1 ? p.y : p.z; };
  Series cloud{.name = "cloud", .color = "#999999", .style = SeriesStyle::points};
  for (size_t i = 0; i < cloud_points; ++i) {
    const Point& point = scene.cloud[i * scene.cloud.size() / cloud_points];
    cloud.x.push_back(point.x);
    cloud.y.push_back(up_of(point));
  }
  Chart chart{.title = fmt::format("{}: {}", taken.model, taken.distance),
              .x_label = "x, m",
              .y_label = fmt::format("{} {}", object, view.label),
              .width = panel_width,
              .height = 260,
              .equal_axes = true};
  chart.series = {std::move(cloud),
                  {.name = "true grasp point",
                   .x = {scene.grasp.x},
                   .y = {up_of(scene.grasp)},
                   .color = "#188a42",
                   .style = SeriesStyle::points,
                   .ends = true},
                  {.name = "predicted",
                   .x = {taken.point[0]},
                   .y = {taken.point[view.up]},
                   .color = "#c2301c",
                   .style = SeriesStyle::crosses}};
  return chart;
}

/// Gives charts that are to be compared the same axes.
void share_axes(std::span<Chart> charts) {
  const auto range_of = [&](std::vector<double> Series::*numbers) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Chart& chart : charts)
      for (const Series& series : chart.series)
        for (const double value : series.*numbers) {
          if (!std::isfinite(value)) continue;
          low = std::min(low, value);
          high = std::max(high, value);
        }
    const double margin = 0.06 * (high - low);
    return std::pair{low - margin, high + margin};
  };
  for (Chart& chart : charts) {
    chart.x_range = range_of(&Series::x);
    chart.y_range = range_of(&Series::y);
  }
}

void assemble_grasp(const Extent& extent, const JobResults& results, Result& result) {
  constexpr std::array<GraspView, 2> views = {{{"from the side: z, m", 2}, {"from above: y, m", 1}}};
  for (const char* object : shown_objects) {
    const GraspScene scene = grasp_scene(find_grasp_task(std::string("grasp-") + object),
                                         {.split = Split::oos, .row = 0, .seed = 0});
    for (const GraspView& view : views) {
      std::vector<Chart> charts;
      for (const auto& [model, title] : shown_models())
        charts.push_back(grasp_chart(
            object, scene, taken_by(title, scores_of(grasp_spec(object, model, extent), results)), view));
      share_axes(charts);
      std::move(charts.begin(), charts.end(), std::back_inserter(result.charts));
    }
  }
  result.seeds = {0};
  result.notes = {
      "The first row out of support of each object, default preset, from the side and from above. A title "
      "says how far the predicted grasp point is from the true one, in all three coordinates."};
}

}  // namespace

Experiment fig_pca_experiment() {
  return {.id = "fig-pca",
          .title = "Figure 13: the features of point clouds in and out of support",
          .jobs = no_jobs,
          .assemble = assemble_pca};
}

Experiment fig_grasp_experiment() {
  return {.id = "fig-grasp",
          .title = "Figure 11: where each method would take an object out of support",
          .jobs = grasp_jobs,
          .assemble = assemble_grasp};
}

}  // namespace kedge
