#include "kedge/report/svg.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/report/axes.h"
#include "kedge/report/curve.h"
#include "kedge/report/frame.h"
#include "kedge/report/legend.h"
#include "kedge/report/marks.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr double title_size = 15;
constexpr double bold_widening = 1.25;

constexpr double lowest = -std::numeric_limits<double>::infinity();

void check_range(const Chart& chart, std::string_view name,
                 const std::optional<std::pair<double, double>>& range, double above) {
  if (!range) return;
  const auto [low, high] = *range;
  if (std::isfinite(low) && std::isfinite(high) && low < high && low > above) return;
  throw Error("report",
              fmt::format("{} needs finite low < high{}; found [{}, {}] in '{}'; correct or omit it", name,
                          above == 0 ? ", both above 0" : "", low, high, chart.title));
}

void check_marks(const Series& series) {
  const size_t n = series.x.size(), values = series.values.size();
  const bool each = series.style == SeriesStyle::points || series.style == SeriesStyle::cells;
  if (values > 1 && !(each && values == n))
    throw Error("report",
                fmt::format("a series needs no value, one, or (points and cells) one per x; '{}' has "
                            "{} x, {} values; give one or draw it as points",
                            series.name, n, values));
  if (series.style == SeriesStyle::cells && values == 0 && n > 0)
    throw Error("report",
                fmt::format("cells need values; '{}' has {} x and no values; give them", series.name, n));
  if (!(series.animate >= 0) || !std::isfinite(series.animate))
    throw Error("report", fmt::format("'animate' needs seconds, 0 or more; '{}' has {}; correct or omit it",
                                      series.name, series.animate));
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
    check_marks(series);
  }
  const auto above = [](ScaleSteps steps) { return steps == ScaleSteps::logarithmic ? 0 : lowest; };
  check_range(chart, "y_range", chart.y_range, above(chart.y_steps));
  check_range(chart, "x_range", chart.x_range, above(chart.x_steps));
  check_range(chart, "colors.range", chart.colors.range, above(chart.colors.steps));
  if (chart.equal_axes && (chart.x_steps != ScaleSteps::even || chart.y_steps != ScaleSteps::even))
    throw Error("report",
                fmt::format("equal_axes need even steps; '{}' has logarithmic ones; take one of the two",
                            chart.title));
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
  for (const LegendEntry& entry : legend_entries(chart)) names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? text : text + "; " + names;
}

}  // namespace

std::string chart_styles() { return curve_styles() + curve_emphasis_styles() + motion_styles(); }

std::string to_svg(const Chart& chart, const std::string& id, ChartStyles styles) {
  check(chart);
  std::string head;
  double top = 2;
  if (!chart.title.empty()) {
    head +=
        fmt::format(R"(<text x="0" y="{}" font-size="{}" font-weight="600">{}</text>)", pixel_text(top + 14),
                    title_size, escape_xml(fit_text(chart.title, chart.width, title_size * bold_widening)));
    top += 24;
  }
  const DrawnLegend legend = draw_legend(chart, top);
  head += legend.markup;
  const double foot = chart.x_label.empty() ? 26 : 46;
  const ValueScale scale(chart, chart.height - top - foot);
  const bool bar_label = scale.used() && !chart.colors.label.empty();
  top += legend.height + (chart.y_label.empty() && !bar_label ? 8 : 26);

  const PlotFrame frame = make_frame(chart, {.top = top, .foot = foot, .right = scale.room()});

  std::string curves;
  const std::vector<size_t> places = palette_places(chart);
  bool moving = false, emphasized = false;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    curves += draw_curve(chart.series[i], places[i], frame, scale);
    moving = moving || chart.series[i].animate > 0;
    emphasized = emphasized || chart.series[i].emphasis != Emphasis::none;
  }
  if (curves.find("<path") == std::string::npos && chart.boxes.empty()) {
    curves +=
        fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" opacity=".6">no data</text>)",
                    pixel_text((frame.left + frame.right) / 2), pixel_text((frame.top + frame.bottom) / 2));
  }
  const double bar_label_width = bar_label ? text_pixels(chart.colors.label, chart_font_size) + 12 : 0;
  const std::string below =
      draw_bands(chart, frame) + draw_axes(chart, frame, chart.width - bar_label_width) +
      draw_boxes(chart, frame) + scale.draw(chart, frame.right, frame.top, frame.bottom);
  // What a logarithmic axis cannot show leads far out of the plot.
  if (chart.y_range || chart.x_range || chart.x_steps != ScaleSteps::even ||
      chart.y_steps != ScaleSteps::even) {
    const std::string clip = id.empty() ? content_id(head + below + curves) : id;
    curves =
        fmt::format(R"svg(<clipPath id="{0}"><rect x="{1}" y="{2}" width="{3}" height="{4}"/></clipPath>)svg"
                    R"svg(<g clip-path="url(#{0})">{5}</g>)svg",
                    escape_xml(clip), pixel_text(frame.left), pixel_text(frame.top),
                    pixel_text(frame.right - frame.left), pixel_text(frame.bottom - frame.top), curves);
  }
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="kedge-chart" viewBox="0 0 {0} {1}" width="{0}" )"
      R"(height="{1}" role="img" aria-label="{2}"><title>{3}</title>{4}{5}{6}{7}</svg>)",
      chart.width, pixel_text(frame.bottom + foot), escape_xml(spoken(chart)),
      escape_xml(chart.title.empty() ? "Chart" : chart.title),
      styles == ChartStyles::in_document
          ? ""
          : curve_styles() + (emphasized ? curve_emphasis_styles() : "") + (moving ? motion_styles() : ""),
      head, below, curves);
}

}  // namespace kedge
