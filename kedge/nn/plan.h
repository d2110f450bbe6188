#pragma once

// Plan: where the CPU engine keeps each value, gradient and parameter of a program. Made once; the step loop
// then allocates nothing.
//
// A value is feature-major, [width padded to 16][slots], so that every kernel runs along the batch. What
// feeds a dense op is kept a second time batch-major, [slots][row], because the weight gradient runs along
// the features.

#include <cstddef>
#include <vector>

#include "kedge/nn/program.h"

namespace kedge {

struct ValuePlan {
  size_t width = 0;
  size_t at = 0;            ///< offset of the value, and of its gradient in the gradient array
  bool transposed = false;  ///< kept batch-major too
  size_t transposed_at = 0;
  size_t transposed_row = 0;
  bool gradient = false;  ///< some parameter stands before it
};

struct OpPlan {
  size_t weight_at = 0;  ///< offset in the padded parameters: [out][weight_row], then the biases
  size_t weight_row = 0;
  size_t bias_at = 0;
  size_t slope_at = 0;  ///< sin_pi only: derivative kept from the forward pass
  /// Whether other ops use the same parameters. Their gradients are added up, from the last op to the first,
  /// which is then the one to update them.
  bool shared = false, is_last_user = true, is_first_user = true;
  size_t shared_at = 0;               ///< where that sum stands: as the parameters
  std::vector<bool> add_to_gradient;  ///< per operand: a later op has already written its gradient
};

struct Plan {
  Plan(const Program& program, size_t batch);

  size_t slots;  ///< batch padded to 16
  std::vector<ValuePlan> values;
  std::vector<OpPlan> ops;
  size_t value_floats = 0, transposed_floats = 0, slope_floats = 0, parameter_floats = 0, shared_floats = 0;
  size_t largest_bias = 0;   ///< padded
  size_t update_floats = 0;  ///< largest block of weights updated at once

 private:
  void share(size_t owner_op, size_t op, size_t out);
};

/// Rows of a weight matrix updated at once: small enough that weights, moments and gradient stay in the L2
/// cache.
size_t update_rows(size_t weight_row);

/// n rounded up to a multiple of 16.
constexpr size_t padded(size_t n) { return (n + 15) / 16 * 16; }

}  // namespace kedge
