#pragma once

// Marks: what a series shows beside a line: points and cells in the colours of their values, rings and dots
// at the ends, and a dot that runs along.

#include <string>

#include "kedge/report/color_ramp.h"
#include "kedge/report/frame.h"
#include "kedge/report/svg.h"

namespace kedge {

/// A dot for each point in the colour of its value, the highest values on top; a cross without a value.
std::string draw_valued_points(const Series& series, const PlotFrame& frame, const ValueScale& scale);

/// A square for each point in the colour of its value, with the number in it where it fits.
std::string draw_cells(const Series& series, const PlotFrame& frame, const ValueScale& scale);

/// A ring where the series begins and a dot where it ends; empty without a finite point.
std::string draw_ends(const Series& series, const PlotFrame& frame);

/// A dot that runs along the series, rests at the end and begins again; empty without a finite point. However
/// long the series, it is led by at most `most_stations` places.
std::string draw_motion(const Series& series, const PlotFrame& frame);

constexpr size_t most_stations = 60;

/// The <style> element that hides running dots from a reader who asked for less motion.
std::string motion_styles();

}  // namespace kedge
