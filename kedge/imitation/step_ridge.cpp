#include "kedge/imitation/step_ridge.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "kedge/core/linear_algebra.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

constexpr double penalty = 1e-6;  // per demonstration, on standardized observations

}  // namespace

StepRidge::StepRidge(Matrix<double> coefficients, size_t steps)
    : steps_(steps), coefficients_(std::move(coefficients)) {
  assert(steps_ > 0 && coefficients_.rows() % steps_ == 0);
}

StepRidge::StepRidge(const Demonstrations& demonstrations) : steps_(demonstrations.common_steps()) {
  const size_t n = demonstrations.size(), inputs = demonstrations.columns().observations.size(),
               outputs = demonstrations.columns().actions.size();
  coefficients_ = Matrix<double>(steps_ * (inputs + 1), outputs);
  for (size_t t = 0; t < steps_; ++t) {
    Matrix<double> seen(n, inputs);
    for (size_t e = 0; e < n; ++e)
      std::copy_n(demonstrations[e].observations.row(t).data(), inputs, seen.row(e).data());
    const Standardizer scale = Standardizer::fit(seen);
    // The penalty is rows of its own: |a x - b|^2 + penalty n |x|^2, the constant left out by centring.
    Matrix<double> a(n + inputs, inputs), b(n + inputs, outputs);
    for (size_t e = 0; e < n; ++e) {
      for (size_t c = 0; c < inputs; ++c) a(e, c) = scale.redo(c, seen(e, c));
      std::copy_n(demonstrations[e].actions.row(t).data(), outputs, b.row(e).data());
    }
    std::vector<double> mean(outputs);
    for (size_t k = 0; k < outputs; ++k) {
      for (size_t e = 0; e < n; ++e) mean[k] += b(e, k) / static_cast<double>(n);
      for (size_t e = 0; e < n; ++e) b(e, k) -= mean[k];
    }
    for (size_t c = 0; c < inputs; ++c) a(n + c, c) = std::sqrt(penalty * static_cast<double>(n));
    const Matrix<double> x = least_squares(a, b);
    const size_t first = t * (inputs + 1);
    for (size_t k = 0; k < outputs; ++k) {
      double constant = mean[k];
      for (size_t c = 0; c < inputs; ++c) {
        coefficients_(first + c, k) = x(c, k) / scale.scale[c];
        constant -= coefficients_(first + c, k) * scale.mean[c];
      }
      coefficients_(first + inputs, k) = constant;
    }
  }
}

void StepRidge::act(size_t step, std::span<const double> observation, std::span<double> action) const {
  const size_t first = step * (observation.size() + 1);
  for (size_t k = 0; k < action.size(); ++k) {
    double sum = coefficients_(first + observation.size(), k);
    for (size_t c = 0; c < observation.size(); ++c) sum += coefficients_(first + c, k) * observation[c];
    action[k] = sum;
  }
}

}  // namespace kedge
