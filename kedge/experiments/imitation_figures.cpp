// The paper's figures of decision-making: the domains, the search over sizes, actions of the slider; and
// trajectories and maps of errors of our own.

#include <algorithm>
#include <array>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/imitation_grid.h"
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
PolicySpec released_spec(const std::string& domain, size_t method, int layers, int width, const Extent& extent) {
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

/// Curves of one number over time, each in the colour of its goal.
Chart by_goal(const std::string& title, const std::string& y_label, const std::vector<EpisodePath>& paths,
              const std::string& goal_label) {
  Chart chart{.title = title, .x_label = "time step", .y_label = y_label, .width = 330, .height = 250};
  chart.colors = {.label = goal_label};
  for (const EpisodePath& path : paths) {
    Series series{.y = path.actions, .style = SeriesStyle::thin};
    for (size_t t = 0; t < path.actions.size(); ++t) series.x.push_back(static_cast<double>(t));
    series.values = {path.goal.front()};
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void fill_domains(const Extent& extent, const JobResults& results, Result& result) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    const PolicyScores expert = scores_of(picture_spec(domain.name, 0, extent), results);
    if (domain.simulation.columns.goals.size() != 3) {
      for (const auto& [paths, title] : {std::pair{&expert.in_paths, "masses of training"},
                                         std::pair{&expert.oos_paths, "masses out of support"}}) {
        std::vector<EpisodePath> positions = *paths;
        for (EpisodePath& path : positions) {
          path.actions.clear();
          for (size_t t = 0; t < path.places.rows(); ++t) path.actions.push_back(path.places(t, 0));
        }
        Chart chart = by_goal(fmt::format("{}: the ball, {}", domain.name, title), "x of the ball, m", positions,
                              domain.simulation.columns.goals.front());
        chart.x_label = "fiftieth of the episode";
        result.charts.push_back(std::move(chart));
      }
      continue;
    }
    TrajectoryFrame frame = frame_of(domain, domain.name + " from the top");
    frame.goals = {{.name = "goal", .places = all_rows({domain.published_goals(Split::in), domain.published_goals(Split::oos)})}};
    std::vector<EpisodePath> paths = expert.in_paths;
    paths.insert(paths.end(), expert.oos_paths.begin(), expert.oos_paths.end());
    const std::vector<TrajectorySet> sets = {{.name = "expert", .paths = places_of(paths)}};
    result.charts.push_back(top_view(sets, frame));
    frame.title = domain.name + " from the side";
    result.charts.push_back(side_view(sets, frame));
  }
  result.seeds = {0};
  result.notes = {"Crosses are the authors' goals, 50 in support and 50 out of it; lines are the expert's ways to "
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
    Chart chart{.title = fmt::format("{}: mean error out of support", domain),
                .x_label = "linear layers k, units n",
                .width = 640,
                .height = 300};
    chart.colors = {.label = "error, m", .steps = ScaleSteps::logarithmic, .range = std::pair{0.005, 0.5}};
    for (const auto& [k, n] : sizes) chart.x_names.push_back(fmt::format("{}, {}", k, n));
    Series cells{.style = SeriesStyle::cells};
    for (size_t m = 0; m < policy_methods().size(); ++m) {
      if (!is_published_policy(m)) continue;
      chart.y_names.push_back(policy_methods()[m].column);
      for (size_t s = 0; s < sizes.size(); ++s) {
        cells.x.push_back(static_cast<double>(s));
        cells.y.push_back(static_cast<double>(chart.y_names.size() - 1));
        cells.values.push_back(mean_of(
            scores_of(released_spec(domain, m, sizes[s].first, sizes[s].second, extent), results).oos.errors));
      }
    }
    chart.series = {cells};
    result.charts.push_back(std::move(chart));
  }
  result.seeds = {0};
  result.notes = {"Preset released, one seed, the authors' 50 goals out of support. The linear policy has no size."};
}

std::vector<PolicySpec> slider_specs(const Extent& extent) {
  std::vector<PolicySpec> specs = {picture_spec("slider", 0, extent)};
  for (size_t m = 1; m < published_methods; ++m) specs.push_back(released_spec("slider", m, 2, 32, extent));
  return specs;
}

void fill_slider(const Extent& extent, const JobResults& results, Result& result) {
  const std::vector<PolicySpec> specs = slider_specs(extent);
  for (size_t m = 0; m < specs.size(); ++m) {
    const PolicyScores scores = scores_of(specs[m], results);
    result.charts.push_back(by_goal(m == 0 ? "Demonstrations, masses of training" : policy_methods()[m].column,
                                    "action", m == 0 ? scores.in_paths : scores.oos_paths, "mass, kg"));
  }
  result.seeds = {0};
  result.notes = {"Preset released, k = 2, n = 32, one seed; policies act for masses out of support, 5 to 15 kg."};
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
      ErrorMap map{.goals = all_rows({domain.published_goals(Split::in), domain.published_goals(Split::oos)})};
      map.errors = scores.in.errors;
      map.errors.insert(map.errors.end(), scores.oos.errors.begin(), scores.oos.errors.end());
      if (map.errors.size() != map.goals.rows()) continue;  // a quick run has fewer goals
      map.colors.label = "error, m";
      map.colors.range = std::pair{0.005, 0.5};
      TrajectoryFrame plain = frame_of(domain, fmt::format("{}: error of {}", name, policy_methods()[m].column));
      result.charts.push_back(error_map(map, plain));
    }
  }
  result.seeds = {0};
  result.notes = {"Preset default, one seed: the ways to the first four of the authors' goals out of support, and "
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
  for (const SimulatedDomain& domain : simulated_domains()) specs.push_back(picture_spec(domain.name, 0, extent));
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
  return figure("fig-slider-actions", "Figure 14: actions of the slider over time", slider_specs, fill_slider);
}

Experiment fig_trajectories_experiment() {
  return figure("fig-trajectories", "Ways to goals out of support, and errors over the goals", trajectory_specs,
                fill_trajectories);
}

}  // namespace kedge
