#pragma once

// Edge marks: points that lie outside of the plot, as arrows at its edge. A range that is too small, or the
// zero of a logarithmic axis, so never hides a point.

#include <cstddef>
#include <string>

#include "kedge/report/frame.h"
#include "kedge/report/svg.h"

namespace kedge {

/// Whether points of the series that lie outside are shown so: of points and crosses.
bool has_arrows(const Series& series);

/// Whether point `i` of the series, which must be finite, lies outside of the plot.
bool is_outside(const Series& series, size_t i, const PlotFrame& frame);

/// An arrow for each such point, outwards, at the nearest place of the edge; empty without one.
std::string draw_edge_marks(const Series& series, const PlotFrame& frame);

}  // namespace kedge
