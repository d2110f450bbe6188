#pragma once

// Legend: the names in a chart, each with a small picture of how it is drawn.

#include <string>
#include <vector>

#include "kedge/report/svg.h"

namespace kedge {

struct LegendEntry {
  std::string name;
  std::string swatch;  ///< SVG shapes in a box of 20 x 12 pixels
};

/// Named series in chart order, then named bands, then named boxes; each name of a kind once.
std::vector<LegendEntry> legend_entries(const Chart& chart);

struct DrawnLegend {
  std::string markup;
  double height = 0;
};

/// The entries in rows from `top` down; nothing for Legend::none.
DrawnLegend draw_legend(const Chart& chart, double top);

}  // namespace kedge
