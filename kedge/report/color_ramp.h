#pragma once

// Colour ramp: numbers as colours, from a dark blue over red to a light yellow.
//
// Laws: lightness rises all the way, so the order shows without telling hues apart and on paper without
// colour; equal steps in the number look equally large; both ends stand out from a white and from a nearly
// black ground.

#include <string>

#include "kedge/report/svg.h"
#include "kedge/report/ticks.h"

namespace kedge {

/// The colour at `place`, 0 to 1, as "#rrggbb". Places outside take the colour of the end.
std::string ramp_color(double place);

/// Black or white, whichever reads better on the ramp at `place`.
std::string ink_on_ramp(double place);

/// Places are told apart by this many colours, evenly spread.
constexpr int ramp_levels = 64;

/// The colours of one chart: where on the ramp a value lies.
class ValueScale {
 public:
  /// The range that was given, or that of the chart's values; as many numbers as a bar of that height holds.
  ValueScale(const Chart& chart, double pixels);

  /// Whether any series has values: only then is there something to draw.
  bool used() const { return used_; }
  /// 0 to ramp_levels - 1. `value` must not be NaN.
  int level(double value) const;
  const AxisTicks& ticks() const { return ticks_; }
  /// Pixels to keep free at the right of the plot for the bar and its numbers.
  double room() const;
  /// The bar with its numbers, `x` to the right of the plot, and its label above.
  std::string draw(const Chart& chart, double x, double top, double bottom) const;

 private:
  double place(double value) const;

  bool used_ = false;
  ScaleSteps steps_;
  AxisTicks ticks_;
};

/// The place on the ramp in the middle of a level.
double place_of_level(int level);

}  // namespace kedge
