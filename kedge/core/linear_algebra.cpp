#include "kedge/core/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace kedge {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Eigenvectors cost the cube of this.
constexpr size_t most_columns = 512;

Eigen::Map<const RowMajor> mapped(MatrixView<const double> a) {
  return {a.data(), static_cast<Index>(a.rows()), static_cast<Index>(a.cols())};
}

Matrix<double> copied(const MatrixXd& a) {
  Matrix<double> out(static_cast<size_t>(a.rows()), static_cast<size_t>(a.cols()));
  Eigen::Map<RowMajor>(out.data(), a.rows(), a.cols()) = a;
  return out;
}

std::vector<double> numbers(const Eigen::VectorXd& a) { return {a.data(), a.data() + a.size()}; }

/// `count` of the rows, evenly spread; zeros where there are fewer.
Matrix<double> spread_rows(MatrixView<const double> rows, size_t count) {
  Matrix<double> some(count, rows.cols());
  for (size_t i = 0; i < std::min(count, rows.rows()); ++i)
    std::ranges::copy(rows.row(rows.rows() <= count ? i : i * rows.rows() / count), some.row(i).begin());
  return some;
}

}  // namespace

Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b) {
  assert(a.cols() == b.rows());
  return copied(mapped(a) * mapped(b));
}

Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b) {
  assert(a.rows() == b.rows());
  return copied(mapped(a).transpose() * mapped(b));
}

Matrix<double> product_transposed(MatrixView<const double> a, MatrixView<const double> b) {
  assert(a.cols() == b.cols());
  return copied(mapped(a) * mapped(b).transpose());
}

Matrix<double> transposed(MatrixView<const double> a) {
  Matrix<double> out(a.cols(), a.rows());
  for (size_t r = 0; r < a.rows(); ++r)
    for (size_t c = 0; c < a.cols(); ++c) out(c, r) = a(r, c);
  return out;
}

Matrix<double> first_columns(MatrixView<const double> a, size_t count) {
  assert(count <= a.cols());
  Matrix<double> out(a.rows(), count);
  for (size_t r = 0; r < a.rows(); ++r) std::copy_n(a.row(r).begin(), count, out.row(r).begin());
  return out;
}

void scale_rows(MatrixView<double> a, std::span<const double> factors) {
  assert(a.rows() == factors.size());
  for (size_t r = 0; r < a.rows(); ++r)
    for (double& x : a.row(r)) x *= factors[r];
}

void scale_columns(MatrixView<double> a, std::span<const double> factors) {
  assert(a.cols() == factors.size());
  for (size_t r = 0; r < a.rows(); ++r)
    for (size_t c = 0; c < a.cols(); ++c) a(r, c) *= factors[c];
}

std::vector<double> center_columns(MatrixView<double> a, std::span<const double> weights) {
  std::vector<double> means(a.cols());
  double total = 0;
  for (size_t r = 0; r < a.rows(); ++r) {
    const double weight = weights.empty() ? 1.0 : weights[r];
    total += weight;
    for (size_t c = 0; c < a.cols(); ++c) means[c] += weight * a(r, c);
  }
  for (double& mean : means) mean /= total;
  for (size_t r = 0; r < a.rows(); ++r)
    for (size_t c = 0; c < a.cols(); ++c) a(r, c) -= means[c];
  return means;
}

Eigenvectors eigenvectors(MatrixView<const double> symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(mapped(symmetric));
  return {numbers(solver.eigenvalues()), copied(solver.eigenvectors())};
}

std::vector<double> eigenvalues(MatrixView<const double> symmetric) {
  return numbers(
      Eigen::SelfAdjointEigenSolver<MatrixXd>(mapped(symmetric), Eigen::EigenvaluesOnly).eigenvalues());
}

SingularVectors singular_vectors(MatrixView<const double> a) {
  const Eigen::BDCSVD<MatrixXd> svd(mapped(a), Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {numbers(svd.singularValues()), copied(svd.matrixU()), copied(svd.matrixV())};
}

std::vector<double> singular_values(MatrixView<const double> a) {
  return numbers(Eigen::BDCSVD<MatrixXd>(mapped(a)).singularValues());
}

Matrix<double> least_squares(MatrixView<const double> a, MatrixView<const double> b) {
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposed(mapped(a));
  return copied(decomposed.solve(MatrixXd(mapped(b))));
}

Matrix<double> orthogonal_factor(MatrixView<const double> a) {
  assert(a.rows() >= a.cols());
  const Eigen::HouseholderQR<MatrixXd> qr(mapped(a));
  MatrixXd q = qr.householderQ() * MatrixXd::Identity(qr.rows(), qr.cols());
  for (Index j = 0; j < q.cols(); ++j)
    if (qr.matrixQR()(j, j) < 0) q.col(j) = -q.col(j);
  return copied(q);
}

Matrix<double> leading_axes(MatrixView<const double> rows, size_t count) {
  const size_t columns = rows.cols();
  const bool wide = columns > most_columns;
  const Matrix<double> vectors = wide ? singular_vectors(spread_rows(rows, most_columns)).v
                                      : eigenvectors(transposed_product(rows, rows)).vectors;
  Matrix<double> axes(std::min({count, columns, most_columns}), columns);
  for (size_t k = 0; k < axes.rows(); ++k) {
    const auto axis = axes.row(k);
    for (size_t c = 0; c < columns; ++c) axis[c] = vectors(c, wide ? k : columns - 1 - k);
    const double largest = *std::ranges::max_element(axis, {}, [](double part) { return std::abs(part); });
    if (largest < 0)
      for (double& part : axis) part = -part;
  }
  return axes;
}

Matrix<double> along(MatrixView<const double> rows, MatrixView<const double> axes) {
  Matrix<double> places(rows.rows(), axes.rows());
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t k = 0; k < axes.rows(); ++k)
      places(r, k) = std::inner_product(rows.row(r).begin(), rows.row(r).end(), axes.row(k).begin(), 0.0);
  return places;
}

}  // namespace kedge
