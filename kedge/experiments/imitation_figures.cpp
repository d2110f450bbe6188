// The paper's figures of decision-making: the domains, the search over sizes, actions of the slider; and
// trajectories and maps of errors of our own.

#include <algorithm>
#include <array>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/imitation_grid.h"
#include "kedge/report/panels.h"
#include "kedge/report/trajectories.h"

namespace kedge {
namespace {

constexpr size_t region_goals = 4000;  // drawn to find out where goals lie
const std::array<const char*, 3> spatial_domains = {"reach", "push", "adroit"};

bool is_published_policy(size_t method) { return method > 0 && method < published_methods; }

Matrix<double> all_rows(std::initializer_list<Matrix<double>> parts) {
  std::vector<double> numbers;
  size_t rows = 0, cols = 0;
  for (const Matrix<double>& part : parts) {
    numbers.insert(numbers.end(), part.values().begin(), part.values().end());
    rows += part.rows();
    cols = part.cols();
  }
  return {rows, cols, std::move(numbers)};
}

/// The box that goals of a split are drawn out of, to a hundredth.
GoalRegion region_of(const SimulatedDomain& domain, Split split, const std::string& name, BoxStyle style) {
  const Matrix<double> goals = domain.goals(split, region_goals, 0);
  GoalRegion region{.name = name, .style = style};
  for (size_t c = 0; c < 3; ++c) {
    double low = goals(0, c), high = low;
    for (size_t g = 1; g < goals.rows(); ++g) {
      low = std::min(low, goals(g, c));
      high = std::max(high, goals(g, c));
    }
    region.low[c] = std::round(low * 100) / 100;
    region.high[c] = std::round(high * 100) / 100;
  }
  return region;
}

TrajectoryFrame frame_of(const SimulatedDomain& domain, const std::string& title) {
  return {.title = title,
          .axes = {"x, m", "y, m", "z, m"},
          .regions = {region_of(domain, Split::train, "goals of training", BoxStyle::shade),
                      region_of(domain, Split::oos, "goals out of support", BoxStyle::dashes)}};
}

std::vector<Matrix<double>> places_of(const std::vector<EpisodePath>& paths) {
  std::vector<Matrix<double>> places;
  for (const EpisodePath& path : paths) places.push_back(path.places);
  return places;
}

/// The policy of a method in pictures: the default preset, first seed.
PolicySpec picture_spec(const std::string& domain, size_t method, const Extent& extent) {
  PolicySpec spec = grid_spec({.row = domain, .domain = domain}, 0, extent);
  if (!policy_methods()[method].model.empty())
    spec.options = grid_options("default", policy_methods()[method].model, 0, extent);
  return spec;
}

/// The same of the released code, with the sizes of the paper's table 5.
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

std::vector<Job> jobs_of(const std::vector<PolicySpec>& specs) {
  const auto store = std::make_shared<DemonstrationStore>();
  std::vector<Job> jobs;
  for (const PolicySpec& spec : specs) jobs.push_back(policy_job(spec, store));
  return jobs;
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

/// A panel of one number over time for each path, by the path's goal.
template <class Number>
TimePanel panel_of(const std::string& title, const std::vector<EpisodePath>& paths, const Number& numbers) {
  TimePanel panel{.title = title};
  for (const EpisodePath& path : paths) {
    panel.curves.push_back(numbers(path));
    panel.values.push_back(path.goal.front());
  }
  return panel;
}

void add_charts(std::vector<Chart> charts, Result& result) {
  for (Chart& chart : charts) result.charts.push_back(std::move(chart));
}

/// The first coordinate of what is moved, over time: for domains whose goals are no places.
void add_motion(const SimulatedDomain& domain, const PolicyScores& expert, Result& result) {
  const auto x_of = [](const EpisodePath& path) {
    std::vector<double> x;
    for (size_t t = 0; t < path.places.rows(); ++t) x.push_back(path.places(t, 0));
    return x;
  };
  const std::string& goal = domain.simulation.columns.goals.front();
  add_charts(time_panels({.panels = {panel_of(domain.name + ", in support", expert.in_paths, x_of),
                                     panel_of(domain.name + ", out of support", expert.oos_paths, x_of)},
                          .time_label = "share of the episode",
                          .curve_label = domain.path.front(),
                          .step = 1.0 / static_cast<double>(expert.in_paths.front().places.rows() - 1),
                          .colors = {.label = goal, .steps = ScaleSteps::logarithmic},
                          .width = 440,
                          .height = 300}),
             result);
}

void fill_domains(const Extent& extent, const JobResults& results, Result& result) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const PolicyScores expert = scores_of(picture_spec(domain.name, 0, extent), results);
    if (domain.simulation.columns.goals.size() != 3) {
      add_motion(domain, expert, result);
      continue;
    }
    TrajectoryFrame frame = frame_of(domain, domain.name + " from the top");
    frame.goals = {
        {.name = "goal",
         .places = all_rows({domain.published_goals(Split::in), domain.published_goals(Split::oos)})}};
    std::vector<EpisodePath> paths = expert.in_paths;
    paths.insert(paths.end(), expert.oos_paths.begin(), expert.oos_paths.end());
    const std::vector<TrajectorySet> sets = {{.name = "expert", .paths = places_of(paths)}};
    result.charts.push_back(top_view(sets, frame));
    frame.title = domain.name + " from the side";
    result.charts.push_back(side_view(sets, frame));
  }
  result.seeds = {0};
  result.notes = {
      "Crosses are the authors' goals, 50 in support and 50 out of it; lines are the expert's ways to "
      "the first of them."};
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

std::vector<PolicySpec> trajectory_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const char* domain : spatial_domains)
    for (size_t m = 0; m < published_methods; ++m) specs.push_back(picture_spec(domain, m, extent));
  return specs;
}

