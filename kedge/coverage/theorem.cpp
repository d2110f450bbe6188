#include "kedge/coverage/theorem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/coverage/sampled_blocks.h"

namespace kedge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr size_t tile_rows = 256;

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

// <f, g> of each pair.
std::vector<double> products(const Matrix<double>& f, const Matrix<double>& g) {
  std::vector<double> h(f.rows());
  for (size_t r = 0; r < h.size(); ++r) h[r] = inner_product(f.row(r), g.row(r));
  return h;
}

double mean_squared_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (size_t r = 0; r < a.size(); ++r) squares += (a[r] - b[r]) * (a[r] - b[r]);
  return squares / static_cast<double>(a.size());
}

double greatest_magnitude(std::span<const double> numbers) {
  double greatest = 0;
  for (double x : numbers) greatest = std::max(greatest, std::abs(x));
  return greatest;
}

// Rows that weigh anything in either distribution.
Matrix<double> weighed(const Matrix<double>& rows, const std::array<std::vector<double>, 2>& weights) {
  std::vector<double> kept;
  for (size_t r = 0; r < rows.rows(); ++r)
    if (weights[0][r] > 0 || weights[1][r] > 0)
      kept.insert(kept.end(), rows.row(r).begin(), rows.row(r).end());
  const size_t count = kept.size() / rows.cols();
  return {count, rows.cols(), std::move(kept)};
}

// The greatest |<f, g>| over all combinations of rows.
double greatest_product(const Matrix<double>& f, const Matrix<double>& g) {
  double greatest = 0;
  for (size_t begin = 0; begin < f.rows(); begin += tile_rows) {
    const MatrixView<const double> tile(&f(begin, 0), std::min(tile_rows, f.rows() - begin), f.cols());
    greatest = std::max(greatest, greatest_magnitude(product_transposed(tile, g).values()));
  }
  return greatest;
}

TheoremBound bound_for(size_t p, double sigma_squared, double risk, double m, double kappa) {
  TheoremBound bound{.p = p, .m = m, .sigma_squared = sigma_squared, .risk = risk, .test_risk = infinity};
  if (!(sigma_squared > 0) || std::isinf(kappa)) return bound;
  const double ratio = m * m / sigma_squared;
  bound.test_risk = risk * kappa * kappa * (1 + 64 * ratio * ratio);
  bound.premise = risk <= sigma_squared / (4 * kappa);
  return bound;
}

ClippedBound clipped_bound(const TheoremBound& full, double m, double kappa,
                           const std::vector<double>& predictions) {
  ClippedBound bound{.m = m, .limit = std::sqrt(6.0) * m, .test_risk = infinity};
  bound.changed = static_cast<size_t>(std::count_if(predictions.begin(), predictions.end(),
                                                    [&](double h) { return std::abs(h) > bound.limit; }));
  if (std::isinf(kappa)) return bound;
  bound.test_risk = (m + bound.limit) * (m + bound.limit);
  if (full.premise) bound.test_risk = std::min(bound.test_risk, full.test_risk);
  return bound;
}

// The best approximation of h of rank p, as a product of its own: over all pairs both of its embeddings have
// second moment diag(s_1, ..., s_p).
struct Approximation {
  Matrix<double> to_f, to_g;  // what f and g are multiplied by
};

Approximation approximation(size_t p, const SingularVectors& h, const Matrix<double>& root_f,
                            const Matrix<double>& root_g) {
  std::vector<double> scale(p);
  for (size_t i = 0; i < p; ++i) scale[i] = 1 / std::sqrt(h.values[i]);
  Approximation out{product(root_g, first_columns(h.v, p)), product(root_f, first_columns(h.u, p))};
  scale_columns(out.to_f, scale);
  scale_columns(out.to_g, scale);
  return out;
}

// The least eigenvalue of a second moment after a change of basis.
double least_eigenvalue_in(const Matrix<double>& basis, const Matrix<double>& moment) {
  return least_eigenvalue(product(transposed_product(basis, moment), basis));
}

