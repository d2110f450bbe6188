// The paper's figures 12 and 14: the search over sizes, and actions of the slider.

#include "kedge/experiments/imitation_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/experiments/experiments.h"

namespace kedge {
namespace {

// Beside the preset that the released code is, the paper's own text.
std::vector<std::string> shown_presets(const Extent& extent) {
  return presets_of({"released", "paper"}, extent);
}

/// A policy of one seed, of a size of the paper's tables.
struct SizedPolicy {
  std::string domain, preset;
  size_t method = 0;
  int layers = 2, width = 32;
};

PolicySpec spec_of(const SizedPolicy& policy, const Extent& extent) {
  PolicySpec spec = grid_spec({.row = policy.domain, .domain = policy.domain}, 0, extent);
  const std::string& model = policy_methods()[policy.method].model;
  spec.options = grid_options(policy.preset, model, 0, extent);
  // A closed form has no size: one job for all.
  if (model != "linear") {
    spec.options->fit.architecture.layers = policy.layers;
    spec.options->fit.architecture.width = policy.width;
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

/// Layers and widths. As in the tables, the preset paper has one size.
std::vector<std::pair<int, int>> heatmap_sizes(const std::string& preset, const Extent& extent) {
  if (extent.quick || preset == "paper") return {{2, 32}};
  std::vector<std::pair<int, int>> sizes;
  for (int n : extent.widths)
    for (int k : {2, 3}) sizes.emplace_back(k, n);
  return sizes;
}

constexpr std::array<const char*, 2> heatmap_domains = {"reach", "push"};

std::vector<PolicySpec> heatmap_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const std::string& preset : shown_presets(extent)) {
    // The longest first, so that none is left alone at the end.
    std::vector<std::pair<int, int>> sizes = heatmap_sizes(preset, extent);
    std::reverse(sizes.begin(), sizes.end());
    for (const auto& [k, n] : sizes)
      for (const char* domain : heatmap_domains)
        for (size_t m = 1; m < published_methods; ++m)
          specs.push_back(spec_of({domain, preset, m, k, n}, extent));
  }
  return specs;
}

Chart heatmap_of(const std::string& domain, const std::string& preset, const Extent& extent,
                 const JobResults& results, Failures& failures) {
  const std::vector<std::pair<int, int>> sizes = heatmap_sizes(preset, extent);
  HeatGrid grid{.title = fmt::format("{}, preset {}", domain, preset),
                .column_label = "linear layers k, units n"};
  grid.colors = {.label = "error, m", .steps = ScaleSteps::logarithmic, .range = std::pair{0.005, 0.5}};
  for (const auto& [k, n] : sizes) grid.columns.push_back(fmt::format("{}, {}", k, n));
  std::vector<double> values;
  for (size_t m = 1; m < published_methods; ++m) {
    const std::string& method = policy_methods()[m].column;
    grid.rows.push_back(method);
    for (const auto& [k, n] : sizes) {
      const PolicyScores scores = scores_of(spec_of({domain, preset, m, k, n}, extent), results);
      failures.add(fmt::format("{}, {}, preset {}, k = {}, n = {}", domain, method, preset, k, n), scores);
      values.push_back(mean_of(scores.oos.errors));
    }
  }
  grid.values = Matrix<double>(grid.rows.size(), grid.columns.size(), std::move(values));
  return heat_grid(grid);
}

void fill_heatmap(const Extent& extent, const JobResults& results, Result& result) {
  Failures failures;
  for (const char* domain : heatmap_domains)
    for (const std::string& preset : shown_presets(extent))
      result.charts.push_back(heatmap_of(domain, preset, extent, results, failures));
  result.seeds = {0};
  result.notes = {
      "Mean error out of support, one seed, the authors' 50 goals. The linear policy has no size. Preset "
      "paper has networks of k = 2 and n = 32 only. Episodes that broke down are not in the means."};
  failures.add_notes(result);
}

std::vector<PolicySpec> slider_specs(const Extent& extent) {
  std::vector<PolicySpec> specs = {picture_spec("slider", 0, extent)};
  for (const std::string& preset : shown_presets(extent))
    for (size_t m = 1; m < published_methods; ++m)
      specs.push_back(spec_of({.domain = "slider", .preset = preset, .method = m}, extent));
  return specs;
}

void fill_slider(const Extent& extent, const JobResults& results, Result& result) {
  const auto actions_of = [](const EpisodePath& path) { return path.actions; };
  TimePanels panels{
      .panels = {panel_of("Demonstrations, masses of training",
                          scores_of(picture_spec("slider", 0, extent), results).in_paths, actions_of)},
      .curve_label = "action",
      .colors = {.label = "mass, kg", .steps = ScaleSteps::logarithmic}};
  Failures failures;
  for (const std::string& preset : shown_presets(extent))
    for (size_t m = 1; m < published_methods; ++m) {
      const std::string title = fmt::format("{}, preset {}", policy_methods()[m].column, preset);
      const PolicyScores scores =
          scores_of(spec_of({.domain = "slider", .preset = preset, .method = m}, extent), results);
      failures.add(title, scores);
      panels.panels.push_back(panel_of(title, scores.oos_paths, actions_of));
    }
  std::vector<Chart> charts = time_panels(panels);
  for (Chart& chart : charts) chart.y_range = std::pair{-2.0, 2.0};
  add_charts(std::move(charts), result);
  result.seeds = {0};
  result.notes = {
      "Presets released and paper, k = 2, n = 32, one seed; policies act for masses out of support, 5 to 15 "
      "kg. The motor takes actions from -1 to 1; what lies beyond 2 is cut off."};
  failures.add_notes(result);
}

std::vector<Job> jobs_of(const std::vector<PolicySpec>& specs) {
  const auto store = std::make_shared<DemonstrationStore>();
  std::vector<Job> jobs;
  for (const PolicySpec& spec : specs) jobs.push_back(policy_job(spec, store));
  return jobs;
}

}  // namespace

void Failures::add(const std::string& policy, const PolicyScores& scores) {
  if (scores.failed > 0) policies_.push_back(policy);
}

void Failures::add_notes(Result& result) const {
  for (const std::string& policy : policies_)
    result.notes.push_back(fmt::format("{}: the training diverged, so nothing is drawn.", policy));
}

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
