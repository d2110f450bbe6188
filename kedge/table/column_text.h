#pragma once

// Names of columns in what users write: with ',' between, joined by '+', followed by '='. A backslash before
// any of , + = \ makes it part of a name; before anything else it is a backslash.

#include <string>
#include <vector>

namespace kedge {

/// Pieces between delimiters that no backslash precedes; backslashes are kept.
std::vector<std::string> split_text(const std::string& text, char delimiter);

/// A name without, and with, its backslashes.
std::string unescape_name(const std::string& text);
std::string escape_name(const std::string& name);

}  // namespace kedge
