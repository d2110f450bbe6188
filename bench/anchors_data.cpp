#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/anchors.h"
#include "kedge/core/rng.h"

namespace kedge::bench {
namespace {

Matrix<double> gauss(size_t rows, size_t columns, Rng& rng) {
  Matrix<double> x(rows, columns);
  for (size_t i = 0; i < rows * columns; ++i) x.data()[i] = rng.normal();
  return x;
}

Matrix<double> uniform(size_t rows, size_t columns, Rng& rng) {
  Matrix<double> x(rows, columns);
  for (size_t i = 0; i < rows * columns; ++i) x.data()[i] = rng.uniform();
  return x;
}

Matrix<double> mixes(size_t rows, const Matrix<double>& vectors, Rng& rng) {
  Matrix<double> x(rows, vectors.cols());
  for (size_t i = 0; i < rows; ++i) {
    const size_t count = 2 + rng.below(3);
    double weights[4], sum = 0;
    for (size_t j = 0; j < count; ++j) sum += weights[j] = -std::log(1 - rng.uniform());
    for (size_t j = 0; j < count; ++j) {
      const size_t v = rng.below(vectors.rows());
      for (size_t c = 0; c < x.cols(); ++c) x(i, c) += weights[j] / sum * vectors(v, c);
    }
  }
  return x;
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  for (size_t i = 0; i < a.rows(); ++i)
    for (size_t k = 0; k < a.cols(); ++k)
      for (size_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

// A centroid and three axes of an object turned about z, moved in the plane, scaled.
Matrix<double> grasps(size_t rows, Rng& rng) {
  Matrix<double> x(rows, 12);
  for (size_t i = 0; i < rows; ++i) {
    const double turn = rng.uniform(0, std::numbers::pi), east = rng.uniform(), north = rng.uniform();
    const double size = rng.uniform(1, 2), c = std::cos(turn), s = std::sin(turn);
    const double row[12] = {size * (0.3 * c - 0.2 * s + east),
                            size * (0.3 * s + 0.2 * c + north),
                            size * 0.5,
                            c,
                            s,
                            0,
                            -s,
                            c,
                            0,
                            0,
                            0,
                            1};
    for (size_t j = 0; j < 12; ++j) x(i, j) = row[j] + 0.005 * rng.normal();
  }
  return x;
}

Matrix<double> latent(size_t rows, size_t columns, Rng& rng) {
  constexpr size_t numbers = 4;
  Rng fixed(7, Stream::domain);
  const Matrix<double> straight = gauss(columns, numbers, fixed), bent = gauss(columns, numbers, fixed);
  Matrix<double> x(rows, columns);
  for (size_t i = 0; i < rows; ++i) {
    double z[numbers];
    for (double& one : z) one = rng.uniform(-1, 1);
    for (size_t c = 0; c < columns; ++c) {
      double line = 0, wave = 0;
      for (size_t k = 0; k < numbers; ++k) {
        line += straight(c, k) * z[k];
        wave += bent(c, k) * z[k];
      }
      x(i, c) = line + std::sin(wave) + 0.02 * rng.normal();
    }
  }
  return x;
}

}  // namespace

AnchorTask make_task(const std::string& name, size_t rows, size_t pairs, size_t columns) {
  constexpr size_t queries = 12, vectors = 80;
  Rng rng(3, Stream::domain);
  Matrix<double> all;
  if (name == "gauss") all = gauss(rows + 2 * queries, columns, rng);
  if (name == "uniform") all = uniform(rows + 2 * queries, columns, rng);
  if (name == "grasp") all = grasps(rows + 2 * queries, rng);
  if (name == "latent") all = latent(rows + 2 * queries, columns, rng);
  if (name == "composition") all = mixes(rows + 2 * queries, gauss(vectors, columns, rng), rng);
  if (name == "correlated") {
    Matrix<double> leading = gauss(vectors, columns, rng);
    for (size_t v = 0; v < vectors; ++v)
      for (size_t c = 0; c < columns; ++c) leading(v, c) *= std::pow(0.75, static_cast<double>(c));
    all = mixes(rows + 2 * queries, product(leading, gauss(columns, columns, rng)), rng);
  }
  AnchorTask task{name, {}, Matrix<double>(queries, columns), Matrix<double>(queries, columns)};
  task.pool.space = Space::euclidean(static_cast<int>(columns));
  task.pool.points = Matrix<double>(rows, columns);
  std::copy_n(all.data(), rows * columns, task.pool.points.data());
  for (size_t c = 0; c < columns; ++c) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < rows; ++i) mean += all(i, c) / static_cast<double>(rows);
    for (size_t i = 0; i < rows; ++i) square += (all(i, c) - mean) * (all(i, c) - mean);
    task.pool.scale.push_back(std::sqrt(square / static_cast<double>(rows)));
    for (size_t q = 0; q < queries; ++q) {
      const double beyond = 1.2 + 0.3 * static_cast<double>(q) / static_cast<double>(queries - 1);
      task.inside(q, c) = all(rows + q, c);
      task.outside(q, c) = mean + beyond * (all(rows + queries + q, c) - mean);
    }
  }
  task.pool.pairs.resize(pairs);
  for (Pair& pair : task.pool.pairs)
    pair = {static_cast<uint32_t>(rng.below(rows)), static_cast<uint32_t>(rng.below(rows))};
  return task;
}

}  // namespace kedge::bench
