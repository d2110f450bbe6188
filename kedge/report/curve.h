#pragma once

// Curve: one series as SVG: its shade, its line or dots, and the colour and stroke it shares with its legend
// entry.

#include <cstddef>
#include <string>

#include "kedge/report/frame.h"
#include "kedge/report/svg.h"

namespace kedge {

/// The series at place `index` of its chart, in the frame's pixels.
std::string draw_curve(const Series& series, size_t index, const PlotFrame& frame);

/// The attribute that sets `color` for all inside.
std::string curve_color(const Series& series, size_t index);
/// The attributes that draw a path in that colour.
std::string curve_stroke(SeriesStyle style);

/// The <style> element that the colours come from.
std::string curve_styles();

}  // namespace kedge
