#include "kedge/report/curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "kedge/core/format.h"
#include "kedge/report/edge_marks.h"
#include "kedge/report/marks.h"
#include "kedge/report/text.h"
#include "kedge/report/thin.h"

namespace kedge {
namespace {

// Okabe and Ito's palette, reordered; brighter on dark ground. A class sets `color` and shapes draw in
// currentColor, so one rule serves strokes, fills and legends.
constexpr size_t palette_size = 7;
constexpr std::string_view style_sheet =
    "<style>"
    ".kedge-chart{color:#24292f;font:13px system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;"
    "font-variant-numeric:tabular-nums;overflow:visible}"
    ".kedge-chart text{fill:currentColor}"
    ".kedge-chart "
    ".round{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}"
    ".kedge-chart .points{stroke-width:4.5;stroke-opacity:.75}.kedge-chart .dashes{stroke-dasharray:5 4.5}"
    ".kedge-chart .thin{stroke-width:1.2;stroke-opacity:.8}.kedge-chart .crosses{stroke-width:1.6}"
    ".kedge-chart .ring{fill:none;stroke:currentColor}.kedge-chart .end{stroke-width:5.5}"
    ".kedge-chart .c0{color:#0072b2}.kedge-chart .c1{color:#d55e00}.kedge-chart .c2{color:#009e73}"
    ".kedge-chart .c3{color:#c2659a}.kedge-chart .c4{color:#e09b00}.kedge-chart .c5{color:#4aa8de}"
    ".kedge-chart .c6{color:#7a7f87}"
    "@media(prefers-color-scheme:dark){"
    ".kedge-chart{color:#dde3ea}"
    ".kedge-chart .c0{color:#4c9fe0}.kedge-chart .c1{color:#f5803e}.kedge-chart .c2{color:#2fc79a}"
    ".kedge-chart .c3{color:#e592c0}.kedge-chart .c4{color:#f3bd3f}.kedge-chart .c5{color:#9ad6f7}"
    ".kedge-chart .c6{color:#a0a7b0}}"
    "</style>";

std::string vertex(std::string_view command, const PixelPoint& point) {
  return fmt::format("{}{} {}", command, pixel_text(point.x), pixel_text(point.y));
}

/// A coordinate's way from one place to the next. Of rounded places, so that no error adds up.
std::string step_text(double from, double to) {
  std::string text = pixel_text((std::round(to * 10) - std::round(from * 10)) / 10);
  if (const size_t zero = text.find("0."); zero == 0 || (zero == 1 && text[0] == '-')) text.erase(zero, 1);
  return text;
}

/// The next corner of a line, which is shorter to write than its place.
std::string step(std::string_view command, const PixelPoint& from, const PixelPoint& to) {
  const std::string x = step_text(from.x, to.x), y = step_text(from.y, to.y);
  const std::string_view before = command.empty() && x[0] != '-' ? " " : command;
  return fmt::format("{}{}{}{}", before, x, y[0] == '-' ? "" : " ", y);
}

std::string draw_shade(const Series& series, const PlotFrame& frame) {
  std::string path;
  std::vector<PixelPoint> low, high;
  const auto close = [&] {
    std::vector<PixelPoint> outline = thin_line(high);
    const std::vector<PixelPoint> back = thin_line(low);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    for (size_t i = 0; i < outline.size(); ++i) path += vertex(i == 0 ? "M" : i == 1 ? "L" : " ", outline[i]);
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

bool turns_back(const std::vector<PixelPoint>& points) {
  return !std::is_sorted(points.begin(), points.end(),
                         [](const PixelPoint& a, const PixelPoint& b) { return a.x < b.x; });
}

// Columns of pixels bound the length of a curve only if it never turns back; where many lines are drawn, each
// must be short.
std::vector<PixelPoint> thinned(const std::vector<PixelPoint>& run, SeriesStyle style) {
  if (style == SeriesStyle::points || style == SeriesStyle::crosses) return thin_scatter(run);
  const std::vector<PixelPoint> kept = thin_line(run);
  return style == SeriesStyle::thin || turns_back(kept) ? thin_path(kept) : kept;
}

std::string draw_path(const Series& series, const PlotFrame& frame) {
  std::string path;
  std::vector<PixelPoint> run;
  const bool crosses = series.style == SeriesStyle::crosses;
  const bool points = series.style == SeriesStyle::points;
  const auto flush = [&] {
    const std::vector<PixelPoint> kept = thinned(run, series.style);
    for (size_t i = 0; i < kept.size(); ++i) {
      if (crosses) {
        path += cross_at(kept[i].x, kept[i].y);
        continue;
      }
      path += i == 0 || points ? vertex("M", kept[i]) : step(i == 1 ? "l" : "", kept[i - 1], kept[i]);
      // A round cap on a line of no length draws the dot that a lone point needs.
      if (points || kept.size() == 1) path += "h0";
    }
    run.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
        !(has_arrows(series) && is_outside(series, i, frame))) {
      run.push_back({frame.px(series.x[i]), frame.py(series.y[i])});
    } else if (!points && !crosses) {
      flush();
    }
  }
  flush();
  return path.empty() ? path : fmt::format(R"(<path d="{}" {}/>)", path, curve_stroke(series.style));
}

}  // namespace

std::vector<size_t> palette_places(const Chart& chart) {
  std::vector<size_t> places;
  std::map<std::string_view, size_t> named;
  size_t next = 0;
  for (const Series& series : chart.series) {
    const bool known = !series.name.empty() && named.contains(series.name);
    places.push_back(known ? named.at(series.name) : next++);
    if (!series.name.empty()) named.emplace(series.name, places.back());
  }
  return places;
}

std::string draw_curve(const Series& series, size_t place, const PlotFrame& frame, const ValueScale& scale) {
  const bool valued = !series.values.empty();
  std::string color = curve_color(series, place);
  if (valued && series.values.size() == 1 && std::isfinite(series.values[0]))
    color = fmt::format(R"(color="{}")", ramp_color(place_of_level(scale.level(series.values[0]))));
  std::string markup;
  if (series.style == SeriesStyle::cells) {
    markup = draw_cells(series, frame, scale);
  } else if (valued && series.style == SeriesStyle::points) {
    markup = draw_valued_points(series, frame, scale);
    color = R"(color="currentColor")";
  } else {
    markup = draw_shade(series, frame) + draw_path(series, frame);
  }
  if (has_arrows(series)) markup += draw_edge_marks(series, frame);
  if (series.ends) markup += draw_ends(series, frame);
  if (series.animate > 0) markup += draw_motion(series, frame);
  return fmt::format("<g {}>{}</g>", color, markup);
}

std::string curve_color(const Series& series, size_t place) {
  // Colours that stand for values say nothing of the name.
  if (!series.values.empty()) return R"(color="currentColor")";
  if (const std::string_view name = class_name(series.emphasis); !name.empty())
    return fmt::format(R"(class="{}")", name);
  if (series.color.empty()) return fmt::format(R"(class="c{}")", place % palette_size);
  return fmt::format(R"(color="{}")", escape_xml(series.color));
}

std::string cross_at(double x, double y) {
  return fmt::format("M{} {}m-3.5-3.5l7 7m0-7l-7 7", pixel_text(x), pixel_text(y));
}

std::string curve_stroke(SeriesStyle style) {
  if (style == SeriesStyle::points) return R"(class="round points")";
  if (style == SeriesStyle::dashes) return R"(class="round dashes")";
  if (style == SeriesStyle::thin) return R"(class="round thin")";
  if (style == SeriesStyle::crosses) return R"(class="round crosses")";
  return R"(class="round")";
}

std::string curve_styles() { return std::string(style_sheet); }

std::string curve_emphasis_styles() { return "<style>" + emphasis_styles(".kedge-chart") + "</style>"; }

}  // namespace kedge
