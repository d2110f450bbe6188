#include "kedge/pairs/encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

/// For each set of columns, the numbers that `numbers_of` gives for them.
template <class NumbersOf>
std::vector<std::vector<size_t>> sets_of(const std::vector<std::vector<size_t>>& columns,
                                         NumbersOf&& numbers_of) {
  std::vector<std::vector<size_t>> sets;
  for (const std::vector<size_t>& set : columns) {
    sets.emplace_back();
    for (size_t column : set)
      for (int number : numbers_of(static_cast<int>(column)))
        sets.back().push_back(static_cast<size_t>(number));
  }
  return sets;
}

/// Sets of delta coordinates that share one scale: those of one unit, and those of a rotation, which keeps
/// the metric independent of the frame.
std::vector<std::vector<size_t>> delta_sets(const Space& space, const SameUnit& together) {
  auto sets = sets_of(together.inputs, [&](int column) { return space.deltas_of(column); });
  for (const Group& group : space.groups()) {
    if (group.kind != GroupKind::rotation) continue;
    const std::vector<int> numbers = space.deltas_of(group.columns[0]);
    sets.emplace_back(numbers.begin(), numbers.end());
  }
  return sets;
}

}  // namespace

double OutputScaling::relative_deviation(std::span<const double> y, double usual) const {
  if (space.is_plain()) return 1;
  double squares = 0;
  for (size_t k = 0; k < y.size(); ++k) {
    const double deviation = standard.scale[k] * space.slope(k, y[k]);
    squares += deviation * deviation;
  }
  return std::sqrt(squares) / usual;
}

Encoder::Encoder(Space space, MatrixView<const double> points, MatrixView<const double> outputs,
                 std::span<const Pair> pairs, const Scales& scales)
    : space_(std::move(space)), output_{.space = scales.output_space}, curved_(space_.curved_groups()) {
  const size_t deltas = static_cast<size_t>(space_.delta_size());
  output_.standard =
      scales.outputs == Scaling::standard
          ? Standardizer::fit(output_.space.canonical(outputs), scales.together.outputs, scales.row_weights)
          : Standardizer::identity(outputs.cols());
  point_ = delta_ = Standardizer::identity(features());
  metric_.assign(deltas, 1.0);
  if (scales.inputs == Scaling::none) return;

  Matrix<double> curved;
  if (!space_.is_linear()) {
    curved = Matrix<double>(points.rows(), features());
    for (size_t r = 0; r < points.rows(); ++r) space_.point_features(points.row(r), curved.row(r));
  }
  point_ = Standardizer::fit(
      space_.is_linear() ? points : curved.view(),
      sets_of(scales.together.inputs, [&](int column) { return space_.features_of(column); }),
      scales.row_weights);

  Matrix<double> differences(pairs.size(), features());
  std::vector<double> squares(deltas), largest(deltas), delta(deltas);
  double total = 0;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const double weight = scales.pair_weights.empty() ? 1.0 : scales.pair_weights[p];
    total += weight;
    space_.minus(points.row(pairs[p].query), points.row(pairs[p].anchor), delta);
    for (size_t j = 0; j < deltas; ++j) {
      squares[j] += weight * (delta[j] * delta[j]);
      largest[j] = std::max(largest[j], std::abs(delta[j]));
    }
    space_.delta_features(delta, differences.row(p));
  }
  delta_ = Standardizer::fit(differences, {}, scales.pair_weights);
  const std::vector<bool> linear = space_.linear_features();
  for (size_t f = 0; f < features(); ++f) {
    if (linear[f]) {
      delta_.mean[f] = 0;
      delta_.scale[f] = point_.scale[f];
    }
  }
  for (const std::vector<size_t>& set : delta_sets(space_, scales.together)) {
    double sum = 0;
    for (size_t j : set) sum += squares[j];
    for (size_t j : set) squares[j] = sum / static_cast<double>(set.size());
  }
  for (size_t j = 0; j < deltas; ++j) {
    const double rms = std::sqrt(squares[j] / (2.0 * (pairs.empty() ? 1.0 : total)));
    // Where all squares are below the smallest double, the largest difference tells of it.
    metric_[j] = rms > 0 ? rms : largest[j] > 0 ? largest[j] : 1.0;
  }
}

Encoder::Encoder(Space space, Standardizer point, Standardizer delta, OutputScaling output,
                 std::vector<double> metric)
    : space_(std::move(space)),
      point_(std::move(point)),
      delta_(std::move(delta)),
      output_(std::move(output)),
      metric_(std::move(metric)),
      curved_(space_.curved_groups()) {}

void Encoder::encode_point(std::span<const double> point, std::span<double> scratch,
                           std::span<float> out) const {
  space_.point_features(point, scratch);
  point_.apply(scratch, out);
}

Matrix<float> Encoder::encode_points(MatrixView<const double> points) const {
  Matrix<float> encoded(points.rows(), features());
  std::vector<double> scratch(features());
  for (size_t r = 0; r < points.rows(); ++r) encode_point(points.row(r), scratch, encoded.row(r));
  return encoded;
}

Matrix<float> Encoder::encode_outputs(MatrixView<const double> outputs) const {
  Matrix<float> encoded(outputs.rows(), outputs.cols());
  const Matrix<double> numbers = output_.space.canonical(outputs);
  for (size_t r = 0; r < outputs.rows(); ++r) output_.standard.apply(numbers.row(r), encoded.row(r));
  return encoded;
}

}  // namespace kedge
