#include "kedge/pairs/encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kedge {
namespace {

// Coordinates of a rotation share one scale, which keeps the metric independent of the frame.
void share_rotation_scale(const Space& space, std::vector<double>& squares) {
  size_t at = 0;
  for (const Group& group : space.groups()) {
    if (group.kind != GroupKind::rotation) {
      ++at;
      continue;
    }
    const double mean = (squares[at] + squares[at + 1] + squares[at + 2]) / 3;
    squares[at] = squares[at + 1] = squares[at + 2] = mean;
    at += 3;
  }
}

}  // namespace

Encoder::Encoder(Space space, MatrixView<const double> points, MatrixView<const double> outputs,
                 std::span<const Pair> pairs, Scaling inputs, Scaling output_scaling)
    : space_(std::move(space)) {
  const size_t deltas = static_cast<size_t>(space_.delta_size());
  output_ = output_scaling == Scaling::standard ? Standardizer::fit(outputs)
                                                : Standardizer::identity(outputs.cols());
  point_ = delta_ = Standardizer::identity(features());
  metric_.assign(deltas, 1.0);
  find_linear();
  if (inputs == Scaling::none) return;

  Matrix<double> raw(points.rows(), features());
  for (size_t r = 0; r < points.rows(); ++r) space_.point_features(points.row(r), raw.row(r));
  point_ = Standardizer::fit(raw);

  Matrix<double> differences(pairs.size(), features());
  std::vector<double> squares(deltas), delta(deltas);
  for (size_t p = 0; p < pairs.size(); ++p) {
    space_.minus(points.row(pairs[p].query), points.row(pairs[p].anchor), delta);
    for (size_t j = 0; j < deltas; ++j) squares[j] += delta[j] * delta[j];
    space_.delta_features(delta, differences.row(p));
  }
  delta_ = Standardizer::fit(differences);
  const std::vector<bool> linear = space_.linear_features();
  for (size_t f = 0; f < features(); ++f) {
    if (linear[f]) {
      delta_.mean[f] = 0;
      delta_.scale[f] = point_.scale[f];
    }
  }
  share_rotation_scale(space_, squares);
  for (size_t j = 0; j < deltas; ++j) {
    const double rms = std::sqrt(squares[j] / (2.0 * static_cast<double>(std::max<size_t>(1, pairs.size()))));
    metric_[j] = rms > 0 ? rms : 1.0;
  }
}

Encoder::Encoder(Space space, Standardizer point, Standardizer delta, Standardizer output,
                 std::vector<double> metric)
    : space_(std::move(space)),
      point_(std::move(point)),
      delta_(std::move(delta)),
      output_(std::move(output)),
      metric_(std::move(metric)) {
  find_linear();
}

void Encoder::find_linear() {
  const std::vector<bool> linear = space_.linear_features();
  for (size_t f = 0; f < linear.size(); ++f) {
    if (!linear[f]) curved_.push_back(f);
  }
}

void Encoder::encode_point(std::span<const double> point, std::span<float> out) const {
  std::vector<double> raw(features());
  space_.point_features(point, raw);
  point_.apply(raw, out);
}

Matrix<float> Encoder::encode_points(MatrixView<const double> points) const {
  Matrix<float> encoded(points.rows(), features());
  for (size_t r = 0; r < points.rows(); ++r) encode_point(points.row(r), encoded.row(r));
  return encoded;
}

Matrix<float> Encoder::encode_outputs(MatrixView<const double> outputs) const {
  Matrix<float> encoded(outputs.rows(), outputs.cols());
  for (size_t r = 0; r < outputs.rows(); ++r) output_.apply(outputs.row(r), encoded.row(r));
  return encoded;
}

void Encoder::encode_delta(std::span<const double> query, std::span<const double> anchor,
                           std::span<const float> query_features, std::span<const float> anchor_features,
                           std::span<float> out) const {
  for (size_t f = 0; f < out.size(); ++f) out[f] = query_features[f] - anchor_features[f];
  if (curved_.empty()) return;
  // The step loop comes here: usual sizes stay on the stack.
  constexpr size_t usual = 64;
  std::array<double, 2 * usual> stack;
  const size_t size = static_cast<size_t>(space_.delta_size());
  std::vector<double> heap(std::max(size, features()) > usual ? size + features() : 0);
  const std::span<double> delta(heap.empty() ? stack.data() : heap.data(), size);
  const std::span<double> raw(delta.data() + size, features());
  space_.minus(query, anchor, delta);
  space_.delta_features(delta, raw);
  for (size_t f : curved_) out[f] = static_cast<float>((raw[f] - delta_.mean[f]) / delta_.scale[f]);
}

void SampledPairs::fill(uint64_t seed, uint64_t step, const Batch& batch) const {
  const size_t width = data_.features.cols(), outputs = data_.outputs.cols();
  for (size_t p = 0; p < batch.pairs; ++p) {
    const Pair pair = sampler_.draw(seed, Stream::pairs, step, static_cast<uint32_t>(p));
    const auto query = data_.features.row(pair.query), anchor = data_.features.row(pair.anchor);
    if (batch.query) std::copy_n(query.data(), width, batch.query + p * batch.feature_stride);
    if (batch.anchor) std::copy_n(anchor.data(), width, batch.anchor + p * batch.feature_stride);
    if (batch.delta)
      data_.encoder.encode_delta(data_.points.row(pair.query), data_.points.row(pair.anchor), query, anchor,
                                 {batch.delta + p * batch.feature_stride, width});
    if (batch.anchor_output)
      std::copy_n(data_.outputs.row(pair.anchor).data(), outputs,
                  batch.anchor_output + p * batch.output_stride);
    std::copy_n(data_.outputs.row(pair.query).data(), outputs, batch.target + p * batch.output_stride);
  }
}

}  // namespace kedge
