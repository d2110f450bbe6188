#pragma once

// Parity: two numbers of the same kind against each other, as predicted and true. Both axes are the same, so
// what lies on the dashed line is equal.

#include <string>

#include "kedge/report/svg.h"

namespace kedge {

/// Values run from the least to the greatest. Sizes, as errors, begin at 0; where they differ much, the axes
/// are logarithmic and sizes of 0 are arrows at the edge.
enum class ParityOf { values, sizes };

/// The chart with square axes that hold all of its points, and the line, called `equal`, below them.
Chart parity_chart(Chart chart, ParityOf what, const std::string& equal);

}  // namespace kedge
