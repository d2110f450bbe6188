#pragma once

// PlotFrame: where the plot lies in a chart's image and how data maps to its pixels.

#include <string>

#include "kedge/report/svg.h"
#include "kedge/report/ticks.h"

namespace kedge {

constexpr double chart_font_size = 13;

struct PlotFrame {
  double left = 0, top = 0, right = 0, bottom = 0;
  AxisTicks x, y;
  ScaleSteps x_steps = ScaleSteps::even, y_steps = ScaleSteps::even;

  double px(double value) const;
  double py(double value) const;
};

/// What a plot leaves free around it, in pixels of the image.
struct PlotMargins {
  double top = 0;
  double foot = 0;
  double right = 0;  ///< at least; the last number of the x axis may need more
};

PlotFrame make_frame(const Chart& chart, const PlotMargins& margins);

/// A coordinate in tenths of a pixel, without a needless ".0" or "-0".
std::string pixel_text(double value);

}  // namespace kedge
