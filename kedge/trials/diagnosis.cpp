#include "kedge/trials/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/linear_algebra.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

constexpr double unlike = 2;  // an error so many times as large is another one

std::optional<Matrix<double>> truth_of(const Table& queries, const std::vector<std::string>& outputs) {
  for (const std::string& name : outputs)
    if (!queries.has(name)) return std::nullopt;
  return queries.matrix(outputs);
}

VerdictSummary summary_of(Verdict verdict, const Diagnosis& diagnosis) {
  const Predictions& p = diagnosis.predictions;
  VerdictSummary summary{.verdict = verdict};
  size_t known = 0;
  for (size_t r = 0; r < p.rows(); ++r) {
    if (p.verdict[r] != verdict) continue;
    ++summary.count;
    summary.support_distance += p.support_distance[r];
    summary.delta_distance += p.delta_distance[r];
    summary.spread += p.spread[r];
    summary.expected_error += p.expected_error[r];
    if (!diagnosis.errors || std::isnan((*diagnosis.errors)[r])) continue;
    summary.error += (*diagnosis.errors)[r];
    ++known;
  }
  summary.error /= static_cast<double>(known);
  // 0 / 0 is NaN: nothing to average.
  const auto count = static_cast<double>(summary.count);
  for (double* sum :
       {&summary.support_distance, &summary.delta_distance, &summary.spread, &summary.expected_error})
    *sum /= count;
  return summary;
}

/// Rows in the units of the table.
Matrix<double> rows_of(const Space& space, MatrixView<const double> points) {
  Matrix<double> rows(points.rows(), static_cast<size_t>(space.columns()));
  for (size_t r = 0; r < points.rows(); ++r) space.to_row(points.row(r), rows.row(r));
  return rows;
}

