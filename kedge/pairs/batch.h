#pragma once

// Batch and PairSource: what one training step reads. A source is a pure function of (seed, step): the same
// pairs for any engine, any number of threads, in any order of calls.

#include <cstddef>
#include <cstdint>

#include "kedge/core/matrix.h"

namespace kedge {

/// Row-major arrays to fill, one row per pair; those a program does not read are null. The first numbers of a
/// row are the features, the rest (up to the stride) is padding that must stay zero.
struct Batch {
  size_t pairs = 0;
  float* query = nullptr;
  float* anchor = nullptr;
  float* delta = nullptr;
  size_t feature_stride = 0;
  float* anchor_output = nullptr;
  float* target = nullptr;  ///< the query's output
  size_t output_stride = 0;
  float* weight = nullptr;  ///< one number per pair, set to 1 before `fill`
};

class PairSource {
 public:
  virtual ~PairSource() = default;
  virtual void fill(uint64_t seed, uint64_t step, const Batch& batch) const = 0;
};

}  // namespace kedge
