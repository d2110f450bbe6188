#include "kedge/space/column_text.h"

namespace kedge {

std::vector<std::string> split_text(const std::string& text, char delimiter) {
  std::vector<std::string> pieces(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == delimiter) {
      pieces.emplace_back();
      continue;
    }
    pieces.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) pieces.back() += text[++i];
  }
  return pieces;
}

std::string unescape_name(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

std::string escape_name(const std::string& name) {
  std::string text;
  for (char c : name) {
    if (c == ',' || c == '+' || c == '=' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace kedge
