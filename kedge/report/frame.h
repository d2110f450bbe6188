#pragma once

// PlotFrame: where the plot lies in a chart's image, how data maps to its pixels, and the axes around it.

#include <string>

#include "kedge/report/svg.h"
#include "kedge/report/ticks.h"

namespace kedge {

constexpr double chart_font_size = 13;

struct PlotFrame {
  double left = 0, top = 0, right = 0, bottom = 0;
  AxisTicks x, y;

  double px(double value) const;
  double py(double value) const;
};

/// The frame with `top` and `foot` pixels of the image above and below it.
PlotFrame make_frame(const Chart& chart, double top, double foot);

/// The shaded stretches of the x axis.
std::string draw_bands(const Chart& chart, const PlotFrame& frame);
/// Grid, ticks, numbers and the two labels.
std::string draw_axes(const Chart& chart, const PlotFrame& frame);

/// A coordinate in tenths of a pixel, without a needless ".0" or "-0".
std::string pixel_text(double value);

}  // namespace kedge
