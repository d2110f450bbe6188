#pragma once

// The theorem's quantities: what the paper's guarantees (theorems 1 and 2, lemma B.1) say of one fitted
// product h(d, x') = <f(d), g(x')>, measured on a sample of training pairs.
//
//   R       training risk: mean square of h - h* over training pairs, h* the known answer
//   s_i     singular values of h as an operator between independent differences and anchors: those of
//           E[f f^T]^(1/2) E[g g^T]^(1/2). They do not change when f is doubled and g halved.
//   rank    how many s_i are above both tolerance * s_1 and sqrt(R). By Weyl's inequality a singular value
//           below the error itself may be zero in h*: what lies there is not known to be structure.
//   D1 ...  distributions of differences and anchors, and kappa: see DensityRatio
//   sigma   of p-dimensional embeddings, over D1 and E1: the least eigenvalues of E[f f^T] and E[g g^T]
//   M       M^2 is the greatest E h^2 over the four blocks (the weaker condition of appendix B.4.1)
//
//     if R <= sigma^2 / (4 kappa)  then  test risk <= R kappa^2 (1 + 64 M^4 / sigma^4)
//
// Three readings of sigma^2, p and M are given, because they differ. The last two are output by output:
//
//   printed    theorem 1 to the letter, one bound for all outputs together. p is the embedding's size. R is
//              the sum of the outputs' risks. sigma^2 is the least of both eigenvalues of all outputs. M is
//              the greatest |h*| of all outputs: among the known answers, and h in its place wherever the
//              four blocks combine differences and anchors. Trained embeddings of 32 numbers hardly fill
//              them, so sigma is close to 0 and the bound empty.
//   full       theorem 2, which theorem 1 rests on: the same p, sigma^2 the product of the two eigenvalues
//   effective  theorem 2 for p = rank, on the best approximation of h of that rank, whose own risk is used;
//              it differs from h by `tail` in root mean square over independent differences and anchors
//
// Theorem 1 does not always follow from theorem 2. Its proof takes the lesser eigenvalue for their product,
// which is right only where the greater one is at least 1. Elsewhere it can be false: multiply f and g by c,
// and R grows by c^4, but sigma^2 by c^2 only. `printed_follows` says whether the sample is in the first
// case.
//
// Two more bounds need no premise:
//
//   in support  lemma B.1: test risk <= kappa R, where Test <= kappa Train, the plain ratio. Nothing is asked
//               of h, so it holds for any model; but it speaks of combinations seen together alone. The test
//               is that of the queries. Without queries it is independent differences and anchors, limited
//               to cells that hold training pairs.
//   clipped     appendix B.4.1: h clipped to |h| <= sqrt(6) M, where M is the greatest known |h*|. If no true
//               answer of the test is greater, then clipping makes no error larger and every error is at
//               most (1 + sqrt(6)) M. So the test risk is at most (1 + sqrt(6))^2 M^2 = 11.9 M^2, and at
//               most `full` where its premise holds. R stays that of h: clipping does not keep the rank.
//
// The remark in the paper states more simply that R kappa^2 (1 + 64 M^4 / sigma^4) then holds without its
// premise. Of theorem 2 that is true, and no larger constant is needed: its sigma is never above M, so where
// the premise fails the bound is above 16.25 kappa M^2. The 6 M^2 that the remark compares with would not do,
// since an error can reach 11.9 M^2.
//
// The learned f and g stand in for the true ones, the sample for the distributions, and cells for kappa: this
// is an estimate of the guarantee, not a certificate.

#include <cstddef>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct TheoremBound {
  size_t p = 0;
  double m = 0;  ///< M
  double sigma_squared = 0;
  double risk = 0;       ///< R, of what the bound is about
  double test_risk = 0;  ///< the bound; infinite when sigma is 0 or kappa infinite
  bool premise = false;  ///< whether R <= sigma^2 / (4 kappa); when not, the bound says nothing
};

struct ClippedBound {
  double m = 0;          ///< the greatest known |h*|
  double limit = 0;      ///< predictions are clipped to [-limit, limit]
  size_t changed = 0;    ///< predictions of training pairs beyond the limit
  double test_risk = 0;  ///< infinite when kappa is: M says nothing of what was never seen
};

struct OutputTheorem {
  size_t embedding = 0;  ///< numbers in f and in g
  size_t rank = 0;
  std::vector<double> singular_values;  ///< s_1, s_2, ...: as many as the embedding has numbers
  double tail = 0;                      ///< root of the sum of squares of those after `rank`
  double sigma_f = 0, sigma_g = 0;      ///< least eigenvalues of E[f f^T] over D1 and E[g g^T] over E1
  double m = 0;                         ///< of `full` and `effective`
  double supremum = 0;                  ///< M of `printed`, of this output alone
  double risk = 0;
  double in_support = 0;  ///< kappa R of lemma B.1; infinite when that kappa is
  TheoremBound full, effective;
  ClippedBound clipped;
};

/// Lemma B.1.
struct InSupport {
  double kappa = 0;    ///< the plain density ratio
  double covered = 0;  ///< without queries: share of all combinations that were seen together; 1 with queries
};

struct TheoremQuantities {
  size_t pairs = 0;  ///< training pairs measured on
  double kappa = 0;
  double unseen = 0;  ///< share of the test whose difference or anchor was never seen; kappa is infinite
  double new_together = 0;  ///< share of the test in combinations never seen together
  double covered =
      0;  ///< without queries: share of all combinations that the bound speaks of; 1 with queries
  InSupport in_support;
  TheoremBound printed;
  /// Whether theorem 2 gives `printed`: for each output sigma_f sigma_g is at least sigma^2 of `printed`.
  bool printed_follows = false;
  std::vector<OutputTheorem> outputs;
};

/// One row per training pair; test rows may be absent, then see CoveredCells.
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
