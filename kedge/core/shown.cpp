#include "kedge/core/shown.h"

#include <algorithm>

#include "kedge/core/format.h"

namespace kedge {
namespace {

constexpr size_t most_bytes = 30;
constexpr size_t most_names = 20;

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string shown(std::string_view text) {
  size_t size = std::min(text.size(), most_bytes);
  // Three steps back reach the start of any valid UTF-8 character; text that is not UTF-8 is cut where it
  // falls.
  for (int back = 0; back < 3 && size < text.size() && continues_a_character(text[size]); ++back) --size;
  std::string result = "\"";
  for (const char c : text.substr(0, size)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + (size < text.size() ? "...\"" : "\"");
}

std::string shown_list(const std::vector<std::string>& names) {
  std::string result;
  for (size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    result += (i == 0 ? "" : ", ") + shown(names[i]);
  }
  if (names.size() > most_names) result += fmt::format(" and {} more", names.size() - most_names);
  return result;
}

}  // namespace kedge
