#include "kedge/models/least_squares.h"

#include <Eigen/Dense>
#include <cassert>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/models/extreme.h"

namespace kedge {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A design of more features than this needs gigabytes and hours.
constexpr int max_design = 10000;

MatrixXd design(const Program& program, MatrixView<const float> features) {
  const bool expand = program.ops().front().kind == OpKind::quadratic;
  const Index rows = static_cast<Index>(features.rows()), inputs = static_cast<Index>(features.cols());
  const int width = expand ? program.ops().front().width : program.features();
  if (width > max_design)
    throw Error("fit",
                fmt::format("a closed-form fit needs at most {} features; found {}; drop columns or take "
                            "another model",
                            max_design, width));
  MatrixXd x(rows, width);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < inputs; ++c)
      x(r, c) = static_cast<double>(features(static_cast<size_t>(r), static_cast<size_t>(c)));
  if (!expand) return x;
  Index at = inputs;
  for (Index p = 0; p < inputs; ++p)
    for (Index q = p; q < inputs; ++q) x.col(at++) = x.col(p).cwiseProduct(x.col(q));
  return x;
}

// Ridge weights for centered x, y through the eigenvectors of the smaller Gram matrix; the penalty minimizes
// n |y - yhat|^2 / (n - degrees of freedom)^2 over a grid.
MatrixXd ridge(const MatrixXd& x, const MatrixXd& y) {
  const bool tall = x.rows() >= x.cols();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(tall ? MatrixXd(x.transpose() * x)
                                                           : MatrixXd(x * x.transpose()));
  const VectorXd values = eigen.eigenvalues().cwiseMax(0.0);
  // Coordinates of y along the left singular vectors.
  const MatrixXd projected = tall ? MatrixXd(eigen.eigenvectors().transpose() * (x.transpose() * y))
                                  : MatrixXd(eigen.eigenvectors().transpose() * y);
  const double n = static_cast<double>(x.rows()), top = values.maxCoeff(), total = y.squaredNorm();
  if (top == 0) return MatrixXd::Zero(x.cols(), y.cols());
  double best = std::numeric_limits<double>::infinity(), penalty = top;
  for (double exponent = -12; exponent <= 2; exponent += 0.25) {
    const double candidate = top * std::pow(10.0, exponent);
    double freedom = 1, explained = 0;  // the bias is one degree of freedom
    for (Index i = 0; i < values.size(); ++i) {
      if (values(i) <= top * 1e-14) continue;
      const double shrink = values(i) / (values(i) + candidate);
      const double squares = projected.row(i).squaredNorm() / (tall ? values(i) : 1.0);
      freedom += shrink;
      explained += squares * shrink * (2 - shrink);
    }
    if (freedom >= n) continue;
    const double score = n * std::max(total - explained, total * 1e-14) / ((n - freedom) * (n - freedom));
    if (score < best) {
      best = score;
      penalty = candidate;
    }
  }
  const VectorXd inverse = (values.array() + penalty).inverse();
  const MatrixXd inner = eigen.eigenvectors() * (inverse.asDiagonal() * projected);
  return tall ? inner : MatrixXd(x.transpose() * inner);
}

}  // namespace

std::vector<float> solve_closed_form(const Program& program, Solver solver, MatrixView<const float> features,
                                     MatrixView<const float> outputs) {
  if (solver == Solver::none) return {};
  if (solver == Solver::extreme) return solve_extreme(program, features, outputs);
  assert(program.ops().back().kind == OpKind::dense && program.ops().size() <= 2 && solver != Solver::adam);
  MatrixXd x = design(program, features);
  MatrixXd y(x.rows(), static_cast<Index>(outputs.cols()));
  for (Index r = 0; r < y.rows(); ++r)
    for (Index k = 0; k < y.cols(); ++k)
      y(r, k) = static_cast<double>(outputs(static_cast<size_t>(r), static_cast<size_t>(k)));
  const Eigen::RowVectorXd x_mean = x.colwise().mean(), y_mean = y.colwise().mean();
  x.rowwise() -= x_mean;
  y.rowwise() -= y_mean;
  const MatrixXd weights =
      solver == Solver::ridge ? ridge(x, y) : MatrixXd(x.completeOrthogonalDecomposition().solve(y));
  const Eigen::RowVectorXd bias = y_mean - x_mean * weights;

  std::vector<float> parameters;
  parameters.reserve(program.parameters());
  for (Index k = 0; k < weights.cols(); ++k)
    for (Index f = 0; f < weights.rows(); ++f) parameters.push_back(static_cast<float>(weights(f, k)));
  for (Index k = 0; k < weights.cols(); ++k) parameters.push_back(static_cast<float>(bias(k)));
  return parameters;
}

}  // namespace kedge
