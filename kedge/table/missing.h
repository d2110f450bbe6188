#pragma once

// What people write into a cell that has no value.

#include <string_view>

namespace kedge {

/// Empty, or NA, N/A, null, none, nan or ?, in any case, with white space around.
bool is_missing(std::string_view cell);

}  // namespace kedge
