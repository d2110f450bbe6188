#pragma once

// Names of columns in what users write: joined by '+', items separated by ','. A backslash before any of
// , + = \ makes it part of a name.

#include <string>
#include <vector>

namespace kedge {

/// Pieces between delimiters that no backslash precedes; backslashes are kept.
std::vector<std::string> split_text(const std::string& text, char delimiter);

/// A name without, and with, its backslashes.
std::string unescape_name(const std::string& text);
std::string escape_name(const std::string& name);

}  // namespace kedge
