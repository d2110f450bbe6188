#include "kedge/report/marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "kedge/core/format.h"
#include "kedge/report/curve.h"
#include "kedge/report/text.h"
#include "kedge/report/thin.h"

namespace kedge {
namespace {

double value_at(const Series& series, size_t i) {
  return series.values.size() == 1 ? series.values[0] : series.values[i];
}

std::optional<PixelPoint> pixel_at(const Series& series, size_t i, const PlotFrame& frame) {
  if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) return {};
  return PixelPoint{frame.px(series.x[i]), frame.py(series.y[i])};
}

/// How the numbers of a grid are written: all of them alike.
struct NumberForm {
  double size = chart_font_size;
  int digits = 3;

  bool fits(const std::string& text, double width) const {
    constexpr double widening = 1.1;  // a wide font must not touch the sides
    return text_pixels(text, size) * widening <= width;
  }
};

/// The largest form in which every number fits, or the smallest there is.
NumberForm form_for(const Series& series, double width) {
  constexpr std::array<NumberForm, 4> forms = {{{chart_font_size, 3}, {11, 3}, {11, 2}, {9.5, 2}}};
  for (const NumberForm& form : forms) {
    if (std::all_of(series.values.begin(), series.values.end(),
                    [&](double value) { return form.fits(number_text(value, form.digits), width); }))
      return form;
  }
  return forms.back();
}

/// The place at time `at`, counted in points; between two points where both are finite.
std::optional<PixelPoint> pixel_between(const Series& series, double at, const PlotFrame& frame) {
  const size_t before = std::min(static_cast<size_t>(at), series.x.size() - 1);
  const size_t after = std::min(before + 1, series.x.size() - 1);
  const std::optional<PixelPoint> from = pixel_at(series, before, frame);
  const std::optional<PixelPoint> to = pixel_at(series, after, frame);
  if (!from || !to) return from;
  const double part = at - static_cast<double>(before);
  return PixelPoint{from->x + part * (to->x - from->x), from->y + part * (to->y - from->y)};
}

/// Places equal times apart. Where the series is broken, the dot waits at the last place before.
std::vector<PixelPoint> stations_of(const Series& series, const PlotFrame& frame) {
  std::vector<PixelPoint> stations;
  const size_t count = std::min(series.x.size(), most_stations);
  const double step =
      count > 1 ? static_cast<double>(series.x.size() - 1) / static_cast<double>(count - 1) : 0;
  size_t missed = 0;
  for (size_t k = 0; k < count; ++k) {
    const std::optional<PixelPoint> place = pixel_between(series, static_cast<double>(k) * step, frame);
    if (place) {
      stations.insert(stations.end(), stations.empty() ? missed + 1 : 1, *place);
    } else if (stations.empty()) {
      ++missed;
    } else {
      stations.push_back(stations.back());
    }
  }
  return stations;
}

}  // namespace

std::string draw_valued_points(const Series& series, const PlotFrame& frame, const ValueScale& scale) {
  std::vector<PixelPoint> points;
  std::vector<double> values;
  for (size_t i = 0; i < series.x.size(); ++i) {
    const std::optional<PixelPoint> point = pixel_at(series, i, frame);
    if (!point) continue;
    points.push_back(*point);
    values.push_back(value_at(series, i));
  }
  std::string around, without;
  std::array<std::string, ramp_levels> dots;
  for (size_t i : thin_scatter_places(points)) {
    if (!std::isfinite(values[i])) {
      without += cross_at(points[i].x, points[i].y);
      continue;
    }
    const std::string dot = fmt::format("M{} {}h0", pixel_text(points[i].x), pixel_text(points[i].y));
    around += dot;
    dots[static_cast<size_t>(scale.level(values[i]))] += dot;
  }
  // The light end would fade on white and the dark end on black without an edge in the text colour.
  std::string markup;
  if (!around.empty())
    markup +=
        fmt::format(R"(<path d="{}" stroke="currentColor" stroke-opacity=".45" stroke-width="8"/>)", around);
  for (int level = 0; level < ramp_levels; ++level) {
    const std::string& path = dots[static_cast<size_t>(level)];
    if (!path.empty())
      markup += fmt::format(R"(<path d="{}" stroke="{}"/>)", path, ramp_color(place_of_level(level)));
  }
  if (!without.empty())
    markup += fmt::format(R"(<path d="{}" stroke="currentColor" stroke-width="1.6"/>)", without);
  if (markup.empty()) return markup;
  return fmt::format(R"(<g fill="none" stroke-linecap="round" stroke-width="6.4">{}</g>)", markup);
}

