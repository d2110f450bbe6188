#include "kedge/report/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr double least_plot_height = 60;
constexpr double widest_names = 0.4;    // part of the width that names of rows may take
constexpr double name_widening = 1.12;  // names are cut to fit, so a wide font is allowed for
constexpr double label_gap = 12;        // least space between the numbers along the x axis

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  ScaleSteps steps = ScaleSteps::even;

  void add(double value) {
    if (!std::isfinite(value) || (steps == ScaleSteps::logarithmic && value <= 0)) return;
    constexpr double largest = 1e300;  // so that margins and differences do not overflow
    low = std::min(low, std::max(value, -largest));
    high = std::max(high, std::min(value, largest));
  }
  bool empty() const { return low > high; }
};

// Far outside the plot the exact place no longer shows, but numbers too large for a renderer would.
double place(double value, const AxisTicks& axis, ScaleSteps steps, double from, double to) {
  constexpr double far = 1e5;
  const double part = steps == ScaleSteps::even ? (value - axis.low) / (axis.high - axis.low)
                      : value > 0               ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                                                : -far;
  return std::clamp(from + part * (to - from), -far, far);
}

bool has_dots(const Series& series) {
  return series.style == SeriesStyle::points || series.style == SeriesStyle::crosses || series.ends ||
         series.animate > 0;
}

/// Of no data any axis is as good.
Extent whole(const Extent& extent) {
  if (!extent.empty()) return extent;
  return extent.steps == ScaleSteps::even ? Extent{0, 1} : Extent{1, 10};
}

Extent x_extent(const Chart& chart) {
  if (chart.x_range) return {chart.x_range->first, chart.x_range->second};
  Extent extent{.steps = chart.x_steps};
  for (const Series& series : chart.series)
    for (double x : series.x) extent.add(x);
  for (const Band& band : chart.bands) {
    extent.add(band.low);
    extent.add(band.high);
  }
  for (const Box& box : chart.boxes) {
    extent.add(box.x_low);
    extent.add(box.x_high);
  }
  return whole(extent);
}

Extent y_extent(const Chart& chart) {
  if (chart.y_range) return {chart.y_range->first, chart.y_range->second};
  Extent extent{.steps = chart.y_steps};
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i])) continue;
      extent.add(series.y[i]);
      if (series.y_low.empty()) continue;
      extent.add(series.y_low[i]);
      extent.add(series.y_high[i]);
    }
  }
  for (const Box& box : chart.boxes) {
    extent.add(box.y_low);
    extent.add(box.y_high);
  }
  return whole(extent);
}

AxisTicks named_ticks(const std::vector<std::string>& names, double pixels_each) {
  AxisTicks ticks{.low = -0.5, .high = static_cast<double>(names.size()) - 0.5, .values = {}, .labels = {}};
  for (const std::string& name : names) {
    ticks.values.push_back(static_cast<double>(ticks.values.size()));
    ticks.labels.push_back(fit_text(name, pixels_each, chart_font_size * name_widening));
  }
  return ticks;
}

AxisTicks ticks_of(const Extent& extent, ScaleSteps steps, int about, AxisEnds ends) {
  return steps == ScaleSteps::logarithmic ? make_log_ticks(extent.low, extent.high, about)
                                          : make_ticks(extent.low, extent.high, about, ends);
}

AxisTicks x_ticks_of(const Extent& extent, ScaleSteps steps, double pixels) {
  for (int about = std::max(3, static_cast<int>(pixels / 90));; --about) {
    AxisTicks ticks = ticks_of(extent, steps, about, AxisEnds::exact);
    double taken = 0;
    for (const std::string& label : ticks.labels) taken += text_pixels(label, chart_font_size) + label_gap;
    if (taken < pixels || about == 1) return ticks;
  }
}

AxisTicks x_ticks(const Chart& chart, double pixels) {
  if (!chart.x_names.empty())
    return named_ticks(chart.x_names, pixels / static_cast<double>(chart.x_names.size()) - 4);
  Extent extent = x_extent(chart);
  // Room for the dots at both ends.
  const bool dots = !chart.x_range && std::any_of(chart.series.begin(), chart.series.end(), has_dots);
  const double share = dots ? 5 / pixels : 0;
  if (chart.x_steps == ScaleSteps::logarithmic) {
    const double ratio = std::pow(extent.high / extent.low, share);
    extent.low /= ratio;
    extent.high *= ratio;
  } else {
    const double margin = share * (extent.high - extent.low);
    extent.low -= margin;
    extent.high += margin;
  }
  return x_ticks_of(extent, chart.x_steps, pixels);
}

