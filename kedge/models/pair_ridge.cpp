#include "kedge/models/pair_ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/linear_algebra.h"
#include "kedge/models/pair_trials.h"

namespace kedge {
namespace {

constexpr uint64_t pair_seed = 0;

/// How many pairs are taken: as many as make so many products of two terms, in these limits.
struct PairLimits {
  size_t fewest, most;
  double products;

  size_t pairs(size_t terms) const {
    return std::clamp(static_cast<size_t>(products / static_cast<double>(terms * terms)), fewest, most);
  }
};
constexpr PairLimits fit_limits{2000, 20000, 5e8}, trial_limits{1000, 5000, 1e8};
constexpr size_t most_terms = 600;
constexpr size_t penalty_count = 13;
constexpr size_t usual_penalty = 4;    // where no rows can be held out
constexpr double sharpness = 3;        // a candidate counts by this power of one over its mean squared error
constexpr double least_error = 1e-14;  // below it errors are those of floats

/// The first that a program has and that comes to few enough terms is taken, with those of lower degrees.
struct Rung {
  PairForm form;
  size_t most_terms;
};
constexpr Rung ladder[] = {{{PairTermKind::free, 4}, 300},
                           {{PairTermKind::free, 3}, 300},
                           {{PairTermKind::change, 3}, 300},
                           {{PairTermKind::change, 2}, most_terms},
                           {{PairTermKind::power, 2}, most_terms}};
/// Each further factor of a term makes it so much smaller, which penalizes more what bends more.
constexpr double order_scale = 0.1;

double penalty_at(size_t i) { return std::pow(10.0, static_cast<double>(i) - 10); }

PairForm widest_form(const Program& program) {
  for (const Rung& rung : ladder)
    if (PairTerms::count(program, rung.form) <= rung.most_terms) return rung.form;
  return {PairTermKind::power, 1};
}

/// A ridge regression that is solved for any penalty.
class Ridge {
 public:
  explicit Ridge(const PairMoments& moments) {
    auto [values, vectors] = eigenvectors(moments.gram);
    for (double& value : values) {
      value = std::max(value, 0.0);
      total_ += value;
    }
    projected_ = transposed_product(vectors, moments.changes);
    values_ = std::move(values);
    vectors_ = std::move(vectors);
  }

  const Matrix<double>& vectors() const { return vectors_; }
  /// The weights along the eigenvectors.
  Matrix<double> coordinates(double penalty) const {
    std::vector<double> factors;
    for (double value : values_) factors.push_back(total_ > 0 ? 1 / (value + penalty * total_) : 0);
    Matrix<double> scaled = projected_;
    scale_rows(scaled, factors);
    return scaled;
  }

 private:
  std::vector<double> values_;
  Matrix<double> vectors_, projected_;
  double total_ = 0;
};

/// One way to fit: some of the terms, each with its factor.
struct Candidate {
  std::vector<size_t> terms;
  std::vector<double> factors;

  Ridge ridge(const PairMoments& all) const {
    PairMoments own = all;
    own.gram = Matrix<double>(terms.size(), terms.size());
    own.changes = Matrix<double>(terms.size(), all.changes.cols());
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = 0; j < terms.size(); ++j)
        own.gram(i, j) = factors[i] * factors[j] * all.gram(terms[i], terms[j]);
      for (size_t k = 0; k < own.changes.cols(); ++k)
        own.changes(i, k) = factors[i] * all.changes(terms[i], k);
    }
    return Ridge(own);
  }

  Matrix<double> of(const Matrix<double>& all) const {
    Matrix<double> own(all.rows(), terms.size());
    for (size_t r = 0; r < own.rows(); ++r)
      for (size_t i = 0; i < terms.size(); ++i) own(r, i) = factors[i] * all(r, terms[i]);
    return own;
  }
};

/// From the simplest; each takes all terms of those before it.
std::vector<Candidate> candidates(const PairTerms& terms, size_t most_degree) {
  std::vector<Candidate> found(most_degree);
  for (size_t degree = 1; degree <= most_degree; ++degree) {
    for (size_t t = 0; t < terms.size(); ++t) {
      if (terms[t].degree() > degree) continue;
      found[degree - 1].terms.push_back(t);
      found[degree - 1].factors.push_back(std::pow(order_scale, static_cast<double>(terms[t].degree() - 1)));
    }
  }
  return found;
}

/// Logarithms of mean squared errors by penalty, mean over trials.
std::vector<double> log_errors(const Candidate& candidate, const std::vector<PairTrial>& trials) {
  std::vector<double> errors(penalty_count);
  for (const PairTrial& trial : trials) {
    const Ridge ridge = candidate.ridge(trial.fitted);
    const Matrix<double> asked = product(candidate.of(trial.terms), ridge.vectors());
    for (size_t i = 0; i < penalty_count; ++i) {
      const Matrix<double> answers = product(asked, ridge.coordinates(penalty_at(i)));
      double squares = 0, total = 0;
      for (size_t r = 0; r < answers.rows(); ++r) {
        for (size_t k = 0; k < answers.cols(); ++k) {
          const double e = answers(r, k) - trial.changes(r, k);
          squares += trial.weights[r] * (e * e);
          total += trial.weights[r];
        }
      }
      const double error = squares / total;
      errors[i] += std::log(std::max(error, least_error)) / static_cast<double>(trials.size());
    }
  }
  return errors;
}

