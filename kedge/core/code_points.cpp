#include "kedge/core/code_points.h"

namespace kedge {

CodePoint first_code_point(std::string_view text) {
  constexpr CodePoint invalid{replacement_character, 1, false};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 && lead < 0xF8 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() < bytes) return invalid;
  char32_t value = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return invalid;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < least[bytes] || value > 0x10FFFF || surrogate) return invalid;
  return {value, bytes};
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string without_controls(std::string_view text, std::string_view replacement) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    result += point.is_valid && !is_control(point.value) ? text.substr(0, point.bytes) : replacement;
    text.remove_prefix(point.bytes);
  }
  return result;
}

}  // namespace kedge
