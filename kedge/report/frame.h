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

/// What a plot leaves free around it, in pixels of the image.
struct PlotMargins {
  double top = 0;
  double foot = 0;
  double right = 0;  ///< at least; the last number of the x axis may need more
};

PlotFrame make_frame(const Chart& chart, const PlotMargins& margins);

/// The shaded stretches of the x axis.
std::string draw_bands(const Chart& chart, const PlotFrame& frame);
/// The rectangles.
std::string draw_boxes(const Chart& chart, const PlotFrame& frame);
/// The attributes that draw a path as a box of the style.
std::string box_stroke(const Box& box);
/// Grid, ticks, numbers and the two labels, that of y at most `label_width` pixels wide.
std::string draw_axes(const Chart& chart, const PlotFrame& frame, double label_width);

/// A coordinate in tenths of a pixel, without a needless ".0" or "-0".
std::string pixel_text(double value);

}  // namespace kedge
