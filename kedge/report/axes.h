#pragma once

// Axes: what a chart draws beneath its curves: grid, numbers or names, labels, bands and boxes.

#include <string>

#include "kedge/report/frame.h"
#include "kedge/report/svg.h"

namespace kedge {

/// The shaded stretches of the x axis.
std::string draw_bands(const Chart& chart, const PlotFrame& frame);
/// The rectangles.
std::string draw_boxes(const Chart& chart, const PlotFrame& frame);
/// The attributes that draw a path as a box of the style.
std::string box_stroke(const Box& box);
/// Grid, ticks, numbers and the two labels, that of y at most `label_width` pixels wide.
std::string draw_axes(const Chart& chart, const PlotFrame& frame, double label_width);

}  // namespace kedge
