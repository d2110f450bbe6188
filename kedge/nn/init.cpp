#include <algorithm>
#include <cmath>

#include "kedge/core/linear_algebra.h"
#include "kedge/core/rng.h"
#include "kedge/nn/engine.h"

namespace kedge {
namespace {

// The Q of a Gaussian matrix's QR, which is uniform over orthogonal matrices.
Matrix<double> orthogonal(size_t rows, size_t cols, Rng& rng) {
  Matrix<double> gauss(std::max(rows, cols), std::min(rows, cols));
  for (size_t i = 0; i < gauss.rows(); ++i)
    for (double& x : gauss.row(i)) x = rng.normal();
  Matrix<double> q = orthogonal_factor(gauss);
  return rows >= cols ? q : transposed(q);
}

}  // namespace

std::vector<float> initial_parameters(const Program& program, uint64_t seed) {
  std::vector<float> parameters;
  parameters.reserve(program.parameters());
  uint64_t number = 0;
  for (const Op& op : program.ops()) {
    if (op.kind != OpKind::dense || op.shares >= 0) continue;
    const int in = program.width(op.from[0]);
    Rng rng(seed, Stream::parameters, number++);
    if (op.init == Init::orthogonal) {
      const Matrix<double> weights = orthogonal(static_cast<size_t>(op.width), static_cast<size_t>(in), rng);
      for (double w : weights.values()) parameters.push_back(static_cast<float>(op.init_scale * w));
      parameters.insert(parameters.end(), static_cast<size_t>(op.width), 0.0f);
      continue;
    }
    const double bound = 1.0 / std::sqrt(static_cast<double>(in));
    for (int j = 0; j < op.width * in; ++j)
      parameters.push_back(static_cast<float>(op.init_scale * rng.uniform(-bound, bound)));
    for (int j = 0; j < op.width; ++j) parameters.push_back(static_cast<float>(rng.uniform(-bound, bound)));
  }
  return parameters;
}

}  // namespace kedge
