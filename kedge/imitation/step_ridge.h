#pragma once

// StepRidge: a ridge regression from observation to action for each time step by itself. The simplest policy
// that knows the time.

#include <cstddef>
#include <span>

#include "kedge/core/matrix.h"
#include "kedge/demonstrations/demonstrations.h"

namespace kedge {

class StepRidge {
 public:
  /// Throws Error when the episodes differ in length.
  explicit StepRidge(const Demonstrations& demonstrations);
  /// From stored coefficients: for each step a row for each observation and one for the constant.
  StepRidge(Matrix<double> coefficients, size_t steps);

  void act(size_t step, std::span<const double> observation, std::span<double> action) const;

  const Matrix<double>& coefficients() const { return coefficients_; }
  size_t steps() const { return steps_; }

 private:
  size_t steps_ = 0;
  Matrix<double> coefficients_;  // [steps * (observations + 1), actions]
};

}  // namespace kedge
