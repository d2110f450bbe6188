#pragma once

// What a bilinear product with one dense op is linear in: for each pair a list of terms, each a product of
// features of the difference times a product of features of the anchor.

#include <cstddef>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/core/stop_check.h"
#include "kedge/nn/program.h"
#include "kedge/pairs/pair_features.h"

namespace kedge {

/// Features that are multiplied, in ascending order; none: the number 1.
using Monomial = std::vector<int>;

/// Of a value that is made of `quadratic` and `select`: the numbers of its features that are products of at
/// most so many inputs, each product once.
std::vector<int> distinct_products(const Program& program, int value, size_t degree);

struct PairTerm {
  Monomial delta, anchor;
  size_t embedded = 0;  ///< its number of those that the product's first operand has for one output
  size_t read = 0;      ///< its number of those that the dense op reads; as many as there are: the bias

  size_t degree() const { return delta.size() + anchor.size(); }
};

/// Which terms a fit takes: up to these degrees.
struct PairForm {
  size_t delta = 0, anchor = 0, both = 0;

  bool takes(const PairTerm& term) const {
    return term.delta.size() <= delta && term.anchor.size() <= anchor && term.degree() <= both;
  }
};

/// Terms of a program <phi(query - anchor), W source(anchor) + b>, alone or with the anchor's output added.
/// The difference is that of features. phi and the source are made of `quadratic` and `select`. Of equal
/// products of features the first is taken.
class PairTerms {
 public:
  PairTerms(const Program& program, const PairForm& form);
  /// How many there would be.
  static size_t count(const Program& program, const PairForm& form);

  size_t size() const { return terms_.size(); }
  const PairTerm& operator[](size_t t) const { return terms_[t]; }

  /// Each pair's terms, one row each.
  Matrix<double> design(const EncodedRows& rows, std::span<const Pair> pairs,
                        const StopCheck& stop_check) const;
  /// Parameters of the program; `weights` has a row for each term and a column for each output.
  std::vector<float> parameters(MatrixView<const double> weights) const;

 private:
  size_t embedded_ = 0, read_ = 0, parameters_ = 0;
  std::vector<PairTerm> terms_;
};

}  // namespace kedge
