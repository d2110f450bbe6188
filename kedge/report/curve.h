#pragma once

// Curve: one series as SVG: its shade, its line or dots, and the colour and stroke it shares with its legend
// entry.
//
// Laws: what a curve needs beside its <path> is left out when it does not ask for it, so the text of a plain
// curve never changes.

#include <cstddef>
#include <string>
#include <vector>

#include "kedge/report/color_ramp.h"
#include "kedge/report/frame.h"
#include "kedge/report/svg.h"

namespace kedge {

/// The place of each series in the palette: series of one name share that of the first.
std::vector<size_t> palette_places(const Chart& chart);

/// The series in the frame's pixels, in the palette's colour at `place`, or in those of the scale.
std::string draw_curve(const Series& series, size_t place, const PlotFrame& frame, const ValueScale& scale);

/// The attribute that sets `color` for all inside.
std::string curve_color(const Series& series, size_t place);
/// The attributes that draw a path in that colour.
std::string curve_stroke(SeriesStyle style);

/// The <style> elements that the colours come from: the palette, and those of an emphasis.
std::string curve_styles();
std::string curve_emphasis_styles();

/// A cross around the point, as path data.
std::string cross_at(double x, double y);

}  // namespace kedge