int about_y_ticks(double pixels) { return std::max(2, static_cast<int>(pixels / 36)); }

AxisTicks y_ticks(const Chart& chart, double pixels) {
  if (!chart.y_names.empty()) {
    AxisTicks ticks = named_ticks(chart.y_names, chart.width * widest_names);
    std::swap(ticks.low, ticks.high);  // the first name on top
    return ticks;
  }
  const Extent extent = y_extent(chart);
  return ticks_of(extent, chart.y_steps, about_y_ticks(pixels),
                  chart.y_range ? AxisEnds::exact : AxisEnds::rounded);
}

// The data with a little ground around it, neither side flat.
Extent padded(Extent extent, double longest, bool given) {
  const double least = longest > 0 ? longest / 20 : 1;
  double pad = given ? 0 : longest / 25;
  pad = std::max(pad, (least - (extent.high - extent.low)) / 2);
  return {extent.low - pad, extent.high + pad};
}

// Shrinks the plot from below, or lengthens the x axis, until one unit has one length.
void make_equal(const Chart& chart, PlotFrame& frame) {
  Extent x = x_extent(chart), y = y_extent(chart);
  const double longest = std::max(x.high - x.low, y.high - y.low);
  x = padded(x, longest, chart.x_range.has_value());
  y = padded(y, longest, chart.y_range.has_value());
  const double width = frame.right - frame.left, height = frame.bottom - frame.top;
  const double unit = std::max((x.high - x.low) / width, (y.high - y.low) / height);
  const double wider = (unit * width - (x.high - x.low)) / 2;
  x = {x.low - wider, x.high + wider};
  frame.bottom = frame.top + std::max((y.high - y.low) / unit, std::min(least_plot_height, height));
  const double higher = (unit * (frame.bottom - frame.top) - (y.high - y.low)) / 2;
  y = {y.low - higher, y.high + higher};
  frame.x = x_ticks_of(x, ScaleSteps::even, width);
  frame.y = make_ticks(y.low, y.high, about_y_ticks(frame.bottom - frame.top), AxisEnds::exact);
}

double widest(const AxisTicks& ticks) {
  double width = 0;
  for (const std::string& label : ticks.labels) width = std::max(width, text_pixels(label, chart_font_size));
  return width;
}

}  // namespace

double PlotFrame::px(double value) const { return place(value, x, x_steps, left, right); }
double PlotFrame::py(double value) const { return place(value, y, y_steps, bottom, top); }

PlotFrame make_frame(const Chart& chart, const PlotMargins& margins) {
  PlotFrame frame;
  frame.x_steps = chart.x_steps;
  frame.y_steps = chart.y_steps;
  frame.top = margins.top;
  frame.bottom = std::max(chart.height - margins.foot, frame.top + least_plot_height);
  frame.y = y_ticks(chart, frame.bottom - frame.top);
  const bool named = !chart.y_names.empty();
  frame.left = named ? std::ceil(std::min(name_widening * widest(frame.y), chart.width * widest_names) + 9)
                     : std::ceil(std::min(widest(frame.y), chart.width / 3.0) + 9);
  constexpr double least_margin = 8;
  const double margin = std::max(least_margin, margins.right);
  frame.x = x_ticks(chart, chart.width - margin - frame.left);
  const double half_label = text_pixels(frame.x.labels.back(), chart_font_size) / 2;
  frame.right = chart.width - (chart.x_names.empty() ? std::max(margin, half_label) : margin);
  if (chart.equal_axes) make_equal(chart, frame);
  return frame;
}

std::string pixel_text(double value) {
  const double tenths = std::round(value * 10) / 10 + 0.0;
  return tenths == std::round(tenths) ? fmt::format("{:.0f}", tenths) : fmt::format("{:.1f}", tenths);
}

}  // namespace kedge
