#pragma once

// The page of a sweep: the best, a picture of the grid, and the table.

#include "cli/sweep_report.h"
#include "kedge/report/page.h"

namespace kedge {

/// One name of the grid is a line for each kind of error, two are maps of colours, more are dots, the best on
/// top. Scales end where most errors do; what lies far beyond is marked.
std::vector<Figure> sweep_figures(const SweepFound& found);

/// `command` is what made it.
Page sweep_page(const SweepFound& found, const std::string& command);

}  // namespace kedge
