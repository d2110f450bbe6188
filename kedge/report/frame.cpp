#include "kedge/report/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr double least_plot_height = 60;
constexpr double label_gap = 12;  // least space between the numbers along the x axis

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    constexpr double largest = 1e300;  // so that margins and differences do not overflow
    low = std::min(low, std::max(value, -largest));
    high = std::max(high, std::min(value, largest));
  }
  bool empty() const { return low > high; }
};

// Far outside the plot the exact place no longer shows, but numbers too large for a renderer would.
double place(double value, const AxisTicks& axis, double from, double to) {
  constexpr double far = 1e5;
  return std::clamp(from + (value - axis.low) / (axis.high - axis.low) * (to - from), -far, far);
}

AxisTicks x_ticks(const Chart& chart, double pixels) {
  Extent extent;
  bool points = false;
  for (const Series& series : chart.series) {
    for (double x : series.x) extent.add(x);
    points = points || series.style == SeriesStyle::points;
  }
  for (const Band& band : chart.bands) {
    extent.add(band.low);
    extent.add(band.high);
  }
  if (extent.empty()) extent = {0, 1};
  // Room for the dots at both ends.
  const double margin = points ? 5 / pixels * (extent.high - extent.low) : 0;
  for (int about = std::max(3, static_cast<int>(pixels / 90));; --about) {
    AxisTicks ticks = make_ticks(extent.low - margin, extent.high + margin, about, AxisEnds::exact);
    double taken = 0;
    for (const std::string& label : ticks.labels) taken += text_pixels(label, chart_font_size) + label_gap;
    if (taken < pixels || about == 1) return ticks;
  }
}

AxisTicks y_ticks(const Chart& chart, double pixels) {
  const int about = std::max(2, static_cast<int>(pixels / 36));
  if (chart.y_range) return make_ticks(chart.y_range->first, chart.y_range->second, about, AxisEnds::exact);
  Extent extent;
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i])) continue;
      extent.add(series.y[i]);
      if (series.y_low.empty()) continue;
      extent.add(series.y_low[i]);
      extent.add(series.y_high[i]);
    }
  }
  if (extent.empty()) extent = {0, 1};
  return make_ticks(extent.low, extent.high, about, AxisEnds::rounded);
}

}  // namespace

double PlotFrame::px(double value) const { return place(value, x, left, right); }
double PlotFrame::py(double value) const { return place(value, y, bottom, top); }

PlotFrame make_frame(const Chart& chart, double top, double foot) {
  PlotFrame frame;
  frame.top = top;
  frame.bottom = std::max(chart.height - foot, frame.top + least_plot_height);
  frame.y = y_ticks(chart, frame.bottom - frame.top);
  double label_width = 0;
  for (const std::string& label : frame.y.labels) {
    label_width = std::max(label_width, text_pixels(label, chart_font_size));
  }
  frame.left = std::ceil(std::min(label_width, chart.width / 3.0) + 9);
  constexpr double margin = 8;
  frame.x = x_ticks(chart, chart.width - margin - frame.left);
  frame.right = chart.width - std::max(margin, text_pixels(frame.x.labels.back(), chart_font_size) / 2);
  return frame;
}

std::string draw_bands(const Chart& chart, const PlotFrame& frame) {
  std::string markup;
  for (const Band& band : chart.bands) {
    if (std::isnan(band.low) || std::isnan(band.high)) continue;
    const double from = std::clamp(frame.px(std::min(band.low, band.high)), frame.left, frame.right);
    const double to = std::clamp(frame.px(std::max(band.low, band.high)), frame.left, frame.right);
    markup += fmt::format(
        R"(<rect x="{}" y="{}" width="{}" height="{}" fill="currentColor" fill-opacity=".07"/>)",
        pixel_text(from), pixel_text(frame.top), pixel_text(to - from), pixel_text(frame.bottom - frame.top));
  }
  return markup;
}

std::string draw_axes(const Chart& chart, const PlotFrame& frame) {
  std::string grid, marks, labels;
  for (size_t i = 0; i < frame.y.values.size(); ++i) {
    const double y = frame.py(frame.y.values[i]);
    const bool zero = frame.y.values[i] == 0 && frame.y.low < 0;
    grid += fmt::format(R"(<path d="M{} {}H{}" stroke-opacity="{}"/>)", pixel_text(frame.left), pixel_text(y),
                        pixel_text(frame.right), zero ? ".32" : ".11");
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", pixel_text(frame.left - 8),
                          pixel_text(y + 4.5), frame.y.labels[i]);
  }
  for (size_t i = 0; i < frame.x.values.size(); ++i) {
    const double x = frame.px(frame.x.values[i]);
    marks += fmt::format("M{} {}v5", pixel_text(x), pixel_text(frame.bottom));
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", pixel_text(x),
                          pixel_text(frame.bottom + 19), frame.x.labels[i]);
  }
  std::string markup = fmt::format(
      R"(<g fill="none" stroke="currentColor">{}<path d="M{} {}H{}{}" stroke-opacity=".55"/></g>)", grid,
      pixel_text(frame.left), pixel_text(frame.bottom), pixel_text(frame.right), marks);
  markup += fmt::format(R"(<g opacity=".8">{}</g>)", labels);
  if (!chart.x_label.empty()) {
    markup += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                          pixel_text((frame.left + frame.right) / 2), pixel_text(frame.bottom + 38),
                          escape_xml(fit_text(chart.x_label, chart.width, chart_font_size)));
  }
  if (!chart.y_label.empty()) {
    markup += fmt::format(R"(<text x="0" y="{}">{}</text>)", pixel_text(frame.top - 10),
                          escape_xml(fit_text(chart.y_label, chart.width, chart_font_size)));
  }
  return markup;
}

std::string pixel_text(double value) {
  const double tenths = std::round(value * 10) / 10 + 0.0;
  return tenths == std::round(tenths) ? fmt::format("{:.0f}", tenths) : fmt::format("{:.1f}", tenths);
}

}  // namespace kedge