std::vector<ColumnRange> ranges_of(const Predictor& predictor, const Table& queries) {
  const Space& space = predictor.encoder().space();
  const Matrix<double> training = rows_of(space, predictor.training_points());
  std::vector<bool> has_range(predictor.inputs().size(), true);
  for (const Group& group : space.groups())
    if (group.kind == GroupKind::angle || group.kind == GroupKind::rotation)
      for (int column : group.columns) has_range[static_cast<size_t>(column)] = false;
  std::vector<ColumnRange> ranges;
  for (size_t c = 0; c < predictor.inputs().size(); ++c) {
    ColumnRange range{.name = predictor.inputs()[c], .has_range = has_range[c]};
    range.training_low = range.training_high = training(0, c);
    for (size_t r = 0; r < training.rows(); ++r) {
      range.training_low = std::min(range.training_low, training(r, c));
      range.training_high = std::max(range.training_high, training(r, c));
    }
    const std::vector<double>& values = queries.column(range.name).values;
    range.query_low = range.query_high = values.empty() ? std::nan("") : values[0];
    for (double value : values) {
      range.query_low = std::min(range.query_low, value);
      range.query_high = std::max(range.query_high, value);
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

void count_departures(Diagnosis& diagnosis) {
  for (const std::vector<Departure>& departures : diagnosis.predictions.outside) {
    for (const Departure& one : departures) {
      if (one.is_combination()) {
        ++diagnosis.combinations;
        continue;
      }
      ColumnRange& column = diagnosis.columns[one.column];
      ++column.outside;
      if (std::abs(one.amount) > std::abs(column.furthest)) column.furthest = one.amount;
      column.furthest_relative = std::max(column.furthest_relative, one.relative);
    }
  }
}

void look_at_outputs(Diagnosis& d) {
  const Predictions& p = d.predictions;
  double expected = 0;
  for (size_t r = 0; r < p.rows(); ++r) {
    if (p.outputs_outside[r].empty()) continue;
    ++d.beyond_outputs;
    expected += p.expected_error_beyond[r];
  }
  d.expected_error_beyond = expected / static_cast<double>(d.beyond_outputs);
  if (!d.truth) return;
  std::vector<double> ranks, shares;
  for (size_t k = 0; k < p.outputs.size(); ++k) {
    std::vector<double> predicted, truth;
    for (size_t r = 0; r < p.rows(); ++r) {
      if (!std::isfinite((*d.truth)(r, k)) || !std::isfinite(p.y(r, k))) continue;
      predicted.push_back(p.y(r, k));
      truth.push_back((*d.truth)(r, k));
    }
    if (truth.empty()) continue;
    const double rank = rank_correlation(predicted, truth);
    if (std::isnan(rank)) continue;
    ranks.push_back(rank);
    shares.push_back(top_share(predicted, truth));
  }
  if (ranks.empty()) return;
  d.rank_correlation = mean(ranks);
  d.top_share = mean(shares);
}

Matrix<double> as_double(const Matrix<float>& from) {
  return {from.rows(), from.cols(), std::vector<double>(from.values().begin(), from.values().end())};
}

}  // namespace

bool GroupErrors::is_as_expected() const { return mean <= unlike * expected && mean >= expected / unlike; }
bool GroupErrors::is_worse_than_expected() const { return mean > unlike * expected; }

GroupErrors errors_of(const Diagnosis& d, const std::function<bool(Verdict)>& chosen) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  GroupErrors group{.expected = nothing, .mean = nothing, .rmse = nothing, .r_squared = nothing};
  std::vector<double> expected, errors, truth;
  for (size_t r = 0; r < d.predictions.rows(); ++r) {
    if (!chosen(d.predictions.verdict[r])) continue;
    ++group.count;
    if (std::isfinite(d.predictions.expected_error[r])) expected.push_back(d.predictions.expected_error[r]);
    if (!d.errors || !d.truth || std::isnan((*d.errors)[r])) continue;
    ++group.known;
    errors.push_back((*d.errors)[r]);
    truth.insert(truth.end(), d.truth->row(r).begin(), d.truth->row(r).end());
  }
  if (!expected.empty()) group.expected = mean(expected);
  if (errors.empty()) return group;
  group.mean = mean(errors);
  group.rmse = root_mean_square(errors);
  group.r_squared = r_squared(errors, Matrix<double>(errors.size(), d.truth->cols(), std::move(truth)));
  return group;
}

GroupErrors errors_of(const Diagnosis& d, Verdict verdict) {
  return errors_of(d, [=](Verdict v) { return v == verdict; });
}

Diagnosis diagnose(const Predictor& predictor, const Table& queries, const PredictOptions& options) {
  Diagnosis diagnosis;
  diagnosis.predictions = predictor.predict(queries, options);
  diagnosis.truth = truth_of(queries, diagnosis.predictions.outputs);
  if (diagnosis.truth)
    diagnosis.errors = diagnosis.truth->rows() == 0 ? std::vector<double>{}
                                                    : distances(diagnosis.predictions.y, *diagnosis.truth);
  for (Verdict verdict : all_verdicts) diagnosis.verdicts.push_back(summary_of(verdict, diagnosis));
  diagnosis.columns = ranges_of(predictor, queries);
  count_departures(diagnosis);
  look_at_outputs(diagnosis);

  const Encoder& encoder = predictor.encoder();
  const Matrix<double> inputs = queries.matrix(predictor.inputs());
  Matrix<double> points(inputs.rows(), static_cast<size_t>(encoder.space().point_size()));
  for (size_t r = 0; r < inputs.rows(); ++r) encoder.space().to_point(inputs.row(r), points.row(r));
  const Matrix<double> training = as_double(encoder.encode_points(predictor.training_points()));
  const Matrix<double> axes = leading_axes(training, 2);
  diagnosis.training_map = along(training, axes);
  diagnosis.query_map = along(as_double(encoder.encode_points(points)), axes);
  return diagnosis;
}

}  // namespace kedge
