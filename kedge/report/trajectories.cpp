#include "kedge/report/trajectories.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr size_t axes = 3;

/// The two axes of a view: what is to the right and what is upwards.
struct View {
  size_t right = 0;
  size_t up = 1;
};

Series seen(const Matrix<double>& places, const View& view, const std::string& name) {
  if (places.rows() > 0 && places.cols() != axes)
    throw Error("report", fmt::format("places need {} columns; '{}' has {}; fill the missing ones with 0",
                                      axes, name, places.cols()));
  Series series{.name = name};
  for (size_t r = 0; r < places.rows(); ++r) {
    series.x.push_back(places(r, view.right));
    series.y.push_back(places(r, view.up));
  }
  return series;
}

Chart ground(const TrajectoryFrame& frame, const View& view) {
  Chart chart{.title = frame.title,
              .x_label = frame.axes[view.right],
              .y_label = frame.axes[view.up],
              .width = frame.width,
              .height = frame.height,
              .equal_axes = true};
  for (const GoalRegion& region : frame.regions)
    chart.boxes.push_back({.x_low = region.low[view.right],
                           .x_high = region.high[view.right],
                           .y_low = region.low[view.up],
                           .y_high = region.high[view.up],
                           .name = region.name,
                           .style = region.style});
  return chart;
}

void add_goals(Chart& chart, const TrajectoryFrame& frame, const View& view) {
  for (const GoalSet& set : frame.goals) {
    Series series = seen(set.places, view, set.name);
    series.style = set.style;
    series.color = set.color;
    chart.series.push_back(std::move(series));
  }
}

Chart paths_in(const View& view, const std::vector<TrajectorySet>& sets, const TrajectoryFrame& frame) {
  Chart chart = ground(frame, view);
  for (const TrajectorySet& set : sets) {
    const size_t shown = std::min(set.paths.size(), frame.most_paths);
    // Keeps its place in the palette, so that charts with the same sets agree.
    if (shown == 0) chart.series.push_back({.name = set.name, .color = set.color});
    for (size_t i = 0; i < shown; ++i) {
      Series series = seen(set.paths[i], view, set.name);
      series.color = set.color;
      series.style = shown > 1 ? SeriesStyle::thin : SeriesStyle::line;
      series.ends = true;
      series.animate = frame.seconds;
      chart.series.push_back(std::move(series));
    }
  }
  add_goals(chart, frame, view);
  return chart;
}

}  // namespace

Chart top_view(const std::vector<TrajectorySet>& sets, const TrajectoryFrame& frame) {
  return paths_in({.right = 0, .up = 1}, sets, frame);
}

Chart side_view(const std::vector<TrajectorySet>& sets, const TrajectoryFrame& frame) {
  return paths_in({.right = 0, .up = 2}, sets, frame);
}

Chart error_map(const ErrorMap& map, const TrajectoryFrame& frame) {
  if (map.goals.rows() != map.errors.size())
    throw Error("report", fmt::format("a map needs one error per goal; found {} goals and {} errors; give as "
                                      "many of both",
                                      map.goals.rows(), map.errors.size()));
  const View view{.right = 0, .up = 1};
  Chart chart = ground(frame, view);
  chart.colors = map.colors;
  Series series = seen(map.goals, view, "");
  series.style = SeriesStyle::points;
  series.values = map.errors;
  chart.series.push_back(std::move(series));
  add_goals(chart, frame, view);
  return chart;
}

}  // namespace kedge
