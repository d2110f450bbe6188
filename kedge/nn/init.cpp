#include <Eigen/Dense>
#include <cmath>

#include "kedge/core/rng.h"
#include "kedge/nn/engine.h"

namespace kedge {
namespace {

// The Q of a Gaussian matrix's QR, its columns' signs fixed by R's diagonal so that it is uniform over
// orthogonal matrices.
Eigen::MatrixXd orthogonal(Eigen::Index rows, Eigen::Index cols, Rng& rng) {
  const Eigen::Index tall = std::max(rows, cols), thin = std::min(rows, cols);
  Eigen::MatrixXd gauss(tall, thin);
  for (Eigen::Index i = 0; i < tall; ++i)
    for (Eigen::Index j = 0; j < thin; ++j) gauss(i, j) = rng.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(gauss);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(tall, thin);
  for (Eigen::Index j = 0; j < thin; ++j) {
    if (qr.matrixQR()(j, j) < 0) q.col(j) = -q.col(j);
  }
  return rows >= cols ? q : Eigen::MatrixXd(q.transpose());
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
      const Eigen::MatrixXd weights = orthogonal(op.width, in, rng);
      for (int o = 0; o < op.width; ++o)
        for (int i = 0; i < in; ++i) parameters.push_back(static_cast<float>(op.init_scale * weights(o, i)));
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
