#include "kedge/table/column_text.h"

namespace kedge {
namespace {

bool is_special(char c) { return c == ',' || c == '+' || c == '=' || c == '\\'; }

}  // namespace

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
    if (text[i] == '\\' && i + 1 < text.size() && is_special(text[i + 1])) ++i;
    plain += text[i];
  }
  return plain;
}

std::string escape_name(const std::string& name) {
  std::string text;
  for (char c : name) {
    if (is_special(c)) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace kedge
