#include "kedge/models/pair_terms.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <set>

namespace kedge {
namespace {

constexpr size_t pairs_between_checks = 1 << 12;

std::vector<Monomial> monomials(const Program& program, int value) {
  std::vector<Monomial> found;
  const bool is_input = value < input_count;
  const Op& op = program.ops()[static_cast<size_t>(is_input ? 0 : value - input_count)];
  if (is_input || op.kind == OpKind::subtract) {
    for (int f = 0; f < program.width(value); ++f) found.push_back({f});
    return found;
  }
  const std::vector<Monomial> read = monomials(program, op.from[0]);
  if (op.kind == OpKind::select) {
    for (int column : op.columns) found.push_back(read[static_cast<size_t>(column)]);
    return found;
  }
  assert(op.kind == OpKind::quadratic);
  found = read;
  for (size_t p = 0; p < read.size(); ++p) {
    for (size_t q = p; q < read.size(); ++q) {
      Monomial both;
      std::merge(read[p].begin(), read[p].end(), read[q].begin(), read[q].end(), std::back_inserter(both));
      found.push_back(std::move(both));
    }
  }
  return found;
}

/// What the two operands of the product are made of, for one output; that of the bias is last.
struct Factors {
  std::vector<Monomial> phi, source;
};

Factors factors_of(const Program& program) {
  const auto product = std::find_if(program.ops().begin(), program.ops().end(),
                                    [](const Op& op) { return op.kind == OpKind::bilinear; });
  assert(product != program.ops().end());
  const Op& dense = program.ops()[static_cast<size_t>(product->from[1] - input_count)];
  assert(dense.kind == OpKind::dense);
  Factors factors{monomials(program, product->from[0]), monomials(program, dense.from[0])};
  factors.phi.resize(factors.phi.size() / static_cast<size_t>(program.outputs()));
  factors.source.emplace_back();
  return factors;
}

/// Numbers of those that are of at most this degree, and not equal to one before.
std::vector<int> distinct(const std::vector<Monomial>& monomials, size_t degree) {
  std::vector<int> found;
  std::set<Monomial> seen;
  for (size_t m = 0; m < monomials.size(); ++m)
    if (monomials[m].size() <= degree && seen.insert(monomials[m]).second)
      found.push_back(static_cast<int>(m));
  return found;
}

template <class Visit>
void for_each_term(const Factors& factors, const PairForm& form, Visit visit) {
  const std::vector<int> sources = distinct(factors.source, form.anchor);
  for (int q : distinct(factors.phi, form.delta)) {
    const Monomial& delta = factors.phi[static_cast<size_t>(q)];
    for (int c : sources) {
      const Monomial& anchor = factors.source[static_cast<size_t>(c)];
      if (delta.size() + anchor.size() <= form.both)
        visit(PairTerm{delta, anchor, static_cast<size_t>(q), static_cast<size_t>(c)});
    }
  }
}

double value_of(const Monomial& monomial, const float* features) {
  double value = 1;
  for (int f : monomial) value *= static_cast<double>(features[f]);
  return value;
}

}  // namespace

std::vector<int> distinct_products(const Program& program, int value, size_t degree) {
  return distinct(monomials(program, value), degree);
}

PairTerms::PairTerms(const Program& program, const PairForm& form) : parameters_(program.parameters()) {
  const Factors factors = factors_of(program);
  embedded_ = factors.phi.size();
  read_ = factors.source.size() - 1;
  for_each_term(factors, form, [&](PairTerm&& term) { terms_.push_back(std::move(term)); });
}

size_t PairTerms::count(const Program& program, const PairForm& form) {
  size_t count = 0;
  for_each_term(factors_of(program), form, [&](const PairTerm&) { ++count; });
  return count;
}

Matrix<double> PairTerms::design(const EncodedRows& rows, std::span<const Pair> pairs,
                                 const StopCheck& stop_check) const {
  Matrix<double> x(pairs.size(), terms_.size());
  std::vector<float> delta(rows.features.cols());
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (p % pairs_between_checks == 0) check_stop(stop_check);
    const std::span<const float> query = rows.features.row(pairs[p].query),
                                 anchor = rows.features.row(pairs[p].anchor);
    std::transform(query.begin(), query.end(), anchor.begin(), delta.begin(), std::minus<float>());
    for (size_t t = 0; t < terms_.size(); ++t)
      x(p, t) = value_of(terms_[t].delta, delta.data()) * value_of(terms_[t].anchor, anchor.data());
  }
  return x;
}

std::vector<float> PairTerms::parameters(MatrixView<const double> weights) const {
  std::vector<float> parameters(parameters_);
  const size_t biases = weights.cols() * embedded_ * read_;
  for (size_t t = 0; t < terms_.size(); ++t) {
    const PairTerm& term = terms_[t];
    for (size_t k = 0; k < weights.cols(); ++k) {
      const size_t unit = k * embedded_ + term.embedded;
      parameters[term.read == read_ ? biases + unit : unit * read_ + term.read] =
          static_cast<float>(weights(t, k));
    }
  }
  return parameters;
}

}  // namespace kedge
