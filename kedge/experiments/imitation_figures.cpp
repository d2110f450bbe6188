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

/// A policy of a size of the paper's tables.
struct SizedPolicy {
  std::string domain, preset;
  size_t method = 0;
  PolicySize size = {.layers = 2, .width = 32};
  uint64_t seed = 0;
};

PolicySpec spec_of(const SizedPolicy& policy, const Extent& extent) {
  PolicySpec spec = grid_spec({.row = policy.domain, .domain = policy.domain}, policy.seed, extent);
  const std::string& model = policy_methods()[policy.method].model;
  spec.options = grid_options(policy.preset, model, policy.seed, extent);
  // A closed form has no size: one job for all.
  if (model != "linear") take_size(policy.size, extent, spec);
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

/// As in the tables, narrow ones first.
std::vector<PolicySize> heatmap_sizes(const std::string& preset, const Extent& extent) {
  std::vector<PolicySize> sizes = searched_sizes({2, 3}, preset, extent);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const PolicySize& a, const PolicySize& b) { return a.width < b.width; });
  return sizes;
}

/// One, or all when the search is whole.
std::vector<uint64_t> heatmap_seeds(const Extent& extent) {
  return extent.full ? seeds_of(extent) : std::vector<uint64_t>{0};
}

constexpr std::array<const char*, 2> heatmap_domains = {"reach", "push"};

std::vector<PolicySpec> heatmap_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const std::string& preset : shown_presets(extent)) {
    // The longest first, so that none is left alone at the end.
    std::vector<PolicySize> sizes = heatmap_sizes(preset, extent);
    std::reverse(sizes.begin(), sizes.end());
    for (const PolicySize& size : sizes)
      for (const char* domain : heatmap_domains)
        for (size_t m = 1; m < published_methods; ++m)
          for (uint64_t seed : heatmap_seeds(extent))
            specs.push_back(spec_of({domain, preset, m, size, seed}, extent));
  }
  return specs;
}

Chart heatmap_of(const std::string& domain, const std::string& preset, const Extent& extent,
                 const JobResults& results, Failures& failures) {
  const std::vector<PolicySize> sizes = heatmap_sizes(preset, extent);
  HeatGrid grid{.title = fmt::format("{}, preset {}", domain, preset),
                .column_label = "linear layers k, units n"};
  grid.colors = {.label = "error, m", .steps = ScaleSteps::logarithmic, .range = std::pair{0.005, 0.5}};
  for (const PolicySize& size : sizes) grid.columns.push_back(fmt::format("{}, {}", size.layers, size.width));
  std::vector<double> values;
  for (size_t m = 1; m < published_methods; ++m) {
    const std::string& method = policy_methods()[m].column;
    grid.rows.push_back(method);
    for (const PolicySize& size : sizes) {
      std::vector<PolicySpec> policies;
      for (uint64_t seed : heatmap_seeds(extent))
        policies.push_back(spec_of({domain, preset, m, size, seed}, extent));
      const PolicyScores scores = joined(policies, results);
      failures.add(
          fmt::format("{}, {}, preset {}, k = {}, n = {}", domain, method, preset, size.layers, size.width),
          scores);
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
  result.seeds = heatmap_seeds(extent);
  result.notes = {fmt::format(
      "Mean error out of support, {}, the authors' 50 goals. The linear policy has no size. {}Episodes that "
      "broke down are not in the means.",
      extent.full ? "over seeds" : "one seed",
      extent.full ? "" : "Preset paper has networks of k = 2 and n = 32 only. ")};
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

std::vector<Job> jobs_of(const std::vector<PolicySpec>& specs, const Extent& extent) {
  std::vector<Job> jobs;
  for (const PolicySpec& spec : specs) jobs.push_back(policy_job(spec, extent.demonstrations));
  return jobs;
}

}  // namespace

void Failures::add(const std::string& policy, const PolicyScores& scores) {
  if (scores.failed == 0) return;
  if (scores.oos.errors.empty())
    notes_.push_back(fmt::format("{}: the training diverged, so nothing is drawn.", policy));
  else
    notes_.push_back(fmt::format("{}: the training of {} of the seeds diverged; the others are drawn.",
                                 policy, scores.failed));
}

void Failures::add_notes(Result& result) const {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
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
                return simulated_domains().empty() ? std::vector<Job>{} : jobs_of(specs(extent), extent);
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
