// The paper's figures 1 and 8, the domains and their goals; and ways to goals and maps of errors of our own.

#include <algorithm>
#include <array>
#include <cmath>

#include "kedge/core/format.h"
#include "kedge/experiments/experiments.h"
#include "kedge/experiments/imitation_figures.h"
#include "kedge/report/trajectories.h"

namespace kedge {
namespace {

constexpr size_t region_goals = 4000;  // drawn to find out where goals lie
const std::array<const char*, 3> spatial_domains = {"reach", "push", "adroit"};

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

std::vector<PolicySpec> trajectory_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const char* domain : spatial_domains)
    for (size_t m = 0; m < published_methods; ++m) specs.push_back(picture_spec(domain, m, extent));
  return specs;
}

void fill_trajectories(const Extent& extent, const JobResults& results, Result& result) {
  constexpr size_t paths_each = 4;
  Failures failures;
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
      failures.add(fmt::format("{}, {}", name, policy_methods()[m].column), scores);
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
  failures.add_notes(result);
}

std::vector<PolicySpec> domain_specs(const Extent& extent) {
  std::vector<PolicySpec> specs;
  for (const SimulatedDomain& domain : simulated_domains())
    specs.push_back(picture_spec(domain.name, 0, extent));
  return specs;
}

}  // namespace

Experiment fig_domains_experiment() {
  return policy_figure("fig-domains", "Figures 1 and 8: the simulated domains and their goals", domain_specs,
                       fill_domains);
}

Experiment fig_trajectories_experiment() {
  return policy_figure("fig-trajectories", "Ways to goals out of support, and errors over the goals",
                       trajectory_specs, fill_trajectories);
}

}  // namespace kedge
