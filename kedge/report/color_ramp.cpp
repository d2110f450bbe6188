#include "kedge/report/color_ramp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/report/frame.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

// Knots of nearly equal chroma, whose lightness and hue advance by equal steps in a perceptual colour space.
// Between them red, green and blue are interpolated.
using Rgb = std::array<double, 3>;
constexpr std::array<Rgb, 9> knots = {{{0x32, 0x4c, 0xa7},
                                       {0x69, 0x50, 0xb2},
                                       {0x97, 0x55, 0xaf},
                                       {0xc0, 0x5d, 0xa1},
                                       {0xe1, 0x6a, 0x8a},
                                       {0xf8, 0x80, 0x6f},
                                       {0xff, 0x9f, 0x5e},
                                       {0xff, 0xbf, 0x53},
                                       {0xf2, 0xe1, 0x5f}}};

Rgb ramp_rgb(double place) {
  const double at = std::clamp(place, 0.0, 1.0) * (knots.size() - 1);
  const size_t below = std::min(static_cast<size_t>(at), knots.size() - 2);
  const double part = at - static_cast<double>(below);
  Rgb mixed;
  for (size_t c = 0; c < mixed.size(); ++c)
    mixed[c] = std::round(knots[below][c] + part * (knots[below + 1][c] - knots[below][c]));
  return mixed;
}

constexpr double bar_gap = 14, bar_width = 12, number_gap = 6;
constexpr double tick_pixels = 42;

}  // namespace

std::string ramp_color(double place) {
  const Rgb rgb = ramp_rgb(place);
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(rgb[0]), static_cast<int>(rgb[1]),
                     static_cast<int>(rgb[2]));
}

std::string ink_on_ramp(double place) {
  // Relative luminance as WCAG defines contrast by; black and white read equally well at about 0.18.
  const auto linear = [](double c) { return std::pow(c / 255, 2.2); };
  const Rgb rgb = ramp_rgb(place);
  const double luminance = 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  return luminance > 0.18 ? "#000" : "#fff";
}

double place_of_level(int level) { return (level + 0.5) / ramp_levels; }

ValueScale::ValueScale(const Chart& chart, double pixels) : steps_(chart.colors.steps) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  constexpr double largest = 1e300;
  for (const Series& series : chart.series) {
    used_ = used_ || !series.values.empty();
    for (double value : series.values) {
      if (!std::isfinite(value) || (steps_ == ScaleSteps::logarithmic && value <= 0)) continue;
      low = std::min(low, std::max(value, -largest));
      high = std::max(high, std::min(value, largest));
    }
  }
  if (low > high) low = high = 1;
  if (chart.colors.range) std::tie(low, high) = *chart.colors.range;
  const int about = std::max(2, static_cast<int>(pixels / tick_pixels));
  ticks_ = steps_ == ScaleSteps::logarithmic ? make_log_ticks(low, high, about)
                                             : make_ticks(low, high, about, AxisEnds::exact);
}

double ValueScale::place(double value) const {
  if (steps_ == ScaleSteps::even)
    return std::clamp((value - ticks_.low) / (ticks_.high - ticks_.low), 0.0, 1.0);
  if (value <= ticks_.low) return 0;
  return std::clamp((std::log(value) - std::log(ticks_.low)) / (std::log(ticks_.high) - std::log(ticks_.low)),
                    0.0, 1.0);
}

int ValueScale::level(double value) const {
  return std::min(ramp_levels - 1, static_cast<int>(place(value) * ramp_levels));
}

double ValueScale::room() const {
  if (!used_) return 0;
  double widest = 0;
  for (const std::string& label : ticks_.labels)
    widest = std::max(widest, text_pixels(label, chart_font_size));
  return bar_gap + bar_width + number_gap + widest;
}

std::string ValueScale::draw(const Chart& chart, double x, double top, double bottom) const {
  if (!used_) return "";
  const double left = x + bar_gap, height = bottom - top;
  std::string bar, numbers;
  // Each colour reaches down to the end and the next one covers it: no gaps between them.
  for (int level = ramp_levels - 1; level >= 0; --level) {
    const double from = top + height * (ramp_levels - 1 - level) / ramp_levels;
    bar += fmt::format(R"(<path d="M{} {}h{}V{}h-{}z" fill="{}"/>)", pixel_text(left), pixel_text(from),
                       bar_width, pixel_text(bottom), bar_width, ramp_color(place_of_level(level)));
  }
  std::string marks;
  // A plot may have become less high than it was planned.
  double last = bottom + tick_pixels;
  for (size_t i = 0; i < ticks_.values.size(); ++i) {
    const double y = bottom - height * place(ticks_.values[i]);
    if (last - y < chart_font_size) continue;
    last = y;
    marks += fmt::format("M{} {}h4", pixel_text(left + bar_width), pixel_text(y));
    numbers += fmt::format(R"(<text x="{}" y="{}">{}</text>)", pixel_text(left + bar_width + number_gap),
                           pixel_text(y + 4.5), ticks_.labels[i]);
  }
  std::string markup =
      fmt::format(R"(<g>{}</g><path d="{}" stroke="currentColor" stroke-opacity=".55"/>)", bar, marks);
  markup += fmt::format(R"(<g opacity=".8">{}</g>)", numbers);
  if (!chart.colors.label.empty())
    markup +=
        fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", chart.width, pixel_text(top - 10),
                    escape_xml(fit_text(chart.colors.label, chart.width * 0.6, chart_font_size)));
  return markup;
}

}  // namespace kedge
