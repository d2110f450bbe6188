#pragma once

// SampledBlocks: a sample of training pairs, sorted into cells; how far the test is covered by it, and what
// each pair weighs in the four blocks of the theorem.

#include <array>
#include <vector>

#include "kedge/coverage/density_ratio.h"
#include "kedge/coverage/theorem.h"

namespace kedge {

struct SampledBlocks {
  DensityRatio ratio;
  double covered = 0;  ///< as in TheoremQuantities
  InSupport in_support;
  /// What each sampled row weighs under D1 and D2, and under E1 and E2.
  std::array<std::vector<double>, 2> differences, anchors;
};

/// The sample has rows, and its shapes fit.
SampledBlocks sampled_blocks(const TheoremSample& sample);

}  // namespace kedge
