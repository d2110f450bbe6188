// The paper's figures 12 and 14: the search over sizes, and actions of the slider.

#include "kedge/experiments/imitation_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/experiments/experiments.h"

namespace kedge {
namespace {

bool is_published_policy(size_t method) { return method > 0 && method < published_methods; }

/// A policy of the released code, with the sizes of the paper's table 5.
PolicySpec released_spec(const std::string& domain, size_t method, int layers, int width,
                         const Extent& extent) {
  PolicySpec spec = grid_spec({.row = domain, .domain = domain}, 0, extent);
  spec.options = grid_options("released", policy_methods()[method].model, 0, extent);
  // A closed form has no size: one job for all.
  if (policy_methods()[method].model != "linear") {
    spec.options->fit.architecture.layers = layers;
    spec.options->fit.architecture.width = width;
  }
  return spec;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    sum += v;
    ++count;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::pair<int, int>> heatmap_sizes(const Extent& extent) {
  std::vector<std::pair<int, int>> sizes;
  for (int n : extent.quick ? std::vector<int>{32} : extent.widths)
    for (int k : {2, 3}) sizes.emplace_back(k, n);
  return sizes;
}

std::vector<PolicySpec> heatmap_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  // The longest first, so that none is left alone at the end.
  std::vector<std::pair<int, int>> sizes = heatmap_sizes(extent);
  std::reverse(sizes.begin(), sizes.end());
  for (const auto& [k, n] : sizes)
    for (const char* domain : {"reach", "push"})
      for (size_t m = 0; m < policy_methods().size(); ++m)
        if (is_published_policy(m)) specs.push_back(released_spec(domain, m, k, n, extent));
  return specs;
}

void fill_heatmap(const Extent& extent, const JobResults& results, Result& result) {
  const std::vector<std::pair<int, int>> sizes = heatmap_sizes(extent);
  for (const char* domain : {"reach", "push"}) {
    HeatGrid grid{.title = fmt::format("{}: mean error out of support, m", domain),
                  .column_label = "linear layers k, units n"};
    grid.colors = {.label = "error, m", .steps = ScaleSteps::logarithmic, .range = std::pair{0.005, 0.5}};
    for (const auto& [k, n] : sizes) grid.columns.push_back(fmt::format("{}, {}", k, n));
    std::vector<double> values;
    for (size_t m = 0; m < policy_methods().size(); ++m) {
      if (!is_published_policy(m)) continue;
      grid.rows.push_back(policy_methods()[m].column);
      for (const auto& [k, n] : sizes)
        values.push_back(mean_of(scores_of(released_spec(domain, m, k, n, extent), results).oos.errors));
    }
    grid.values = Matrix<double>(grid.rows.size(), grid.columns.size(), std::move(values));
    result.charts.push_back(heat_grid(grid));
  }
  result.seeds = {0};
  result.notes = {
      "Preset released, one seed, the authors' 50 goals out of support. The linear policy has no size."};
}

std::vector<PolicySpec> slider_specs(const Extent& extent) {
  std::vector<PolicySpec> specs = {picture_spec("slider", 0, extent)};
  for (size_t m = 1; m < published_methods; ++m) specs.push_back(released_spec("slider", m, 2, 32, extent));
  return specs;
}

void fill_slider(const Extent& extent, const JobResults& results, Result& result) {
  const std::vector<PolicySpec> specs = slider_specs(extent);
  TimePanels panels{.curve_label = "action",
                    .colors = {.label = "mass, kg", .steps = ScaleSteps::logarithmic}};
  const auto actions_of = [](const EpisodePath& path) { return path.actions; };
  for (size_t m = 0; m < specs.size(); ++m) {
    const PolicyScores scores = scores_of(specs[m], results);
    panels.panels.push_back(m == 0
                                ? panel_of("Demonstrations, masses of training", scores.in_paths, actions_of)
                                : panel_of(policy_methods()[m].column, scores.oos_paths, actions_of));
  }
  std::vector<Chart> charts = time_panels(panels);
  for (Chart& chart : charts) chart.y_range = std::pair{-2.0, 2.0};
  add_charts(std::move(charts), result);
  result.seeds = {0};
  result.notes = {
      "Preset released, k = 2, n = 32, one seed; policies act for masses out of support, 5 to 15 kg. The "
      "motor takes actions from -1 to 1; what lies beyond 2 is cut off."};
}

std::vector<Job> jobs_of(const std::vector<PolicySpec>& specs) {
  const auto store = std::make_shared<DemonstrationStore>();
  std::vector<Job> jobs;
  for (const PolicySpec& spec : specs) jobs.push_back(policy_job(spec, store));
  return jobs;
}

}  // namespace

void add_charts(std::vector<Chart> charts, Result& result) {
  for (Chart& chart : charts) result.charts.push_back(std::move(chart));
}

PolicySpec picture_spec(const std::string& domain, size_t method, const Extent& extent) {
  PolicySpec spec = grid_spec({.row = domain, .domain = domain}, 0, extent);
  if (!policy_methods()[method].model.empty())
    spec.options = grid_options("default", policy_methods()[method].model, 0, extent);
  return spec;
}

Experiment policy_figure(std::string id, std::string title, std::vector<PolicySpec> (*specs)(const Extent&),
                         void (*fill)(const Extent&, const JobResults&, Result&)) {
  return {.id = std::move(id),
          .title = std::move(title),
          .jobs =
              [specs](const Extent& extent) {
                return simulated_domains().empty() ? std::vector<Job>{} : jobs_of(specs(extent));
              },
          .assemble =
              [fill](const Extent& extent, const JobResults& results, Result& result) {
                if (!simulated_domains().empty()) return fill(extent, results, result);
                result.notes = {"Empty: this kedge was built without MuJoCo."};
              }};
}

Experiment fig_heatmap_experiment() {
  Experiment experiment = policy_figure("fig-heatmap", "Figure 12: error out of support by method and size",
                                        heatmap_specs, fill_heatmap);
  experiment.over_widths = true;
  return experiment;
}

Experiment fig_slider_actions_experiment() {
  return policy_figure("fig-slider-actions", "Figure 14: actions of the slider over time", slider_specs,
                       fill_slider);
}

}  // namespace kedge
