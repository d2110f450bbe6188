#pragma once

// A clock (Stopwatch), and the median that makes repeated readings robust.

#include <algorithm>
#include <vector>

#include "kedge/core/stopwatch.h"

namespace kedge {

/// The middle reading, the upper one of an even count; `readings` must not be empty.
inline double median(std::vector<double> readings) {
  const auto middle = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 2);
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

}  // namespace kedge
