#include "kedge/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/report/text.h"
#include "kedge/report/thin.h"
#include "kedge/report/ticks.h"

namespace kedge {
namespace {

constexpr double font_size = 13;
constexpr double title_size = 15;
constexpr double legend_row = 20;
constexpr double swatch_width = 20;
constexpr double swatch_gap = 6;
constexpr double entry_gap = 18;
constexpr double least_plot_height = 60;

// Okabe and Ito's palette, reordered; brighter on dark ground. A class sets `color` and shapes draw in
// currentColor, so one rule serves strokes, fills and legends.
constexpr size_t palette_size = 7;
constexpr std::string_view style_sheet =
    "<style>"
    ".kedge-chart{color:#24292f;font:13px system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;"
    "font-variant-numeric:tabular-nums}"
    ".kedge-chart text{fill:currentColor}"
    ".kedge-chart .c0{color:#0072b2}.kedge-chart .c1{color:#d55e00}.kedge-chart .c2{color:#009e73}"
    ".kedge-chart .c3{color:#c2659a}.kedge-chart .c4{color:#e09b00}.kedge-chart .c5{color:#4aa8de}"
    ".kedge-chart .c6{color:#7a7f87}"
    "@media(prefers-color-scheme:dark){"
    ".kedge-chart{color:#dde3ea}"
    ".kedge-chart .c0{color:#4c9fe0}.kedge-chart .c1{color:#f5803e}.kedge-chart .c2{color:#2fc79a}"
    ".kedge-chart .c3{color:#e592c0}.kedge-chart .c4{color:#f3bd3f}.kedge-chart .c5{color:#9ad6f7}"
    ".kedge-chart .c6{color:#a0a7b0}}"
    "</style>";

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

// Where the plot lies in the image, and how data maps to it.
struct Frame {
  double left = 0, top = 0, right = 0, bottom = 0;
  AxisTicks x, y;

  double px(double value) const { return place(value, x, left, right); }
  double py(double value) const { return place(value, y, bottom, top); }

 private:
  // Far outside the plot the exact place no longer shows, but numbers too large for a renderer would.
  static double place(double value, const AxisTicks& axis, double from, double to) {
    constexpr double far = 1e5;
    return std::clamp(from + (value - axis.low) / (axis.high - axis.low) * (to - from), -far, far);
  }
};

// Tenths of a pixel, without a needless ".0" or "-0".
std::string pixel(double value) {
  const double tenths = std::round(value * 10) / 10 + 0.0;
  return tenths == std::round(tenths) ? fmt::format("{:.0f}", tenths) : fmt::format("{:.1f}", tenths);
}

std::string vertex(const PixelPoint& point) { return pixel(point.x) + " " + pixel(point.y); }

std::string color_of(const Series& series, size_t index) {
  if (series.color.empty()) return fmt::format(R"(class="c{}")", index % palette_size);
  return fmt::format(R"(color="{}")", escape_xml(series.color));
}

std::string stroke_of(SeriesStyle style) {
  std::string stroke = R"(fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round")";
  if (style == SeriesStyle::points) return stroke + R"( stroke-width="4.5" stroke-opacity=".75")";
  if (style == SeriesStyle::dashes) return stroke + R"( stroke-width="1.8" stroke-dasharray="5 4.5")";
  return stroke + R"( stroke-width="1.8")";
}

void check(const Chart& chart) {
  if (chart.width < 160 || chart.height < 120) {
    throw Error("report", fmt::format("a chart needs at least 160 x 120 pixels; '{}' has {} x {}; enlarge it",
                                      chart.title, chart.width, chart.height));
  }
  for (const Series& series : chart.series) {
    const size_t n = series.x.size();
    const bool shaded = !series.y_low.empty() || !series.y_high.empty();
    if (series.y.size() != n || (shaded && (series.y_low.size() != n || series.y_high.size() != n))) {
      throw Error(
          "report",
          fmt::format("a series needs one y (and one y_low and y_high, or none) per x; '{}' has {} x, "
                      "{} y, {} y_low, {} y_high; give them one length",
                      series.name, n, series.y.size(), series.y_low.size(), series.y_high.size()));
    }
  }
  if (chart.y_range) {
    const auto [low, high] = *chart.y_range;
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
      throw Error("report",
                  fmt::format("y_range needs finite low < high; found [{}, {}] in '{}'; correct or omit it",
                              low, high, chart.title));
    }
  }
}

// --- legend
// -----------------------------------------------------------------------------------------------------

struct Entry {
  std::string name;
  std::string swatch;  ///< shapes in a box of swatch_width x 12 pixels
};

