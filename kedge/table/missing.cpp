#include "kedge/table/missing.h"

#include <algorithm>
#include <array>

#include "kedge/table/number.h"

namespace kedge {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 6> words = {"na", "n/a", "null", "none", "nan", "?"};
  const std::string_view text = trimmed(cell);
  return text.empty() || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
           return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                             [](char a, char b) { return lower(a) == b; });
         });
}

}  // namespace kedge