OutputTheorem quantities_of(const Matrix<double>& f, const Matrix<double>& g,
                            const std::vector<double>& target, const SampledBlocks& blocks,
                            double tolerance) {
  const double kappa = blocks.ratio.kappa;
  const std::vector<double> predictions = products(f, g),
                            uniform(f.rows(), 1 / static_cast<double>(f.rows()));
  OutputTheorem out;
  out.embedding = f.cols();
  out.risk = mean_squared_difference(predictions, target);
  out.in_support = std::isinf(blocks.in_support.kappa) ? infinity : blocks.in_support.kappa * out.risk;
  const Matrix<double> root_f = square_root(second_moment(f, uniform)),
                       root_g = square_root(second_moment(g, uniform));
  const SingularVectors h = singular_vectors(product(root_f, root_g));
  const std::span<const double> s = out.singular_values = h.values;
  const double cutoff = std::max(tolerance * s[0], std::sqrt(out.risk));
  out.rank = static_cast<size_t>(std::count_if(s.begin(), s.end(), [&](double x) { return x > cutoff; }));
  const std::span<const double> tail = s.subspan(out.rank);
  out.tail = std::sqrt(inner_product(tail, tail));

  const Matrix<double> f_moments[2] = {second_moment(f, blocks.differences[0]),
                                       second_moment(f, blocks.differences[1])};
  const Matrix<double> g_moments[2] = {second_moment(g, blocks.anchors[0]),
                                       second_moment(g, blocks.anchors[1])};
  double m_squared = 0;  // E <f, g>^2 of independent f and g is the trace of the product of their moments
  for (const Matrix<double>& a : f_moments)
    for (const Matrix<double>& b : g_moments)
      m_squared = std::max(m_squared, inner_product(a.values(), b.values()));
  out.m = std::sqrt(m_squared);
  const double greatest_answer = greatest_magnitude(target);
  out.supremum =
      std::max(greatest_answer, greatest_product(weighed(f, blocks.differences), weighed(g, blocks.anchors)));
  out.sigma_f = least_eigenvalue(f_moments[0]);
  out.sigma_g = least_eigenvalue(g_moments[0]);
  out.full = bound_for(out.embedding, out.sigma_f * out.sigma_g, out.risk, out.m, kappa);
  out.clipped = clipped_bound(out.full, greatest_answer, kappa, predictions);
  if (out.rank == 0) {
    out.effective = bound_for(0, 0, out.risk, out.m, kappa);
    return out;
  }
  const auto [to_f, to_g] = approximation(out.rank, h, root_f, root_g);
  out.effective =
      bound_for(out.rank, least_eigenvalue_in(to_f, f_moments[0]) * least_eigenvalue_in(to_g, g_moments[0]),
                mean_squared_difference(products(product(f, to_f), product(g, to_g)), target), out.m, kappa);
  return out;
}

// Theorem 1 to the letter, of all outputs together.
void add_printed(TheoremQuantities& all) {
  double risk = 0, m = 0, sigma_squared = infinity;
  for (const OutputTheorem& output : all.outputs) {
    risk += output.risk;
    m = std::max(m, output.supremum);
    sigma_squared = std::min({sigma_squared, output.sigma_f, output.sigma_g});
  }
  all.printed = bound_for(all.outputs[0].embedding, sigma_squared, risk, m, all.kappa);
  all.printed_follows = std::all_of(all.outputs.begin(), all.outputs.end(), [&](const OutputTheorem& output) {
    return output.sigma_f * output.sigma_g >= sigma_squared;
  });
}

}  // namespace

TheoremQuantities theorem_quantities(const TheoremSample& sample, const TheoremOptions& options) {
  check(sample, options);
  const size_t n = sample.f.rows(), size = sample.f.cols() / sample.outputs;
  const SampledBlocks blocks = sampled_blocks(sample);
  TheoremQuantities out;
  out.pairs = n;
  out.kappa = blocks.ratio.kappa;
  out.unseen = blocks.ratio.unseen;
  out.new_together = blocks.ratio.new_together;
  out.covered = blocks.covered;
  out.in_support = blocks.in_support;
  for (size_t k = 0; k < sample.outputs; ++k) {
    std::vector<double> target(n);
    for (size_t r = 0; r < n; ++r) target[r] = sample.target(r, k);
    out.outputs.push_back(quantities_of(segment(sample.f, k, size), segment(sample.g, k, size), target,
                                        blocks, options.tolerance));
  }
  add_printed(out);
  return out;
}

}  // namespace kedge
