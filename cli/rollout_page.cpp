#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/prose.h"
#include "cli/rollout_report.h"
#include "kedge/core/format.h"
#include "kedge/report/panels.h"
#include "kedge/report/trajectories.h"

namespace kedge {
namespace {

constexpr double seconds_of_paths = 4;

/// The named observation columns of an episode.
Matrix<double> columns_of(const Episode& episode, const EpisodeColumns& columns,
                          const std::vector<std::string>& names) {
  Matrix<double> result(episode.steps(), names.size());
  for (size_t c = 0; c < names.size(); ++c) {
    const auto found = std::find(columns.observations.begin(), columns.observations.end(), names[c]);
    const auto place = static_cast<size_t>(found - columns.observations.begin());
    for (size_t t = 0; t < episode.steps(); ++t) result(t, c) = episode.observations(t, place);
  }
  return result;
}

GoalRegion demonstrated_region(const Matrix<double>& goals) {
  GoalRegion region{.name = "demonstrated goals", .style = BoxStyle::shade};
  for (size_t g = 0; g < 3; ++g) {
    region.low[g] = region.high[g] = goals(0, g);
    for (size_t e = 0; e < goals.rows(); ++e) {
      region.low[g] = std::min(region.low[g], goals(e, g));
      region.high[g] = std::max(region.high[g], goals(e, g));
    }
  }
  return region;
}

TrajectoryFrame frame_of(const RolloutReport& report) {
  TrajectoryFrame frame{.seconds = seconds_of_paths};
  std::copy_n(report.domain.path.begin(), 3, frame.axes.begin());
  if (report.policy.goals().cols() == 3) frame.regions = {demonstrated_region(report.policy.goals())};
  return frame;
}

std::vector<Matrix<double>> paths_of(const Rollouts& rollouts, const RolloutReport& report) {
  std::vector<Matrix<double>> paths;
  for (const Episode& episode : rollouts.episodes.episodes())
    paths.push_back(columns_of(episode, report.domain.simulation.columns, report.domain.path));
  return paths;
}

Section path_section(const RolloutReport& report) {
  Section section{.heading = "Paths"};
  for (const RolloutSet& set : report.sets) {
    TrajectoryFrame frame = frame_of(report);
    if (set.goals.cols() == 3) {
      // Only goals whose path is drawn.
      const size_t shown = std::min(set.goals.rows(), frame.most_paths);
      frame.goals = {{.name = "goals",
                      .places = Matrix<double>(
                          shown, 3, std::vector<double>(set.goals.data(), set.goals.data() + shown * 3))}};
    }
    const std::vector<TrajectorySet> paths = {
        {.name = report.policy.options().model, .paths = paths_of(set.policy, report)}};
    section.parts.push_back(
        Figure{{top_view(paths, frame), side_view(paths, frame)},
               fmt::format("Goals of {}, from the top and from the side: where each episode began (ring) and "
                           "ended (dot), at most {} of them.",
                           set.name, frame.most_paths)});
  }
  return section;
}

/// From the least error to the greatest, of policy and expert, so that their maps can be compared.
std::optional<std::pair<double, double>> error_range(const RolloutReport& report) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto include = [&](const Rollouts& rollouts) {
    for (double error : rollouts.errors) {
      if (!std::isfinite(error) || !(error > 0)) continue;
      low = std::min(low, error);
      high = std::max(high, error);
    }
  };
  for (const RolloutSet& set : report.sets) {
    include(set.policy);
    if (set.expert) include(*set.expert);
  }
  if (!(low < high)) return {};
  return std::pair(low, high);
}

/// Errors at the places of the goals, all sets in one map.
Section map_section(const RolloutReport& report) {
  const auto map_of = [&](const std::string& title, const auto& rollouts_of) {
    ErrorMap map;
    map.colors.range = error_range(report);
    std::vector<double> places;
    for (const RolloutSet& set : report.sets) {
      places.insert(places.end(), set.goals.values().begin(), set.goals.values().end());
      const Rollouts& rollouts = rollouts_of(set);
      map.errors.insert(map.errors.end(), rollouts.errors.begin(), rollouts.errors.end());
    }
    map.goals = Matrix<double>(map.errors.size(), 3, std::move(places));
    TrajectoryFrame frame = frame_of(report);
    frame.title = title;
    const std::vector<std::string>& names = report.domain.simulation.columns.goals;
    std::copy_n(names.begin(), 3, frame.axes.begin());
    return error_map(map, frame);
  };
  Figure figure{{map_of(
                    report.policy.options().model, [](const RolloutSet& s) -> auto& { return s.policy; })},
                "The error at the end of each episode, at the place of its goal seen from the top."};
  if (!report.expert.empty())
    figure.charts.push_back(map_of(
        "expert", [](const RolloutSet& s) -> auto& { return *s.expert; }));
  return {"Errors", {figure}};
}

/// Errors over a goal that is one number.
Section line_section(const RolloutReport& report) {
  const std::string& goal = report.domain.simulation.columns.goals[0];
  const std::vector<double>& shown = report.policy.goals().values();
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  Chart chart{.x_label = goal, .y_label = "error", .bands = {{*low, *high, "demonstrated goals"}}};
  Series policy{.name = report.policy.options().model, .style = SeriesStyle::points};
  Series expert{.name = "expert", .color = "currentColor", .style = SeriesStyle::points};
  for (const RolloutSet& set : report.sets) {
    policy.x.insert(policy.x.end(), set.goals.values().begin(), set.goals.values().end());
    policy.y.insert(policy.y.end(), set.policy.errors.begin(), set.policy.errors.end());
    if (set.expert) expert.y.insert(expert.y.end(), set.expert->errors.begin(), set.expert->errors.end());
  }
  expert.x = policy.x;
  chart.series = {policy};
  if (!report.expert.empty()) chart.series.push_back(expert);
  return {"Errors", {Figure{{chart}, "The error at the end of each episode."}}};
}

/// Actions over time, each curve in the colour of its goal.
Section action_section(const RolloutReport& report) {
  const EpisodeColumns& columns = report.domain.simulation.columns;
  Section section{.heading = "Actions"};
  for (size_t a = 0; a < columns.actions.size(); ++a) {
    TimePanels panels{.curve_label = columns.actions[a], .colors = {.label = columns.goals[0]}};
    const auto add = [&](const std::string& title, const Rollouts& rollouts, const Matrix<double>& goals) {
      TimePanel panel{.title = title};
      for (size_t e = 0; e < rollouts.episodes.size(); ++e) {
        std::vector<double> curve;
        for (size_t t = 0; t < rollouts.episodes[e].steps(); ++t)
          curve.push_back(rollouts.episodes[e].actions(t, a));
        panel.curves.push_back(std::move(curve));
        panel.values.push_back(goals(e, 0));
      }
      panels.panels.push_back(std::move(panel));
    };
    for (const RolloutSet& set : report.sets) {
      add(fmt::format("{}, {}", report.policy.options().model, set.name), set.policy, set.goals);
      if (set.expert) add(fmt::format("expert, {}", set.name), *set.expert, set.goals);
    }
    section.parts.push_back(Figure{time_panels(panels), fmt::format("{} at each step.", columns.actions[a])});
  }
  return section;
}

/// How each set of goals went.
std::string conclusion_of(const RolloutReport& report) {
  std::vector<std::string> parts;
  for (const RolloutSet& set : report.sets) {
    const ErrorSummary policy = summary_of(set.policy);
    if (!std::isfinite(policy.median)) continue;
    parts.push_back(fmt::format("{} on {} of {}", rough(policy.median),
                                counted(policy.episodes, "goal", "goals"), code(set.name)));
    if (set.expert) parts.back() += fmt::format(" (expert {})", rough(summary_of(*set.expert).median));
  }
  return parts.empty() ? "" : fmt::format("The median error is {}.", listed(parts));
}

}  // namespace

Page rollout_page(const RolloutReport& report, const std::string& command) {
  Page page{.title = fmt::format("{} in {}", report.policy.options().model, report.domain.name),
            .conclusion = conclusion_of(report),
            .intro = fmt::format("{} The policy {} was learned from {} demonstrations of {} steps.",
                                 report.domain.title, report.policy_file, report.policy.demonstrations(),
                                 report.policy.steps()),
            .sections = {{"Results", {set_table(report)}}, {"By verdict", {verdict_table(report)}}},
            .provenance = {.command = command, .version = version()}};
  const size_t goals = report.domain.simulation.columns.goals.size();
  if (report.domain.path.size() == 3) page.sections.push_back(path_section(report));
  if (goals == 3) page.sections.push_back(map_section(report));
  if (goals == 1) {
    page.sections.push_back(line_section(report));
    page.sections.push_back(action_section(report));
  }
  return page;
}

}  // namespace kedge
