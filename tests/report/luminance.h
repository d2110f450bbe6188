#pragma once

// How bright a colour is, and how far two are apart for a reader.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace kedge {

/// The linear part of red (1), green (3) or blue (5) in "#rrggbb", 0 to 1.
inline double channel(std::string_view color, size_t at) {
  const double part = std::stoi(std::string(color.substr(at, 2)), nullptr, 16) / 255.0;
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

/// Relative luminance of "#rrggbb", 0 to 1.
inline double luminance(std::string_view color) {
  return 0.2126 * channel(color, 1) + 0.7152 * channel(color, 3) + 0.0722 * channel(color, 5);
}

/// Of two luminances, or of two colours.
inline double contrast(double one, double two) {
  return (std::max(one, two) + 0.05) / (std::min(one, two) + 0.05);
}
inline double contrast(std::string_view one, std::string_view two) {
  return contrast(luminance(one), luminance(two));
}

}  // namespace kedge
