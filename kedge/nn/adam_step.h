#pragma once

// The constants of one step of Adam as engines compute with them: in single precision.

#include "kedge/nn/adam.h"

namespace kedge {

/// Of step t out of `steps`.
inline AdamStep adam_step(const AdamOptions& options, uint64_t t, uint64_t steps) {
  const AdamConstants<double> c = adam_constants(options, t, steps);
  return {static_cast<float>(c.beta1),      static_cast<float>(c.beta2),   static_cast<float>(c.rate),
          static_cast<float>(c.root_scale), static_cast<float>(c.epsilon), static_cast<float>(c.decay)};
}

}  // namespace kedge
