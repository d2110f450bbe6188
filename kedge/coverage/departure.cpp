#include "kedge/coverage/departure.h"

#include <algorithm>

#include "kedge/core/format.h"

namespace kedge {

std::string to_text(std::span<const Departure> departures, const std::vector<std::string>& inputs,
                    size_t most) {
  std::string text;
  for (const Departure& one : departures.first(std::min(most, departures.size()))) {
    if (!text.empty()) text += "; ";
    text += one.is_combination() ? "combination" : fmt::format("{} {:+.4g}", inputs[one.column], one.amount);
  }
  return text;
}

}  // namespace kedge
