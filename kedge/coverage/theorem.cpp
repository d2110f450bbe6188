#include "kedge/coverage/theorem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/coverage/cells.h"
#include "kedge/coverage/density_ratio.h"

namespace kedge {
namespace {

constexpr int most_levels = 3;         // eight cells a side
constexpr size_t pairs_per_cell = 16;  // on average, before a side has more cells

void require_shape(const char* name, MatrixView<const double> m, size_t rows, size_t columns) {
  if (m.rows() != rows || m.cols() != columns)
    throw Error("theorem", fmt::format("{} needs {} rows of {} numbers; found {} of {}", name, rows, columns,
                                       m.rows(), m.cols()));
  for (size_t r = 0; r < rows; ++r)
    for (double x : m.row(r))
      if (!std::isfinite(x))
        throw Error("theorem", fmt::format("{} needs finite numbers; found {} in row {}", name, x, r));
}

void check(const TheoremSample& s, const TheoremOptions& options) {
  const size_t n = s.f.rows();
  if (n == 0 || s.outputs == 0 || s.f.cols() == 0 || s.f.cols() % s.outputs != 0)
    throw Error("theorem", fmt::format("f needs rows, and a multiple of {} columns; found {} x {}", s.outputs,
                                       n, s.f.cols()));
  if (!(options.tolerance >= 0))
    throw Error("theorem", fmt::format("the tolerance needs to be 0 or more; found {}", options.tolerance));
  require_shape("f", s.f, n, s.f.cols());
  require_shape("g", s.g, n, s.f.cols());
  require_shape("target", s.target, n, s.outputs);
  require_shape("difference", s.difference, n, s.difference.cols());
  require_shape("anchor", s.anchor, n, s.anchor.cols());
  const size_t tests = s.test_difference.rows();
  if (tests == 0 && s.test_anchor.rows() == 0) return;
  require_shape("test difference", s.test_difference, tests, s.difference.cols());
  require_shape("test anchor", s.test_anchor, tests, s.anchor.cols());
}

// Rows of one side, sorted into cells.
struct Sorted {
  Sorted(MatrixView<const double> sample, int levels) : cells(sample, levels), sizes(cells.count()) {
    for (size_t r = 0; r < sample.rows(); ++r) {
      cell.push_back(cells.of(sample.row(r)));
      ++sizes[cell.back()];
    }
  }

  // What each sampled row weighs when the cells have these masses.
  std::vector<double> weights(const std::vector<double>& masses) const {
    std::vector<double> w;
    for (const size_t c : cell) w.push_back(masses[c] / static_cast<double>(sizes[c]));
    return w;
  }

