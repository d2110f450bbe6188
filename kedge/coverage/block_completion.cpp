#include "kedge/coverage/block_completion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"

namespace kedge {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error("complete", why); }

void require_finite(const char* name, MatrixView<const double> m) {
  for (size_t r = 0; r < m.rows(); ++r)
    for (size_t c = 0; c < m.cols(); ++c)
      if (!std::isfinite(m(r, c)))
        refuse(fmt::format("{} needs finite numbers; found {} in row {}, column {}", name, m(r, c), r, c));
}

void require_fitting(MatrixView<const double> m11, MatrixView<const double> m12,
                     MatrixView<const double> m21) {
  for (const auto& [name, m] : {std::pair{"M11", m11}, {"M12", m12}, {"M21", m21}})
    if (m.rows() == 0 || m.cols() == 0)
      refuse(fmt::format("{} needs rows and columns; found {} x {}", name, m.rows(), m.cols()));
  if (m12.rows() != m11.rows())
    refuse(fmt::format("M12 needs the {} rows of M11; found {}", m11.rows(), m12.rows()));
  if (m21.cols() != m11.cols())
    refuse(fmt::format("M21 needs the {} columns of M11; found {}", m11.cols(), m21.cols()));
  require_finite("M11", m11);
  require_finite("M12", m12);
  require_finite("M21", m21);
}

double norm(MatrixView<const double> m) {
  double squares = 0;
  for (size_t r = 0; r < m.rows(); ++r)
    for (double x : m.row(r)) squares += x * x;
  return std::sqrt(squares);
}

size_t chosen_rank(const std::vector<double>& sigma, const BlockCompletionOptions& options, double rounding) {
  if (!(options.tolerance >= 0) || options.tolerance >= 1)
    refuse(fmt::format("the tolerance needs to be at least 0 and below 1; found {}", options.tolerance));
  const auto above = [&](double tolerance) {
    return static_cast<size_t>(
        std::count_if(sigma.begin(), sigma.end(), [&](double s) { return s > tolerance * sigma[0]; }));
  };
  const size_t there = above(rounding);
  if (there == 0) refuse("M11 needs a rank of at least 1; found all zeros; take other rows or columns");
  if (!options.rank) return std::min(there, above(options.tolerance));
  if (*options.rank == 0 || *options.rank > there)
    refuse(fmt::format("the rank needs to be 1 to {}, what M11 has; found {}", there, *options.rank));
  return *options.rank;
}

}  // namespace

double BlockCompletion::error_bound(double epsilon) const {
  if (!(epsilon >= 0) || !std::isfinite(epsilon))
    refuse(fmt::format("the noise needs to be finite and not negative; found {}", epsilon));
  const double least = sigma() - epsilon, most = norm + epsilon;
  if (epsilon > least / 2) return std::numeric_limits<double>::infinity();
  const double ratio = most / least;
  return 8 * epsilon * ratio * ratio;
}

BlockCompletion complete_block(MatrixView<const double> m11, MatrixView<const double> m12,
                               MatrixView<const double> m21, const BlockCompletionOptions& options) {
  require_fitting(m11, m12, m21);
  SingularVectors svd = singular_vectors(m11);
  BlockCompletion out;
  out.singular_values = svd.values;
  const double rounding =
      static_cast<double>(std::max(m11.rows(), m11.cols())) * std::numeric_limits<double>::epsilon();
  out.rank = chosen_rank(out.singular_values, options, rounding);
  out.norm = std::max({norm(m11), norm(m12), norm(m21)});

  std::vector<double> inverse(out.rank);
  for (size_t i = 0; i < out.rank; ++i) inverse[i] = 1 / svd.values[i];
  Matrix<double> left = product(m21, first_columns(svd.v, out.rank));
  scale_columns(left, inverse);
  out.m22 = product(left, transposed_product(first_columns(svd.u, out.rank), m12));
  return out;
}

}  // namespace kedge
