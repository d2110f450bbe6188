#pragma once

// Panels: charts that are to be compared side by side, and a table of numbers as colours.

#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/report/svg.h"

namespace kedge {

/// Curves over time, each in the colour of a value of its own, for example actions by the mass they move.
struct TimePanel {
  std::string title{};
  std::vector<std::vector<double>> curves{};  ///< one number a step
  std::vector<double> values{};               ///< one a curve
};

struct TimePanels {
  std::vector<TimePanel> panels{};
  std::string time_label = "time step", curve_label{};
  double step = 1;  ///< the time between two numbers of a curve
  ColorScale colors{};
  int width = 340, height = 230;  ///< of a panel
};

/// A chart for each panel, all with the same axes and the same colours. Throws Error when a panel's curves
/// and values differ in number.
std::vector<Chart> time_panels(const TimePanels& panels);

/// A number for each row and column, for example methods by sizes.
struct HeatGrid {
  std::string title{};
  std::string row_label{}, column_label{};
  std::vector<std::string> rows{}, columns{};
  Matrix<double> values{};  ///< [rows, columns]; what is not finite is left without a colour
  ColorScale colors{};
  int width = 560;
};

/// The grid as a chart, the first row on top; its height follows from the rows. Throws Error when the names
/// do not fit the values.
Chart heat_grid(const HeatGrid& grid);

}  // namespace kedge