std::vector<Entry> legend_entries(const Chart& chart) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.name.empty()) continue;
    std::string swatch = fmt::format("<g {}>", color_of(series, i));
    if (!series.y_low.empty()) {
      swatch += fmt::format(R"(<rect y="1" width="{}" height="10" fill="currentColor" fill-opacity=".18"/>)",
                            swatch_width);
    }
    const bool points = series.style == SeriesStyle::points;
    swatch +=
        fmt::format(R"(<path d="{}" {}/></g>)", points ? "M10 6h0" : "M1 6h18", stroke_of(series.style));
    entries.push_back({series.name, swatch});
  }
  for (const Band& band : chart.bands) {
    if (band.name.empty()) continue;
    entries.push_back(
        {band.name, fmt::format(R"(<rect width="{}" height="12" fill="currentColor" fill-opacity=".12"/>)",
                                swatch_width)});
  }
  return entries;
}

struct DrawnLegend {
  std::string markup;
  double height = 0;
};

DrawnLegend draw_legend(const Chart& chart, double top) {
  DrawnLegend drawn;
  if (chart.legend == Legend::none) return drawn;
  double x = 0;
  const double room = chart.width - swatch_width - swatch_gap;
  for (const Entry& entry : legend_entries(chart)) {
    const std::string name = fit_text(entry.name, room, font_size);
    const double width = swatch_width + swatch_gap + text_pixels(name, font_size);
    if (x > 0 && x + width > chart.width) {
      x = 0;
      drawn.height += legend_row;
    }
    const double middle = top + drawn.height + legend_row / 2;
    drawn.markup += fmt::format(R"svg(<g transform="translate({} {})">{}</g>)svg", pixel(x),
                                pixel(middle - 6), entry.swatch);
    drawn.markup += fmt::format(R"(<text x="{}" y="{}">{}</text>)", pixel(x + swatch_width + swatch_gap),
                                pixel(middle + 4.5), escape_xml(name));
    x += width + entry_gap;
  }
  if (x > 0) drawn.height += legend_row;
  return drawn;
}

// --- axes
// -------------------------------------------------------------------------------------------------------

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
  return make_ticks(extent.low - margin, extent.high + margin, std::max(2, static_cast<int>(pixels / 90)),
                    AxisEnds::exact);
}

AxisTicks y_ticks(const Chart& chart, double pixels) {
  const int about = std::max(2, static_cast<int>(pixels / 48));
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

std::string draw_bands(const Chart& chart, const Frame& frame) {
  std::string markup;
  for (const Band& band : chart.bands) {
    if (std::isnan(band.low) || std::isnan(band.high)) continue;
    const double from = std::clamp(frame.px(std::min(band.low, band.high)), frame.left, frame.right);
    const double to = std::clamp(frame.px(std::max(band.low, band.high)), frame.left, frame.right);
    markup +=
        fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="currentColor" fill-opacity=".07"/>)",
                    pixel(from), pixel(frame.top), pixel(to - from), pixel(frame.bottom - frame.top));
  }
  return markup;
}

std::string draw_axes(const Chart& chart, const Frame& frame) {
  std::string grid, marks, labels;
  for (size_t i = 0; i < frame.y.values.size(); ++i) {
    const double y = frame.py(frame.y.values[i]);
    const bool zero = frame.y.values[i] == 0 && frame.y.low < 0;
    grid += fmt::format(R"(<path d="M{} {}H{}" stroke-opacity="{}"/>)", pixel(frame.left), pixel(y),
                        pixel(frame.right), zero ? ".32" : ".11");
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", pixel(frame.left - 8),
                          pixel(y + 4.5), frame.y.labels[i]);
  }
  for (size_t i = 0; i < frame.x.values.size(); ++i) {
    const double x = frame.px(frame.x.values[i]);
    marks += fmt::format("M{} {}v5", pixel(x), pixel(frame.bottom));
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", pixel(x),
                          pixel(frame.bottom + 19), frame.x.labels[i]);
  }
  std::string markup = fmt::format(
      R"(<g fill="none" stroke="currentColor">{}<path d="M{} {}H{}{}" stroke-opacity=".55"/></g>)", grid,
      pixel(frame.left), pixel(frame.bottom), pixel(frame.right), marks);
  markup += fmt::format(R"(<g opacity=".8">{}</g>)", labels);
  if (!chart.x_label.empty()) {
    markup += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                          pixel((frame.left + frame.right) / 2), pixel(frame.bottom + 38),
                          escape_xml(fit_text(chart.x_label, chart.width, font_size)));
  }
  if (!chart.y_label.empty()) {
    markup += fmt::format(R"(<text x="0" y="{}">{}</text>)", pixel(frame.top - 11),
                          escape_xml(fit_text(chart.y_label, chart.width, font_size)));
  }
  return markup;
}

// --- series
// -----------------------------------------------------------------------------------------------------

std::string draw_shade(const Series& series, const Frame& frame) {
  std::string path;
  std::vector<PixelPoint> low, high;
  const auto close = [&] {
    std::vector<PixelPoint> outline = thin_line(high);
    const std::vector<PixelPoint> back = thin_line(low);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    for (size_t i = 0; i < outline.size(); ++i)
      path += (i == 0 ? "M" : i == 1 ? "L" : " ") + vertex(outline[i]);
    if (!outline.empty()) path += "Z";
    low.clear();
    high.clear();
  };
  for (size_t i = 0; i < series.y_low.size(); ++i) {
    if (std::isfinite(series.x[i]) && std::isfinite(series.y_low[i]) && std::isfinite(series.y_high[i])) {
      low.push_back({frame.px(series.x[i]), frame.py(series.y_low[i])});
      high.push_back({frame.px(series.x[i]), frame.py(series.y_high[i])});
    } else {
      close();
    }
  }
  close();
  return path.empty() ? path : fmt::format(R"(<path d="{}" fill="currentColor" fill-opacity=".18"/>)", path);
}

