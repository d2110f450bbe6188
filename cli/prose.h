#pragma once

// Prose: pieces of the sentences that pages and terminals conclude with; see Paragraph.

#include <string>
#include <vector>

namespace kedge {

/// A number as a sentence gives it, with two digits.
std::string rough(double value);

/// ", R² 0.91" of what is explained; what only rounds to 1 is "over 0.99". Empty where it is not known.
std::string r_squared_words(double value);

/// A name, a flag or a command as code.
std::string code(const std::string& text);

/// "a", "a and b", "a, b and c"; of more than `most`, "a, b and 3 more".
std::string listed(const std::vector<std::string>& items, size_t most = 3);

/// "1 query", "3 queries".
std::string counted(size_t count, const char* one, const char* many);

/// Items for a terminal of 80 columns, each with a dash before it.
std::string item_lines(const std::vector<std::string>& items);

}  // namespace kedge
