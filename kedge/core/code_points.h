#pragma once

// Code points of UTF-8 text, and those that names from outside must not bring to a terminal or a page:
// control characters, separators of lines, and marks that turn the direction of text.

#include <cstddef>
#include <string>
#include <string_view>

namespace kedge {

inline constexpr char32_t replacement_character = 0xFFFD;

struct CodePoint {
  char32_t value = 0;
  size_t bytes = 1;      ///< that it took in the text, at least 1
  bool is_valid = true;  ///< false: the value is the replacement character, the byte no part of UTF-8
};

/// The first one of a text that is not empty. Overlong forms, surrogates and values above U+10FFFF are not
/// valid.
CodePoint first_code_point(std::string_view text);

/// Control characters (also those above U+007F), line and paragraph separators, the byte order mark, and the
/// marks, embeddings, overrides and isolates of bidirectional text.
bool is_control(char32_t c);

/// The text with `replacement` for every control character and every byte that is not UTF-8.
std::string without_controls(std::string_view text, std::string_view replacement);

}  // namespace kedge