  Cells cells;
  std::vector<size_t> cell, sizes;
};

int levels_for(size_t pairs) {
  int levels = 1;
  while (levels < most_levels && (size_t{4} << (2 * levels)) * pairs_per_cell <= pairs) ++levels;
  return levels;
}

DensityRatio ratio_of(const TheoremSample& s, const Sorted& differences, const Sorted& anchors,
                      double& covered) {
  Matrix<double> train(differences.cells.count(), anchors.cells.count());
  for (size_t r = 0; r < s.f.rows(); ++r) train(differences.cell[r], anchors.cell[r]) += 1;
  if (s.test_difference.rows() == 0) {
    const CoveredBlock within = widest_block(train);
    covered = within.share;
    return density_ratio(train, within.test, 0);
  }
  covered = 1;
  Matrix<double> test(train.rows(), train.cols());
  size_t unseen = 0;
  for (size_t r = 0; r < s.test_difference.rows(); ++r) {
    const size_t a = differences.cells.of(s.test_difference.row(r)),
                 b = anchors.cells.of(s.test_anchor.row(r));
    if (a == Cells::outside || b == Cells::outside)
      ++unseen;
    else
      test(a, b) += 1;
  }
  return density_ratio(train, test,
                       static_cast<double>(unseen) / static_cast<double>(s.test_difference.rows()));
}

// f or g of one output, a row per pair.
Matrix<double> segment(MatrixView<const double> all, size_t output, size_t size) {
  Matrix<double> part(all.rows(), size);
  for (size_t r = 0; r < all.rows(); ++r)
    std::copy_n(all.row(r).begin() + static_cast<std::ptrdiff_t>(output * size), size, part.row(r).begin());
  return part;
}

Matrix<double> second_moment(const Matrix<double>& rows, const std::vector<double>& weights) {
  Matrix<double> weighted = rows;
  scale_rows(weighted, weights);
  return transposed_product(weighted, rows);
}

Matrix<double> square_root(const Matrix<double>& moment) {
  auto [values, vectors] = eigenvectors(moment);
  for (double& value : values) value = std::sqrt(std::max(value, 0.0));
  Matrix<double> scaled = vectors;
  scale_columns(scaled, values);
  return product_transposed(scaled, vectors);
}

double least_eigenvalue(const Matrix<double>& moment) { return std::max(0.0, eigenvalues(moment).front()); }

double inner_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double risk_of(const Matrix<double>& f, const Matrix<double>& g, const std::vector<double>& target) {
  double squares = 0;
  for (size_t r = 0; r < target.size(); ++r) {
    const double error = inner_product(f.row(r), g.row(r)) - target[r];
    squares += error * error;
  }
  return squares / static_cast<double>(target.size());
}

TheoremBound bound_for(size_t p, double sigma_squared, double risk, double m, double kappa) {
  TheoremBound bound{.p = p,
                     .sigma_squared = sigma_squared,
                     .risk = risk,
                     .test_risk = std::numeric_limits<double>::infinity()};
  if (!(sigma_squared > 0) || std::isinf(kappa)) return bound;
  const double ratio = m * m / sigma_squared;
  bound.test_risk = risk * kappa * kappa * (1 + 64 * ratio * ratio);
  bound.premise = risk <= sigma_squared / (4 * kappa);
  return bound;
}

// Rows of both sides as the sample has them, and as D1, D2 (E1, E2) weigh them.
struct Weights {
  std::vector<double> uniform;
  std::vector<double> differences[2], anchors[2];
};

OutputTheorem quantities_of(const Matrix<double>& f, const Matrix<double>& g,
                            const std::vector<double>& target, const Weights& w, double kappa,
                            double tolerance) {
  OutputTheorem out;
  out.embedding = f.cols();
  out.risk = risk_of(f, g, target);
  const Matrix<double> root_f = square_root(second_moment(f, w.uniform)),
                       root_g = square_root(second_moment(g, w.uniform));
  const auto [s, u, v] = singular_vectors(product(root_f, root_g));
  out.singular_values = s;
  const double cutoff = std::max(tolerance * s[0], std::sqrt(out.risk));
  out.rank = static_cast<size_t>(std::count_if(s.begin(), s.end(), [&](double x) { return x > cutoff; }));
  const size_t p = out.rank;
  const std::span<const double> tail = std::span(s).subspan(p);
  out.tail = std::sqrt(inner_product(tail, tail));

  const Matrix<double> f_moments[2] = {second_moment(f, w.differences[0]),
                                       second_moment(f, w.differences[1])};
  const Matrix<double> g_moments[2] = {second_moment(g, w.anchors[0]), second_moment(g, w.anchors[1])};
  double m_squared = 0;  // E <f, g>^2 of independent f and g is the trace of the product of their moments
  for (const Matrix<double>& a : f_moments)
    for (const Matrix<double>& b : g_moments)
      m_squared = std::max(m_squared, inner_product(a.values(), b.values()));
  out.m = std::sqrt(m_squared);
  out.sigma_f = least_eigenvalue(f_moments[0]);
  out.sigma_g = least_eigenvalue(g_moments[0]);
  out.printed = bound_for(out.embedding, std::min(out.sigma_f, out.sigma_g), out.risk, out.m, kappa);
  out.full = bound_for(out.embedding, out.sigma_f * out.sigma_g, out.risk, out.m, kappa);
  if (out.rank == 0) {
    out.effective = bound_for(0, 0, out.risk, out.m, kappa);
    return out;
  }
  // The approximation of rank p as a product of its own: over all pairs both embeddings have second moment
  // diag(s_1, ..., s_p).
  std::vector<double> scale(p);
  for (size_t i = 0; i < p; ++i) scale[i] = 1 / std::sqrt(s[i]);
  Matrix<double> to_f = product(root_g, first_columns(v, p)), to_g = product(root_f, first_columns(u, p));
  scale_columns(to_f, scale);
  scale_columns(to_g, scale);
  const double sigma_squared = least_eigenvalue(product(transposed_product(to_f, f_moments[0]), to_f)) *
                               least_eigenvalue(product(transposed_product(to_g, g_moments[0]), to_g));
  out.effective =
      bound_for(out.rank, sigma_squared, risk_of(product(f, to_f), product(g, to_g), target), out.m, kappa);
  return out;
}

}  // namespace

TheoremQuantities theorem_quantities(const TheoremSample& sample, const TheoremOptions& options) {
  check(sample, options);
  const size_t n = sample.f.rows(), size = sample.f.cols() / sample.outputs;
  const int levels = levels_for(n);
  const Sorted differences(sample.difference, levels), anchors(sample.anchor, levels);
  TheoremQuantities out;
  out.pairs = n;
  const DensityRatio ratio = ratio_of(sample, differences, anchors, out.covered);
  out.kappa = ratio.kappa;
  out.unseen = ratio.unseen;
  out.new_together = ratio.new_together;
  const Weights weights{
      .uniform = std::vector<double>(n, 1 / static_cast<double>(n)),
      .differences = {differences.weights(ratio.differences[0]), differences.weights(ratio.differences[1])},
      .anchors = {anchors.weights(ratio.anchors[0]), anchors.weights(ratio.anchors[1])}};
  for (size_t k = 0; k < sample.outputs; ++k) {
    std::vector<double> target(n);
    for (size_t r = 0; r < n; ++r) target[r] = sample.target(r, k);
    out.outputs.push_back(quantities_of(segment(sample.f, k, size), segment(sample.g, k, size), target,
                                        weights, ratio.kappa, options.tolerance));
  }
  return out;
}

}  // namespace kedge
