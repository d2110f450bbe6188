#pragma once

// What tests of drawn text look for: how often a part occurs, and the numbers in an attribute.

#include <cstddef>
#include <string>

namespace kedge {

inline size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What stands between `before` and the next `after`; empty where there is no such place.
inline std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const size_t from = at + before.size();
  return text.substr(from, text.find(after, from) - from);
}

}  // namespace kedge
