// The paper's pictures of the grasp domain: what the features look like in and out of support, and where each
// method would take the object.

#include <array>

#include "kedge/core/format.h"
#include "kedge/domains/grasp/grasp.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

constexpr size_t train_rows = 1000, pca_rows = 300, cloud_points = 300;

std::vector<Job> no_jobs(const Extent&) { return {}; }

void assemble_pca(const Extent&, const JobResults&, Result& result) {
  const std::array<std::array<const char*, 3>, 4> panels = {{{"mean", "cx", "cy"},
                                                             {"first axis", "a1x", "a1y"},
                                                             {"second axis", "a2x", "a2y"},
                                                             {"third axis", "a3x", "a3y"}}};
  for (const Split split : {Split::in, Split::oos}) {
    const Table table = find_domain("grasp").sample(split, pca_rows, 0);
    const Column& object = table.column("object");
    for (const auto& [title, x, y] : panels) {
      Chart chart{.title = fmt::format("{}, {}", title, split == Split::in ? "in support" : "out of support"),
                  .x_label = x,
                  .y_label = y,
                  .width = 300,
                  .height = 260};
      for (size_t word = 0; word < object.words.size(); ++word) {
        Series series{.name = object.words[word], .style = SeriesStyle::points};
        for (size_t r = 0; r < table.rows(); ++r) {
          if (static_cast<size_t>(object.values[r]) != word) continue;
          series.x.push_back(table.column(x).values[r]);
          series.y.push_back(table.column(y).values[r]);
        }
        chart.series.push_back(std::move(series));
      }
      result.charts.push_back(std::move(chart));
    }
  }
  result.seeds = {0};
  result.notes = {
      fmt::format("{} rows of the domain 'grasp' in and out of support; of each axis the x and y "
                  "parts. No model takes part.",
                  pca_rows)};
}

const std::vector<std::pair<std::string, std::string>>& shown_models() {
  static const std::vector<std::pair<std::string, std::string>> models = {
      {"linear", "Linear"}, {"mlp", "Neural Net"}, {"concat", "Transduction"}, {"bilinear", "Ours"}};
  return models;
}

constexpr std::array<const char*, 3> shown_domains = {"grasp-bottle", "grasp-mug", "grasp-teapot"};

/// Where a model takes the objects out of support; the first of them is drawn.
FitSpec grasp_spec(const std::string& domain, const std::string& model, const Extent& extent) {
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
  for (const char* domain : shown_domains)
    for (const auto& [model, title] : shown_models())
      jobs.push_back(fit_job(grasp_spec(domain, model, extent)));
  return jobs;
}

void assemble_grasp(const Extent& extent, const JobResults& results, Result& result) {
  for (const char* domain : shown_domains) {
    const GraspScene scene = grasp_scene(find_grasp_task(domain), {.split = Split::oos, .row = 0, .seed = 0});
    Series cloud{.name = "cloud", .color = "#999999", .style = SeriesStyle::points};
    for (size_t i = 0; i < cloud_points; ++i) {
      const Point& point = scene.cloud[i * scene.cloud.size() / cloud_points];
      cloud.x.push_back(point.x);
      cloud.y.push_back(point.z);
    }
    for (const auto& [model, title] : shown_models()) {
      const std::vector<double> predicted = scores_of(grasp_spec(domain, model, extent), results).oos_y;
      Chart chart{.title = fmt::format("{}: {}", domain, title),
                  .x_label = "x",
                  .y_label = "z",
                  .width = 300,
                  .height = 280};
      chart.series = {cloud,
                      {.name = "true grasp point",
                       .x = {scene.grasp.x},
                       .y = {scene.grasp.z},
                       .color = "#188a42",
                       .style = SeriesStyle::points},
                      {.name = "predicted",
                       .x = {predicted[0]},
                       .y = {predicted[2]},
                       .color = "#c2301c",
                       .style = SeriesStyle::points}};
      result.charts.push_back(std::move(chart));
    }
  }
  result.seeds = {0};
  result.notes = {
      "The first out-of-support row of each object, default preset, seen from the side (x and z in "
      "metres; y is not shown)."};
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
