#include "kedge/models/pair_trials.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "kedge/core/linear_algebra.h"
#include "kedge/table/split.h"

namespace kedge {
namespace {

constexpr double random_part = 0.2, outer_parts[] = {0.2, 0.4};
constexpr uint64_t random_parts = 5;

Matrix<double> rows_of(const Matrix<double>& from, const std::vector<size_t>& rows) {
  Matrix<double> part(rows.size(), from.cols());
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(from.row(rows[i]).begin(), from.row(rows[i]).end(), part.row(i).begin());
  return part;
}

std::optional<PairTrial> trial_without(const std::vector<size_t>& rows, size_t all_rows,
                                       const PairDesign& design) {
  std::vector<uint8_t> is_out(all_rows);
  for (size_t r : rows) is_out[r] = 1;
  const auto weight = [&](size_t p) { return design.weights.empty() ? 1.0 : design.weights[p]; };
  std::vector<size_t> fitted, asked;
  std::vector<double> anchors(all_rows), fitted_weights;
  for (size_t p = 0; p < design.pairs.size(); ++p) {
    const Pair& pair = design.pairs[p];
    if (is_out[pair.anchor]) continue;
    (is_out[pair.query] ? asked : fitted).push_back(p);
    if (is_out[pair.query])
      anchors[pair.query] += weight(p);
    else if (!design.weights.empty())
      fitted_weights.push_back(weight(p));
  }
  if (fitted.empty() || asked.empty()) return {};
  std::vector<size_t> place(all_rows);
  std::vector<double> judging;
  for (size_t r : rows) {
    if (!(anchors[r] > 0)) continue;
    place[r] = judging.size();
    judging.push_back(design.row_weights.empty() ? 1.0 : design.row_weights[r]);
  }
  const auto means = [&](const Matrix<double>& from) {
    Matrix<double> mean(judging.size(), from.cols());
    for (size_t p : asked) {
      const size_t row = design.pairs[p].query;
      for (size_t c = 0; c < from.cols(); ++c) mean(place[row], c) += weight(p) * from(p, c) / anchors[row];
    }
    return mean;
  };
  return PairTrial{
      PairMoments(rows_of(design.terms, fitted), rows_of(design.changes, fitted), fitted_weights),
      means(design.terms), means(design.changes), judging};
}

std::vector<std::vector<size_t>> parts_at_random(size_t rows) {
  std::vector<std::vector<size_t>> parts;
  for (uint64_t seed = 0; seed < random_parts; ++seed)
    parts.push_back(random_split(rows, random_part, seed).held_out);
  return parts;
}

std::vector<std::vector<size_t>> outermost_parts(MatrixView<const float> features) {
  Matrix<double> points(features.rows(), features.cols());
  for (size_t r = 0; r < points.rows(); ++r)
    std::copy(features.row(r).begin(), features.row(r).end(), points.row(r).begin());
  std::vector<std::vector<size_t>> parts;
  for (double fraction : outer_parts) {
    parts.push_back(outer_shell(points, fraction).outside);
    for (End end : {End::low, End::high}) parts.push_back(outer_end(points, fraction, end).outside);
  }
  return parts;
}

}  // namespace

PairMoments::PairMoments(MatrixView<const double> terms, MatrixView<const double> targets,
                         std::span<const double> weights) {
  double total = static_cast<double>(terms.rows());
  if (weights.empty()) {
    gram = transposed_product(terms, terms);
    changes = transposed_product(terms, targets);
  } else {
    Matrix<double> weighted(terms.rows(), terms.cols(),
                            std::vector<double>(terms.data(), terms.data() + terms.rows() * terms.cols()));
    scale_rows(weighted, weights);
    gram = transposed_product(weighted, terms);
    changes = transposed_product(weighted, targets);
    total = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  const std::vector<double> share(terms.cols(), 1.0 / total);
  scale_rows(gram, share);
  scale_rows(changes, share);
}

PairTrials::PairTrials(const EncodedRows& rows, const PairDesign& design, const StopCheck& stop_check) {
  const auto add = [&](const std::vector<std::vector<size_t>>& parts, std::vector<PairTrial>& to) {
    for (const std::vector<size_t>& part : parts) {
      check_stop(stop_check);
      if (auto trial = trial_without(part, rows.features.rows(), design)) to.push_back(std::move(*trial));
    }
  };
  add(parts_at_random(rows.features.rows()), inside);
  add(outermost_parts(rows.features), outside);
}

}  // namespace kedge