void fill_trajectories(const Extent& extent, const JobResults& results, Result& result) {
  constexpr size_t paths_each = 4;
  for (const char* name : spatial_domains) {
    const SimulatedDomain& domain = find_simulated_domain(name);
    TrajectoryFrame frame = frame_of(domain, fmt::format("{} from the top", name));
    frame.most_paths = paths_each;
    frame.seconds = 4;
    std::vector<TrajectorySet> sets;
    for (size_t m = 0; m < published_methods; ++m) {
      const PolicyScores scores = scores_of(picture_spec(name, m, extent), results);
      if (m == 0) {
        std::vector<double> goals;
        const size_t count = std::min(paths_each, scores.oos_paths.size());
        for (size_t e = 0; e < count; ++e)
          goals.insert(goals.end(), scores.oos_paths[e].goal.begin(), scores.oos_paths[e].goal.end());
        frame.goals = {{.name = "goal", .places = Matrix<double>(count, 3, goals)}};
      }
      sets.push_back({.name = policy_methods()[m].column, .paths = places_of(scores.oos_paths)});
    }
    result.charts.push_back(top_view(sets, frame));
    frame.title = fmt::format("{} from the side", name);
    frame.seconds = 0;
    result.charts.push_back(side_view(sets, frame));
    for (size_t m : {size_t{2}, size_t{5}}) {
      const PolicyScores scores = scores_of(picture_spec(name, m, extent), results);
      ErrorMap map{.goals =
                       all_rows({domain.published_goals(Split::in), domain.published_goals(Split::oos)})};
      map.errors = scores.in.errors;
      map.errors.insert(map.errors.end(), scores.oos.errors.begin(), scores.oos.errors.end());
      if (map.errors.size() != map.goals.rows()) continue;  // a quick run has fewer goals
      map.colors.label = "error, m";
      map.colors.range = std::pair{0.005, 0.5};
      TrajectoryFrame plain =
          frame_of(domain, fmt::format("{}: error of {}", name, policy_methods()[m].column));
      result.charts.push_back(error_map(map, plain));
    }
  }
  result.seeds = {0};
  result.notes = {
      "Preset default, one seed: the ways to the first four of the authors' goals out of support, and "
      "the error at each of their goals, in support and out of it."};
}

/// In a build without simulations there is nothing to draw.
Experiment figure(std::string id, std::string title, std::vector<PolicySpec> (*specs)(const Extent&),
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

std::vector<PolicySpec> domain_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const SimulatedDomain& domain : simulated_domains())
    specs.push_back(picture_spec(domain.name, 0, extent));
  return specs;
}

}  // namespace

Experiment fig_domains_experiment() {
  return figure("fig-domains", "Figures 1 and 8: the simulated domains and their goals", domain_specs,
                fill_domains);
}

Experiment fig_heatmap_experiment() {
  Experiment experiment = figure("fig-heatmap", "Figure 12: error out of support by method and size",
                                 heatmap_specs, fill_heatmap);
  experiment.over_widths = true;
  return experiment;
}

Experiment fig_slider_actions_experiment() {
  return figure("fig-slider-actions", "Figure 14: actions of the slider over time", slider_specs,
                fill_slider);
}

Experiment fig_trajectories_experiment() {
  return figure("fig-trajectories", "Ways to goals out of support, and errors over the goals",
                trajectory_specs, fill_trajectories);
}

}  // namespace kedge