std::string draw_cells(const Series& series, const PlotFrame& frame, const ValueScale& scale) {
  std::string markup, numbers;
  const NumberForm form = form_for(series, frame.px(1) - frame.px(0) - 2);
  constexpr double gap = 1;  // of the ground's colour around each cell
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!pixel_at(series, i, frame)) continue;
    const double left = frame.px(series.x[i] - 0.5) + gap, right = frame.px(series.x[i] + 0.5) - gap;
    const auto [top, bottom] =
        std::minmax({frame.py(series.y[i] - 0.5) + 0.0, frame.py(series.y[i] + 0.5) + 0.0});
    const double value = value_at(series, i);
    const double place = std::isfinite(value) ? place_of_level(scale.level(value)) : 0;
    const std::string outline = fmt::format("M{} {}H{}V{}H{}z", pixel_text(left), pixel_text(top + gap),
                                            pixel_text(right), pixel_text(bottom - gap), pixel_text(left));
    markup += std::isfinite(value)
                  ? fmt::format(R"(<path d="{}" fill="{}"/>)", outline, ramp_color(place))
                  : fmt::format(R"(<path d="{}" fill="currentColor" fill-opacity=".08"/>)", outline);
    const std::string text = number_text(value, form.digits);
    if (!form.fits(text, right - left) || bottom - top < form.size + 2) continue;
    const std::string ink =
        std::isfinite(value) ? fmt::format(R"( style="fill:{}")", ink_on_ramp(place)) : "";
    numbers += fmt::format(R"(<text x="{}" y="{}"{}>{}</text>)", pixel_text((left + right) / 2),
                           pixel_text((top + bottom) / 2 + 0.35 * form.size), ink, text);
  }
  if (numbers.empty()) return markup;
  return markup + fmt::format(R"(<g text-anchor="middle" font-size="{}">{}</g>)", form.size, numbers);
}

std::string draw_ends(const Series& series, const PlotFrame& frame) {
  std::optional<PixelPoint> first, last;
  for (size_t i = 0; i < series.x.size(); ++i) {
    const std::optional<PixelPoint> point = pixel_at(series, i, frame);
    if (!point) continue;
    if (!first) first = point;
    last = point;
  }
  if (!first) return "";
  return fmt::format(R"(<path d="M{} {}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0" class="ring"/>)"
                     R"(<path d="M{} {}h0" class="round end"/>)",
                     pixel_text(first->x), pixel_text(first->y), pixel_text(last->x), pixel_text(last->y));
}

std::string draw_motion(const Series& series, const PlotFrame& frame) {
  std::vector<PixelPoint> stations = stations_of(series, frame);
  if (stations.empty()) return "";
  // The last place again and again is a rest of about a second, at most a quarter of the way.
  const double steps = static_cast<double>(stations.size() - 1);
  const size_t rests = static_cast<size_t>(std::min(steps / series.animate, steps / 4));
  const double seconds = series.animate * (1 + static_cast<double>(rests) / std::max(steps, 1.0));
  stations.insert(stations.end(), rests, stations.back());
  std::string places;
  for (const PixelPoint& place : stations)
    places += fmt::format("{}{} {}", places.empty() ? "" : ";", pixel_text(place.x), pixel_text(place.y));
  return fmt::format(
      R"svg(<circle class="moving" r="5" fill="currentColor" transform="translate({} {})">)svg"
      R"svg(<animateTransform attributeName="transform" type="translate" values="{}" dur="{:.2f}s" )svg"
      R"svg(repeatCount="indefinite"/></circle>)svg",
      pixel_text(stations[0].x), pixel_text(stations[0].y), places, seconds);
}

std::string motion_styles() {
  return "<style>@media(prefers-reduced-motion:reduce){.kedge-chart .moving{display:none}}</style>";
}

}  // namespace kedge
