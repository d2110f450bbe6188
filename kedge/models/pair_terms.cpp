#include "kedge/models/pair_terms.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>

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
  int features = 0;
};

Factors factors_of(const Program& program) {
  const auto product = std::find_if(program.ops().begin(), program.ops().end(),
                                    [](const Op& op) { return op.kind == OpKind::bilinear; });
  assert(product != program.ops().end());
  const Op& dense = program.ops()[static_cast<size_t>(product->from[1] - input_count)];
  assert(dense.kind == OpKind::dense);
  Factors factors{monomials(program, product->from[0]), monomials(program, dense.from[0]),
                  program.features()};
  factors.phi.resize(factors.phi.size() / static_cast<size_t>(program.outputs()));
  factors.source.emplace_back();
  return factors;
}

/// Where each monomial is found first.
std::map<Monomial, size_t> places_of(const std::vector<Monomial>& monomials) {
  std::map<Monomial, size_t> places;
  for (size_t m = 0; m < monomials.size(); ++m) places.emplace(monomials[m], m);
  return places;
}

std::vector<PairTerm> free_terms(const Factors& factors, size_t degree) {
  std::vector<PairTerm> terms;
  const std::map<Monomial, size_t> phi = places_of(factors.phi), source = places_of(factors.source);
  for (const auto& [delta, embedded] : phi)
    for (const auto& [anchor, read] : source)
      if (delta.size() + anchor.size() <= degree) terms.push_back({{{delta, anchor, embedded, read}}});
  return terms;
}

/// Products of inputs of one degree; those of the next begin with each of these.
std::vector<Monomial> next_degree(const std::vector<Monomial>& from, int features, PairTermKind kind) {
  std::vector<Monomial> found;
  for (const Monomial& one : from) {
    const int first = one.empty() ? 0 : one.back();
    const int last = kind == PairTermKind::power && !one.empty() ? first : features - 1;
    for (int f = first; f <= last; ++f) {
      found.push_back(one);
      found.back().push_back(f);
    }
  }
  return found;
}

/// prod (d + a) - prod a, multiplied out: each factor is taken of the difference or of the anchor, not all of
/// the anchor.
PairTerm change_of(const Monomial& product, const std::map<Monomial, size_t>& phi,
                   const std::map<Monomial, size_t>& source) {
  PairTerm term;
  for (size_t taken = 1; taken < size_t{1} << product.size(); ++taken) {
    PairProduct part;
    for (size_t i = 0; i < product.size(); ++i)
      (taken >> i & 1 ? part.delta : part.anchor).push_back(product[i]);
    part.embedded = phi.at(part.delta);
    part.read = source.at(part.anchor);
    term.products.push_back(std::move(part));
  }
  return term;
}

std::vector<PairTerm> change_terms(const Factors& factors, const PairForm& form) {
  std::vector<PairTerm> terms;
  const std::map<Monomial, size_t> phi = places_of(factors.phi), source = places_of(factors.source);
  std::vector<Monomial> products = {{}};
  for (size_t degree = 1; degree <= form.degree; ++degree) {
    products = next_degree(products, factors.features, form.kind);
    for (const Monomial& product : products) terms.push_back(change_of(product, phi, source));
  }
  return terms;
}

/// How many different products there are of each degree.
std::vector<size_t> by_degree(const std::vector<Monomial>& monomials) {
  std::vector<size_t> counts;
  for (const auto& [monomial, place] : places_of(monomials)) {
    counts.resize(std::max(counts.size(), monomial.size() + 1));
    ++counts[monomial.size()];
  }
  return counts;
}

double value_of(const Monomial& monomial, const float* features) {
  double value = 1;
  for (int f : monomial) value *= static_cast<double>(features[f]);
  return value;
}

}  // namespace

std::vector<int> distinct_products(const Program& program, int value, size_t degree) {
  std::vector<int> found;
  for (const auto& [monomial, place] : places_of(monomials(program, value)))
    if (monomial.size() <= degree) found.push_back(static_cast<int>(place));
  std::sort(found.begin(), found.end());
  return found;
}

PairTerms::PairTerms(const Program& program, const PairForm& form) : parameters_(program.parameters()) {
  const Factors factors = factors_of(program);
  embedded_ = factors.phi.size();
  read_ = factors.source.size() - 1;
  terms_ = form.kind == PairTermKind::free ? free_terms(factors, form.degree) : change_terms(factors, form);
}

size_t PairTerms::count(const Program& program, const PairForm& form) {
  const Factors factors = factors_of(program);
  const std::vector<size_t> phi = by_degree(factors.phi), source = by_degree(factors.source);
  if (form.degree >= phi.size() || form.degree > source.size()) return none;
  size_t count = 0;
  if (form.kind == PairTermKind::free) {
    for (size_t d = 1; d < phi.size(); ++d)
      for (size_t a = 0; a < source.size() && a + d <= form.degree; ++a) count += phi[d] * source[a];
    return count;
  }
  const auto inputs = static_cast<size_t>(factors.features);
  size_t products = 1;
  for (size_t d = 1; d <= form.degree; ++d) {
    products = products * (inputs + d - 1) / d;
    count += form.kind == PairTermKind::power ? inputs : products;
  }
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
      for (const PairProduct& part : terms_[t].products)
        x(p, t) += value_of(part.delta, delta.data()) * value_of(part.anchor, anchor.data());
  }
  return x;
}

std::vector<float> PairTerms::parameters(MatrixView<const double> weights) const {
  std::vector<float> parameters(parameters_);
  const size_t biases = weights.cols() * embedded_ * read_;
  for (size_t t = 0; t < terms_.size(); ++t) {
    for (const PairProduct& part : terms_[t].products) {
      for (size_t k = 0; k < weights.cols(); ++k) {
        const size_t unit = k * embedded_ + part.embedded;
        parameters[part.read == read_ ? biases + unit : unit * read_ + part.read] +=
            static_cast<float>(weights(t, k));
      }
    }
  }
  return parameters;
}

}  // namespace kedge
