#include "kedge/report/edge_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kedge/core/format.h"
#include "kedge/report/curve.h"
#include "kedge/report/thin.h"

namespace kedge {
namespace {

constexpr double arrow = 3.5;  // half of its width

/// -1 before the axis, 1 after it, 0 on it.
int side_of(double value, const AxisTicks& axis) {
  const auto [low, high] = std::minmax(axis.low, axis.high);
  return value < low ? -1 : value > high ? 1 : 0;
}

/// The tip touches the edge. What leaves by a corner points sideways.
std::string arrow_at(const PixelPoint& tip, int x_side, int y_side) {
  if (x_side != 0)
    return fmt::format("M{} {}l{} {}l{} {}", pixel_text(tip.x - x_side * arrow), pixel_text(tip.y - arrow),
                       pixel_text(x_side * arrow), pixel_text(arrow), pixel_text(-x_side * arrow),
                       pixel_text(arrow));
  return fmt::format("M{} {}l{} {}l{} {}", pixel_text(tip.x - arrow), pixel_text(tip.y + y_side * arrow),
                     pixel_text(arrow), pixel_text(-y_side * arrow), pixel_text(arrow),
                     pixel_text(y_side * arrow));
}

}  // namespace

bool has_arrows(const Series& series) {
  return series.style == SeriesStyle::points || series.style == SeriesStyle::crosses;
}

bool is_outside(const Series& series, size_t i, const PlotFrame& frame) {
  return side_of(series.x[i], frame.x) != 0 || side_of(series.y[i], frame.y) != 0;
}

std::string draw_edge_marks(const Series& series, const PlotFrame& frame) {
  // By sides, so that many arrows at one place are thinned as points are.
  std::array<std::vector<PixelPoint>, 9> tips;
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i]) || !is_outside(series, i, frame)) continue;
    constexpr double inset = 1;  // half of a stroke
    const PixelPoint tip{std::clamp(frame.px(series.x[i]), frame.left + inset, frame.right - inset),
                         std::clamp(frame.py(series.y[i]), frame.top + inset, frame.bottom - inset)};
    const int place = 3 * (side_of(series.x[i], frame.x) + 1) + side_of(series.y[i], frame.y) + 1;
    tips[static_cast<size_t>(place)].push_back(tip);
  }
  std::string path;
  for (int place = 0; place < static_cast<int>(tips.size()); ++place)
    for (const PixelPoint& tip : thin_scatter(tips[static_cast<size_t>(place)]))
      path += arrow_at(tip, place / 3 - 1, place % 3 - 1);
  return path.empty() ? path : fmt::format(R"(<path d="{}" {}/>)", path, curve_stroke(SeriesStyle::crosses));
}

}  // namespace kedge
