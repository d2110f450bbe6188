#pragma once

// SameUnit: columns measured in one unit, the coordinates of a position say, which are scaled together.
// Scaled one by one, a coordinate that hardly moves would count as much as the others, and with it its noise.

#include <string>
#include <vector>

#include "kedge/space/output_space.h"

namespace kedge {

struct SameUnit {
  /// Columns that share a scale, by their place among the inputs and among the outputs.
  std::vector<std::vector<size_t>> inputs, outputs;

  /// Sets as users write them: "x+y+z,gx+gy+gz", each of inputs only or of outputs only; names are escaped as
  /// in Space::parse. Throws Error on unknown columns, repeats, sets of one, sets that mix inputs with
  /// outputs or log columns with plain ones, and inputs that are angles or rotations.
  static SameUnit parse(const std::string& text, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const Spaces& spaces);
};

}  // namespace kedge