std::string draw_series(const Series& series, size_t index, const Frame& frame) {
  std::string path;
  std::vector<PixelPoint> run;
  const auto flush = [&] {
    const bool points = series.style == SeriesStyle::points;
    const std::vector<PixelPoint> kept = points ? thin_scatter(run) : thin_line(run);
    for (size_t i = 0; i < kept.size(); ++i) {
      path += (i == 0 || points ? "M" : i == 1 ? "L" : " ") + vertex(kept[i]);
      // A round cap on a line of no length draws the dot that a lone point needs.
      if (points || kept.size() == 1) path += "h0";
    }
    run.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
      run.push_back({frame.px(series.x[i]), frame.py(series.y[i])});
    } else if (series.style != SeriesStyle::points) {
      flush();
    }
  }
  flush();
  std::string markup = draw_shade(series, frame);
  if (!path.empty()) markup += fmt::format(R"(<path d="{}" {}/>)", path, stroke_of(series.style));
  return fmt::format("<g {}>{}</g>", color_of(series, index), markup);
}

std::string content_id(std::string_view content) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("chart-{:016x}", hash);
}

// What a reader who cannot see the chart is told.
std::string spoken(const Chart& chart) {
  std::string text = chart.title.empty() ? "Chart" : chart.title;
  if (!chart.y_label.empty() && !chart.x_label.empty())
    text += ": " + chart.y_label + " over " + chart.x_label;
  std::string names;
  for (const Entry& entry : legend_entries(chart)) names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? text : text + "; " + names;
}

}  // namespace

std::string to_svg(const Chart& chart, const std::string& id) {
  check(chart);
  std::string head;
  double top = 2;
  if (!chart.title.empty()) {
    head += fmt::format(R"(<text x="0" y="{}" font-size="{}" font-weight="600">{}</text>)", pixel(top + 14),
                        title_size, escape_xml(fit_text(chart.title, chart.width, title_size * 1.05)));
    top += 24;
  }
  const DrawnLegend legend = draw_legend(chart, top);
  head += legend.markup;
  top += legend.height + (chart.y_label.empty() ? 8 : 28);

  Frame frame;
  frame.top = top;
  const double foot = chart.x_label.empty() ? 26 : 46;
  frame.bottom = std::max(chart.height - foot, frame.top + least_plot_height);
  frame.y = y_ticks(chart, frame.bottom - frame.top);
  double label_width = 0;
  for (const std::string& label : frame.y.labels)
    label_width = std::max(label_width, text_pixels(label, font_size));
  frame.left = std::ceil(std::min(label_width, chart.width / 3.0) + 9);
  frame.right = chart.width - 8;
  frame.x = x_ticks(chart, frame.right - frame.left);
  frame.right = chart.width - std::max(8.0, text_pixels(frame.x.labels.back(), font_size) / 2);

  std::string curves;
  for (size_t i = 0; i < chart.series.size(); ++i) curves += draw_series(chart.series[i], i, frame);
  const std::string below = draw_bands(chart, frame) + draw_axes(chart, frame);
  if (chart.y_range) {
    const std::string clip = id.empty() ? content_id(head + below + curves) : id;
    curves =
        fmt::format(R"svg(<clipPath id="{0}"><rect x="{1}" y="{2}" width="{3}" height="{4}"/></clipPath>)svg"
                    R"svg(<g clip-path="url(#{0})">{5}</g>)svg",
                    escape_xml(clip), pixel(frame.left), pixel(frame.top), pixel(frame.right - frame.left),
                    pixel(frame.bottom - frame.top), curves);
  }
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="kedge-chart" viewBox="0 0 {0} {1}" width="{0}" )"
      R"(height="{1}" role="img" aria-label="{2}"><title>{3}</title>{4}{5}{6}{7}</svg>)",
      chart.width, pixel(frame.bottom + foot), escape_xml(spoken(chart)),
      escape_xml(chart.title.empty() ? "Chart" : chart.title), style_sheet, head, below, curves);
}

std::string legend_html(const Chart& chart) {
  std::string items;
  for (const Entry& entry : legend_entries(chart)) {
    items += fmt::format(R"(<span><svg class="kedge-chart" width="{0}" height="12" viewBox="0 0 {0} 12" )"
                         R"(aria-hidden="true">{1}</svg>{2}</span>)",
                         swatch_width, entry.swatch, escape_xml(entry.name));
  }
  return items.empty() ? items : fmt::format(R"(<div class="legend">{}</div>)", items);
}

}  // namespace kedge
