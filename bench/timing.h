#pragma once

// A clock, and the median that makes repeated readings robust.

#include <algorithm>
#include <chrono>
#include <vector>

namespace kedge {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The middle reading, the upper one of an even count; `readings` must not be empty.
inline double median(std::vector<double> readings) {
  const auto middle = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 2);
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

}  // namespace kedge
