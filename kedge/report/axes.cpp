#include "kedge/report/axes.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {

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

std::string draw_boxes(const Chart& chart, const PlotFrame& frame) {
  std::string markup;
  for (const Box& box : chart.boxes) {
    if (std::isnan(box.x_low + box.y_low) || std::isnan(box.x_high + box.y_high)) continue;
    const double left = std::clamp(frame.px(box.x_low), frame.left, frame.right);
    const double right = std::clamp(frame.px(box.x_high), frame.left, frame.right);
    const double top = std::clamp(frame.py(box.y_high), frame.top, frame.bottom);
    const double bottom = std::clamp(frame.py(box.y_low), frame.top, frame.bottom);
    // A path and no <rect>: a rectangle without height would not be drawn.
    markup += fmt::format(R"(<path d="M{} {}H{}V{}H{}z" {}/>)", pixel_text(left), pixel_text(top),
                          pixel_text(right), pixel_text(bottom), pixel_text(left), box_stroke(box));
  }
  return markup;
}

std::string box_stroke(const Box& box) {
  const std::string color = box.color.empty() ? "currentColor" : escape_xml(box.color);
  const std::string_view style = box.style == BoxStyle::shade ? R"(stroke-opacity=".35" fill-opacity=".09")"
                                 : box.style == BoxStyle::outline
                                     ? R"(stroke-opacity=".7" fill-opacity="0" stroke-width="1.3")"
                                     : R"(stroke-opacity=".7" fill-opacity="0" stroke-width="1.3" )"
                                       R"(stroke-dasharray="4 3.5")";
  return fmt::format(R"(fill="{0}" stroke="{0}" {1})", color, style);
}

std::string draw_axes(const Chart& chart, const PlotFrame& frame, double label_width) {
  std::string grid, zero_line, marks, x_labels, y_labels;
  for (size_t i = 0; i < frame.y.values.size(); ++i) {
    const double y = frame.py(frame.y.values[i]);
    const bool zero = frame.y.values[i] == 0 && frame.y.low < 0;
    if (chart.y_names.empty())
      (zero ? zero_line : grid) +=
          fmt::format("M{} {}H{}", pixel_text(frame.left), pixel_text(y), pixel_text(frame.right));
    y_labels += fmt::format(R"(<text x="{}" y="{}">{}</text>)", pixel_text(frame.left - 8),
                            pixel_text(y + 4.5), escape_xml(frame.y.labels[i]));
  }
  for (size_t i = 0; i < frame.x.values.size(); ++i) {
    const double x = frame.px(frame.x.values[i]);
    if (chart.equal_axes)
      grid += fmt::format("M{} {}V{}", pixel_text(x), pixel_text(frame.top), pixel_text(frame.bottom));
    if (chart.x_names.empty()) marks += fmt::format("M{} {}v5", pixel_text(x), pixel_text(frame.bottom));
    x_labels += fmt::format(R"(<text x="{}" y="{}">{}</text>)", pixel_text(x), pixel_text(frame.bottom + 19),
                            escape_xml(frame.x.labels[i]));
  }
  // Rows with names stand on no ground line.
  std::string markup;
  if (chart.y_names.empty()) {
    const auto lines = [](const std::string& path, std::string_view opacity) {
      return path.empty() ? "" : fmt::format(R"(<path d="{}" stroke-opacity="{}"/>)", path, opacity);
    };
    const std::string ground = fmt::format("M{} {}H{}{}", pixel_text(frame.left), pixel_text(frame.bottom),
                                           pixel_text(frame.right), marks);
    markup = fmt::format(R"(<g fill="none" stroke="currentColor">{}{}{}</g>)", lines(grid, ".11"),
                         lines(zero_line, ".32"), lines(ground, ".55"));
  }
  markup += fmt::format(R"(<g opacity=".8"><g text-anchor="end">{}</g><g text-anchor="middle">{}</g></g>)",
                        y_labels, x_labels);
  if (!chart.x_label.empty()) {
    markup += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                          pixel_text((frame.left + frame.right) / 2), pixel_text(frame.bottom + 38),
                          escape_xml(fit_text(chart.x_label, chart.width, chart_font_size)));
  }
  if (!chart.y_label.empty()) {
    markup += fmt::format(R"(<text x="0" y="{}">{}</text>)", pixel_text(frame.top - 10),
                          escape_xml(fit_text(chart.y_label, label_width, chart_font_size)));
  }
  return markup;
}

}  // namespace kedge
