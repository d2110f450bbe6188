#pragma once

// The theorem's quantities: what the paper's guarantee (thm:main, prop:extrap) says of one fitted product
// h(d, x') = <f(d), g(x')>, output by output, measured on a sample of training pairs.
//
//   R       training risk: mean square of h - h* over training pairs, h* the known answer
//   s_i     singular values of h as an operator between independent differences and anchors: those of
//           E[f f^T]^(1/2) E[g g^T]^(1/2). They do not change when f is doubled and g halved.
//   rank    how many s_i are above both tolerance * s_1 and sqrt(R). By Weyl's inequality a singular value
//           below the error itself may be zero in h*: what lies there is not known to be structure.
//   D1 ...  distributions of differences and anchors, and kappa: see DensityRatio
//   sigma   of p-dimensional embeddings, over D1 and E1: the least eigenvalues of E[f f^T] and E[g g^T]
//   M       M^2 is the greatest E h^2 over the four blocks (the paper's weaker condition)
//
//     if R <= sigma^2 / (4 kappa)  then  test risk <= R kappa^2 (1 + 64 M^4 / sigma^4)
//
// Three readings of sigma^2 and p are given, because they differ:
//
//   printed    thm:main to the letter: p is the embedding's size, sigma^2 the lesser of the two eigenvalues.
//              It changes when f is doubled and g halved, which h does not; and trained embeddings of 32
//              numbers hardly fill them, so sigma is close to 0 and the bound empty.
//   full       prop:extrap, which thm:main rests on: the same p, sigma^2 the product of the two eigenvalues
//   effective  prop:extrap for p = rank, on the best approximation of h of that rank, whose own risk is used;
//              it differs from h by `tail` in root mean square over independent differences and anchors
//
// The learned f and g stand in for the true ones, the sample for the distributions, and cells for kappa: this
// is an estimate of the guarantee, not a certificate.

#include <cstddef>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct TheoremBound {
  size_t p = 0;
  double sigma_squared = 0;
  double risk = 0;       ///< R, of what the bound is about
  double test_risk = 0;  ///< the bound; infinite when sigma is 0 or kappa infinite
  bool premise = false;  ///< whether R <= sigma^2 / (4 kappa); when not, the bound says nothing
};

struct OutputTheorem {
  size_t embedding = 0;  ///< numbers in f and in g
  size_t rank = 0;
  std::vector<double> singular_values;  ///< s_1, s_2, ...: as many as the embedding has numbers
  double tail = 0;                      ///< root of the sum of squares of those after `rank`
  double sigma_f = 0, sigma_g = 0;      ///< least eigenvalues of E[f f^T] over D1 and E[g g^T] over E1
  double m = 0;
  double risk = 0;
  TheoremBound printed, full, effective;
};

struct TheoremQuantities {
  size_t pairs = 0;  ///< training pairs measured on
  double kappa = 0;
  double unseen = 0;  ///< share of the test whose difference or anchor was never seen; kappa is infinite
  double new_together = 0;  ///< share of the test in combinations never seen together
  double covered =
      0;  ///< without queries: share of all combinations that the bound speaks of; 1 with queries
  std::vector<OutputTheorem> outputs;
};

/// One row per training pair; test rows may be absent, then see CoveredBlock.
struct TheoremSample {
  size_t outputs = 1;
  MatrixView<const double> f, g;                ///< outputs * embedding columns, output by output
  MatrixView<const double> target;              ///< h*, one column per output
  MatrixView<const double> difference, anchor;  ///< what f and g read: cells are made of these
  MatrixView<const double> test_difference = {}, test_anchor = {};
};

struct TheoremOptions {
  double tolerance = 1e-3;
};

/// Throws Error when there are no rows, shapes do not fit or a number is not finite.
TheoremQuantities theorem_quantities(const TheoremSample& sample, const TheoremOptions& options = {});

}  // namespace kedge
