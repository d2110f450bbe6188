#pragma once

#include <cstddef>
#include <string>

namespace kedge {

/// A cell in a column of numbers that is none and not missing either.
struct OddCell {
  size_t row = 0, line = 0;
  std::string column, text;
};

}  // namespace kedge
