#include "kedge/models/least_squares.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/models/extreme.h"

namespace kedge {
namespace {

// A design of more features than this needs gigabytes and hours.
constexpr int max_design = 10000;

Matrix<double> design(const Program& program, MatrixView<const float> features) {
  const bool expand = program.ops().front().kind == OpKind::quadratic;
  const size_t inputs = features.cols();
  const int width = expand ? program.ops().front().width : program.features();
  if (width > max_design)
    throw Error("fit",
                fmt::format("a closed-form fit needs at most {} features; found {}; drop columns or take "
                            "another model",
                            max_design, width));
  Matrix<double> x(features.rows(), static_cast<size_t>(width));
  for (size_t r = 0; r < x.rows(); ++r) {
    const std::span<double> row = x.row(r);
    for (size_t c = 0; c < inputs; ++c) row[c] = static_cast<double>(features(r, c));
    if (!expand) continue;
    size_t at = inputs;
    for (size_t p = 0; p < inputs; ++p)
      for (size_t q = p; q < inputs; ++q) row[at++] = row[p] * row[q];
  }
  return x;
}

double sum_of_squares(std::span<const double> numbers) {
  double sum = 0;
  for (double x : numbers) sum += x * x;
  return sum;
}

// Ridge weights for centered x, y through the eigenvectors of the smaller Gram matrix; the penalty minimizes
// n |y - yhat|^2 / (n - degrees of freedom)^2 over a grid.
Matrix<double> ridge(const Matrix<double>& x, const Matrix<double>& y, double n,
                     const StopCheck& stop_check) {
  const bool tall = x.rows() >= x.cols();
  const Matrix<double> gram = tall ? transposed_product(x, x) : product_transposed(x, x);
  check_stop(stop_check);
  auto [values, vectors] = eigenvectors(gram);
  check_stop(stop_check);
  for (double& value : values) value = std::max(value, 0.0);
  // Coordinates of y along the left singular vectors.
  Matrix<double> projected = transposed_product(vectors, tall ? transposed_product(x, y) : y);
  const double top = values.back(), total = sum_of_squares(y.values());
  if (top == 0) return {x.cols(), y.cols()};
  double best = std::numeric_limits<double>::infinity(), penalty = top;
  for (double exponent = -12; exponent <= 2; exponent += 0.25) {
    const double candidate = top * std::pow(10.0, exponent);
    double freedom = 1, explained = 0;  // the bias is one degree of freedom
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] <= top * 1e-14) continue;
      const double shrink = values[i] / (values[i] + candidate);
      const double squares = sum_of_squares(projected.row(i)) / (tall ? values[i] : 1.0);
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
  for (double& value : values) value = 1 / (value + penalty);
  scale_rows(projected, values);
  Matrix<double> inner = product(vectors, projected);
  return tall ? inner : transposed_product(x, inner);
}

/// Squares of what is left are then the weighted squares.
void weigh_rows(Matrix<double>& m, std::span<const double> weights) {
  if (weights.empty()) return;
  std::vector<double> roots;
  for (double weight : weights) roots.push_back(std::sqrt(weight));
  scale_rows(m, roots);
}

/// How many rows of equal weight tell as much (Kish 1965). A row whose weight goes to 0 goes out of the
/// count.
double effective_rows(size_t rows, std::span<const double> weights) {
  if (weights.empty()) return static_cast<double>(rows);
  double sum = 0;
  for (double weight : weights) sum += weight;
  return sum * sum / sum_of_squares(weights);
}

}  // namespace

std::vector<float> solve_closed_form(const Program& program, Solver solver, MatrixView<const float> features,
                                     MatrixView<const float> outputs, const StopCheck& stop_check,
                                     std::span<const double> row_weights) {
  if (solver == Solver::none) return {};
  if (solver == Solver::extreme) return solve_extreme(program, features, outputs);
  assert(program.ops().back().kind == OpKind::dense && program.ops().size() <= 2 && solver != Solver::adam);
  Matrix<double> x = design(program, features);
  Matrix<double> y(x.rows(), outputs.cols());
  for (size_t r = 0; r < y.rows(); ++r)
    for (size_t k = 0; k < y.cols(); ++k) y(r, k) = static_cast<double>(outputs(r, k));
  const std::vector<double> x_mean = center_columns(x, row_weights), y_mean = center_columns(y, row_weights);
  weigh_rows(x, row_weights);
  weigh_rows(y, row_weights);
  check_stop(stop_check);
  const Matrix<double> weights = solver == Solver::ridge
                                     ? ridge(x, y, effective_rows(x.rows(), row_weights), stop_check)
                                     : least_squares(x, y);

  std::vector<float> parameters;
  parameters.reserve(program.parameters());
  for (size_t k = 0; k < weights.cols(); ++k)
    for (size_t f = 0; f < weights.rows(); ++f) parameters.push_back(static_cast<float>(weights(f, k)));
  for (size_t k = 0; k < weights.cols(); ++k) {
    double at_mean = 0;
    for (size_t f = 0; f < weights.rows(); ++f) at_mean += x_mean[f] * weights(f, k);
    parameters.push_back(static_cast<float>(y_mean[k] - at_mean));
  }
  return parameters;
}

}  // namespace kedge
