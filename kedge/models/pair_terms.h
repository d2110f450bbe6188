#pragma once

// What a bilinear product with one dense op is linear in: for each pair a list of terms, made of products of
// features of the difference times products of features of the anchor.

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

enum class PairTermKind {
  free,    ///< one product of difference and anchor
  change,  ///< the change of a product of inputs from anchor to query: several products, one weight
  power,   ///< the change of a power of one input
};

/// All terms of a kind up to a degree.
struct PairForm {
  PairTermKind kind = PairTermKind::free;
  size_t degree = 1;
};

/// A product, and which parameter it has in a program.
struct PairProduct {
  Monomial delta, anchor;
  size_t embedded = 0;  ///< its number of those that the product's first operand has for one output
  size_t read = 0;      ///< its number of those that the dense op reads; as many as there are: the bias
};

struct PairTerm {
  std::vector<PairProduct> products;  ///< added up

  size_t degree() const { return products.front().delta.size() + products.front().anchor.size(); }
};

/// Terms of a program <phi(query - anchor), W source(anchor) + b>, alone or with the anchor's output added.
/// The difference is that of features. phi and the source are made of `quadratic` and `select`. Of equal
/// products of features the first is taken.
class PairTerms {
 public:
  PairTerms(const Program& program, const PairForm& form);
  /// How many there would be; `none` where the program lacks the products of one.
  static size_t count(const Program& program, const PairForm& form);
  static constexpr size_t none = static_cast<size_t>(-1);

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
