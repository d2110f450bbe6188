#include "kedge/report/text.h"

#include <cmath>

#include "kedge/core/code_points.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

/// What XML allows, less what would change the order of the text around it.
bool is_allowed(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return true;
  return !is_control(c) && c != 0xFFFE && c != 0xFFFF;
}

size_t columns(char32_t c) {
  if ((c >= 0x300 && c < 0x370) || c == 0x200B || c == 0x200D || (c >= 0xFE00 && c < 0xFE10)) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) ||
                    (c >= 0xAC00 && c < 0xD7A4) || (c >= 0xF900 && c < 0xFB00) ||
                    (c >= 0xFE30 && c < 0xFE70) || (c >= 0xFF00 && c < 0xFF61) ||
                    (c >= 0x1F300 && c < 0x1FB00) || (c >= 0x20000 && c < 0x40000);
  return wide ? 2 : 1;
}

// Widths in units of the font size, a little above those of the common system fonts.
double em(char32_t c) {
  constexpr std::string_view narrow = "iljtfrI.,:;'|!()[] ";
  constexpr std::string_view broad = "mwMW@%";
  if (c < 0x80) {
    const char letter = static_cast<char>(c);
    if (narrow.find(letter) != std::string_view::npos) return 0.34;
    if (broad.find(letter) != std::string_view::npos) return 0.92;
    return letter >= 'A' && letter <= 'Z' ? 0.68 : 0.61;
  }
  return 0.66 * static_cast<double>(columns(c));
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    switch (point.value) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += point.is_valid && is_allowed(point.value) ? text.substr(0, point.bytes) : "\xEF\xBF\xBD";
    }
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::string rounded(double value, int digits) {
  return std::abs(value) < 1e6 ? fmt::format("{:.{}f}", value, digits)
                               : fmt::format("{:.{}e}", value, digits);
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    width += columns(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

double text_pixels(std::string_view text, double font_size) {
  double width = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    width += em(point.value);
    text.remove_prefix(point.bytes);
  }
  return width * font_size;
}

std::string fit_text(std::string_view text, double pixels, double font_size) {
  if (text_pixels(text, font_size) <= pixels) return std::string(text);
  constexpr std::string_view ellipsis = "\u2026";
  double used = text_pixels(ellipsis, font_size);
  size_t kept = 0;
  while (kept < text.size()) {
    const CodePoint point = first_code_point(text.substr(kept));
    used += em(point.value) * font_size;
    if (used > pixels) break;
    kept += point.bytes;
  }
  while (kept > 0 && text[kept - 1] == ' ') --kept;
  return std::string(text.substr(0, kept)) + std::string(ellipsis);
}

}  // namespace kedge
