#include "kedge/report/panels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

using Range = std::optional<std::pair<double, double>>;

void add(Range& range, double value) {
  if (!std::isfinite(value)) return;
  range = range ? std::pair{std::min(range->first, value), std::max(range->second, value)}
                : std::pair{value, value};
}

/// What a chart accepts as a range: none where all values are one.
Range if_wide(const Range& range) { return range && range->first < range->second ? range : Range(); }

Range with_margin(const Range& range) {
  if (!range) return {};
  const double margin = 0.03 * (range->second - range->first);
  return {{range->first - margin, range->second + margin}};
}

Series curve_of(const TimePanels& all, const std::vector<double>& curve, double value) {
  Series series{.y = curve, .style = SeriesStyle::thin, .values = {value}};
  for (size_t t = 0; t < curve.size(); ++t) series.x.push_back(static_cast<double>(t) * all.step);
  return series;
}

}  // namespace

std::vector<Chart> time_panels(const TimePanels& all) {
  Range time, height, values;
  for (const TimePanel& panel : all.panels) {
    if (panel.curves.size() != panel.values.size())
      throw Error("report",
                  fmt::format("a panel needs one value per curve; '{}' has {} curves, {} values; give "
                              "as many of both",
                              panel.title, panel.curves.size(), panel.values.size()));
    for (const std::vector<double>& curve : panel.curves) {
      for (double number : curve) add(height, number);
      add(time, 0);
      add(time, static_cast<double>(std::max<size_t>(curve.size(), 1) - 1) * all.step);
    }
    for (double value : panel.values)
      if (all.colors.steps == ScaleSteps::even || value > 0) add(values, value);
  }
  std::vector<Chart> charts;
  for (const TimePanel& panel : all.panels) {
    Chart chart{.title = panel.title,
                .x_label = all.time_label,
                .y_label = all.curve_label,
                .y_range = with_margin(if_wide(height)),
                .width = all.width,
                .height = all.height,
                .x_range = if_wide(time),
                .colors = all.colors};
    if (!chart.colors.range) chart.colors.range = if_wide(values);
    for (size_t i = 0; i < panel.curves.size(); ++i)
      chart.series.push_back(curve_of(all, panel.curves[i], panel.values[i]));
    charts.push_back(std::move(chart));
  }
  return charts;
}

Chart heat_grid(const HeatGrid& grid) {
  if (grid.values.rows() != grid.rows.size() || grid.values.cols() != grid.columns.size())
    throw Error("report",
                fmt::format("a grid needs a name per row and column; found {} x {} values, {} and {} "
                            "names; give as many of each",
                            grid.values.rows(), grid.values.cols(), grid.rows.size(), grid.columns.size()));
  constexpr int row_pixels = 34, around = 110;
  Chart chart{.title = grid.title,
              .x_label = grid.column_label,
              .y_label = grid.row_label,
              .width = grid.width,
              .height = around + row_pixels * static_cast<int>(grid.rows.size()),
              .x_names = grid.columns,
              .y_names = grid.rows,
              .colors = grid.colors};
  chart.height = std::max(chart.height, 150);
  Series cells{.style = SeriesStyle::cells};
  for (size_t r = 0; r < grid.rows.size(); ++r) {
    for (size_t c = 0; c < grid.columns.size(); ++c) {
      cells.x.push_back(static_cast<double>(c));
      cells.y.push_back(static_cast<double>(r));
      cells.values.push_back(grid.values(r, c));
    }
  }
  chart.series = {cells};
  return chart;
}

}  // namespace kedge
