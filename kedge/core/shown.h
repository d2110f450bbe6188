#pragma once

// Shown: text out of a file as an error prints it. It never breaks the line and never floods it.

#include <string>
#include <string_view>
#include <vector>

namespace kedge {

/// In double quotes, control characters escaped, cut after about 30 bytes (never inside a UTF-8 character).
std::string shown(std::string_view text);

/// Shown names with commas between; only the first twenty and how many more there are.
std::string shown_list(const std::vector<std::string>& names);

}  // namespace kedge
