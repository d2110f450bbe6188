#include "kedge/core/shown.h"

#include <algorithm>
#include <cstdint>

#include "kedge/core/code_points.h"
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
  std::string_view left = text.substr(0, size);
  while (!left.empty()) {
    const CodePoint point = first_code_point(left);
    const auto byte = static_cast<unsigned char>(left[0]);
    if (byte == '\n') {
      result += "\\n";
    } else if (byte == '\r') {
      result += "\\r";
    } else if (byte == '\t') {
      result += "\\t";
    } else if (byte == '"' || byte == '\\') {
      result += {'\\', left[0]};
    } else if (!point.is_valid || byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else if (is_control(point.value)) {
      result += fmt::format("\\u{:04x}", static_cast<uint32_t>(point.value));
    } else {
      result += left.substr(0, point.bytes);
    }
    left.remove_prefix(point.bytes);
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
