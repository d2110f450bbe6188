#include "cli/checks.h"

#include <algorithm>
#include <charconv>

#include "kedge/core/format.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"

namespace kedge {

Check whole_number(uint64_t low, uint64_t high) {
  return [low, high](const std::string& text) -> std::string {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && stop == end && value >= low && value <= high) return "";
    return high == UINT64_MAX
               ? fmt::format("needs a whole number from {}; found {}", low, shown(text))
               : fmt::format("needs a whole number from {} to {}; found {}", low, high, shown(text));
  };
}

Check whole_number_or(const std::string& word, uint64_t low) {
  return [word, low](const std::string& text) -> std::string {
    if (text == word || whole_number(low)(text).empty()) return "";
    return fmt::format("needs a whole number from {}, or {}; found {}", low, word, shown(text));
  };
}

Check one_of(const std::vector<std::string>& words) {
  return [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    const std::string meant = did_you_mean(text, words, "");
    return fmt::format("needs one of {}; found {}{}", fmt::join(words, ", "), shown(text),
                       meant.empty() ? "" : "; " + meant);
  };
}

std::string number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return "";
  return fmt::format("needs a number; found {}", shown(text));
}

}  // namespace kedge