/// How much each candidate counts with each penalty, one row for each; they add up to 1.
Matrix<double> shares(const std::vector<Candidate>& tried, const PairTrials& trials,
                      const StopCheck& stop_check) {
  Matrix<double> share(tried.size(), penalty_count);
  double least = std::numeric_limits<double>::infinity(), total = 0;
  for (size_t c = 0; c < tried.size(); ++c) {
    check_stop(stop_check);
    const std::vector<double> inside = log_errors(tried[c], trials.inside),
                              outside = log_errors(tried[c], trials.outside);
    for (size_t i = 0; i < penalty_count; ++i) {
      share(c, i) = (inside[i] + outside[i]) / 2;
      least = std::min(least, share(c, i));
    }
  }
  for (size_t c = 0; c < tried.size(); ++c)
    for (double& one : share.row(c)) total += one = std::exp(-sharpness * (one - least));
  for (size_t c = 0; c < tried.size(); ++c)
    for (double& one : share.row(c)) one /= total;
  return share;
}

PairDesign design_of(const PairTerms& terms, const EncodedRows& rows, std::vector<Pair> pairs,
                     const StopCheck& stop_check) {
  PairDesign design;
  design.pairs = std::move(pairs);
  design.terms = terms.design(rows, design.pairs, stop_check);
  design.changes = Matrix<double>(design.pairs.size(), rows.outputs.cols());
  for (size_t p = 0; p < design.pairs.size(); ++p)
    for (size_t k = 0; k < rows.outputs.cols(); ++k)
      design.changes(p, k) = static_cast<double>(rows.outputs(design.pairs[p].query, k)) -
                             static_cast<double>(rows.outputs(design.pairs[p].anchor, k));
  return design;
}

/// By row; empty where rows count alike.
std::vector<double> row_weights_of(const PairSampler& sampler) {
  const PairTables tables = sampler.tables();
  std::vector<double> weights;
  if (tables.before.empty()) return weights;
  for (uint32_t place : tables.place)
    weights.push_back(static_cast<double>(tables.before[place + 1] - tables.before[place]));
  return weights;
}

/// Adds what a candidate contributes.
void add_weights(const Candidate& candidate, const PairMoments& moments, std::span<const double> share,
                 Matrix<double>& weights) {
  const Ridge ridge = candidate.ridge(moments);
  for (size_t i = 0; i < penalty_count; ++i) {
    if (share[i] == 0) continue;
    const Matrix<double> own = product(ridge.vectors(), ridge.coordinates(penalty_at(i)));
    for (size_t t = 0; t < own.rows(); ++t)
      for (size_t k = 0; k < own.cols(); ++k)
        weights(candidate.terms[t], k) += share[i] * candidate.factors[t] * own(t, k);
  }
}

}  // namespace

Matrix<double> pair_ridge_weights(MatrixView<const double> terms, MatrixView<const double> changes,
                                  double penalty) {
  const Ridge ridge(PairMoments(terms, changes));
  return product(ridge.vectors(), ridge.coordinates(penalty));
}

double pair_ridge_products(const Program& program) {
  const size_t terms = PairTerms::count(program, widest_form(program));
  const auto width = static_cast<double>(terms);
  const double trials = 11, decompositions = 10 * width;
  return width * width *
         (static_cast<double>(fit_limits.pairs(terms)) +
          trials * (static_cast<double>(trial_limits.pairs(terms)) + decompositions));
}

std::vector<float> solve_pair_ridge(const Program& program, const EncodedRows& rows,
                                    const PairSampler& sampler, const StopCheck& stop_check) {
  const PairForm form = widest_form(program);
  const PairTerms terms(program, form);
  if (terms.size() > most_terms)
    throw Error("fit",
                fmt::format("a closed-form fit of pairs needs at most {} features; found {}; drop columns "
                            "or take another model",
                            most_terms, terms.size()));
  const auto design_with = [&](size_t pairs) {
    PairDesign design = design_of(terms, rows, draw_pool(sampler, pairs, pair_seed, stop_check), stop_check);
    design.weights = sampler.pool_weights(design.pairs);
    design.row_weights = row_weights_of(sampler);
    return design;
  };
  const PairTrials trials(rows, design_with(trial_limits.pairs(terms.size())), stop_check);
  const PairDesign design = design_with(fit_limits.pairs(terms.size()));
  const PairMoments moments(design.terms, design.changes, design.weights);
  const std::vector<Candidate> tried = candidates(terms, form.degree);
  Matrix<double> weights(terms.size(), rows.outputs.cols());
  if (trials.inside.empty() || trials.outside.empty()) {
    std::vector<double> share(penalty_count);
    share[usual_penalty] = 1;
    add_weights(tried.front(), moments, share, weights);
    return terms.parameters(weights);
  }
  const Matrix<double> share = shares(tried, trials, stop_check);
  for (size_t c = 0; c < tried.size(); ++c) {
    check_stop(stop_check);
    add_weights(tried[c], moments, share.row(c), weights);
  }
  return terms.parameters(weights);
}

}  // namespace kedge
