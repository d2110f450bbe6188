#include "kedge/anchors/principal_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "kedge/core/linear_algebra.h"

namespace kedge {
namespace {

constexpr size_t sample_size = 20000;

// Any orthogonal turn is right; the sample only decides how well the leading axes tell differences apart.
// Eigenvectors cost the cube of the features. Of more features, or of few points for each, columns are axes.
constexpr size_t most_turned = 256, points_for_each = 8;

/// Features of some differences or points.
Matrix<double> sample_of(const DifferencePool& pool, PrincipalAxes::Of of, size_t features) {
  const bool of_points = of == PrincipalAxes::Of::points;
  const size_t available = of_points ? pool.points.rows() : pool.pairs.size();
  const size_t step = (available + sample_size - 1) / sample_size;
  Matrix<double> sample((available + step - 1) / step, features);
  std::vector<double> delta(pool.delta_size());
  for (size_t i = 0; i < sample.rows(); ++i) {
    if (of_points) {
      pool.space.point_features(pool.points.row(i * step), sample.row(i));
      continue;
    }
    const Pair pair = pool.pairs[i * step];
    pool.target(pool.points.row(pair.query), pair.anchor, delta);
    pool.space.delta_features(delta, sample.row(i));
  }
  return sample;
}

/// The columns of most variance.
std::vector<size_t> widest_columns(const Matrix<double>& sample, size_t count) {
  std::vector<double> variance(sample.cols());
  for (size_t i = 0; i < sample.rows(); ++i)
    for (size_t f = 0; f < sample.cols(); ++f) variance[f] += sample(i, f) * sample(i, f);
  std::vector<size_t> order(sample.cols());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return variance[a] > variance[b]; });
  order.resize(count);
  return order;
}

std::vector<double> principal_turn(const Matrix<double>& sample, size_t axes) {
  const size_t features = sample.cols();
  std::vector<double> turn(features * axes);
  const Matrix<double> vectors = eigenvectors(transposed_product(sample, sample)).vectors;
  for (size_t f = 0; f < features; ++f)
    for (size_t k = 0; k < axes; ++k) turn[f * axes + k] = vectors(f, features - 1 - k);
  return turn;
}

}  // namespace

PrincipalAxes::PrincipalAxes(const DifferencePool& pool, Of of) {
  const Space& space = pool.space;
  const size_t features = static_cast<size_t>(space.features());
  axes_ = std::min(features, most_axes);
  double curved = 0;
  size_t coordinate = 0;
  for (const Group& group : space.groups()) {
    const double s = pool.scale[coordinate];
    switch (group.kind) {
      case GroupKind::vector:
      case GroupKind::log:
        weight_.push_back(1 / s);
        inverse_.push_back(1 / s);
        coordinate += 1;
        break;
      case GroupKind::angle:
        weight_.insert(weight_.end(), 2, 1 / s);
        inverse_.push_back(0);
        curved += 1 / (s * s);
        coordinate += 1;
        break;
      case GroupKind::rotation:
        // |A - B| of two matrices is 2 sqrt 2 sin(angle / 2), at most sqrt 2 times the angle.
        weight_.insert(weight_.end(), 9, 1 / (s * std::numbers::sqrt2));
        inverse_.insert(inverse_.end(), 4, 0);
        curved += 1.5 / (s * s);
        coordinate += 3;
        break;
    }
  }
  curved_ = std::sqrt(curved);

  const size_t rows = pool.points.rows();
  center_.assign(inverse_.size(), 0);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < center_.size(); ++j) center_[j] += pool.points(i, j) / static_cast<double>(rows);
  for (size_t i = 0; i < rows; ++i) {
    const Size one = size(pool.points.row(i));
    greatest_ = {std::max(greatest_.centered, one.centered), std::max(greatest_.absolute, one.absolute)};
  }
  origin_.assign(features, 0);
  const std::vector<bool> is_linear = space.linear_features();
  const std::vector<LinearCoordinate> linear = space.linear_coordinates();
  for (size_t f = 0, next = 0; f < features; ++f)
    if (is_linear[f]) origin_[f] = center_[linear[next++].point];
  Matrix<double> sample = sample_of(pool, of, features);
  scale_columns(sample, weight_);
  center_columns(sample);
  const bool is_costly = of == Of::points && sample.rows() < points_for_each * features;
  if (features > most_turned || is_costly)
    columns_ = widest_columns(sample, axes_);
  else
    turn_ = principal_turn(sample, axes_);
}

PrincipalAxes::Size PrincipalAxes::size(std::span<const double> point) const {
  double centered = 0, absolute = 0;
  for (size_t j = 0; j < point.size(); ++j) {
    const double c = (point[j] - center_[j]) * inverse_[j], a = point[j] * inverse_[j];
    centered += c * c;
    absolute += a * a;
  }
  return {std::sqrt(centered) + curved_, std::sqrt(absolute) + curved_};
}

double PrincipalAxes::slack(std::span<const double> point) const {
  // A target is the query's numbers less an anchor's, a difference at most twice the largest anchor's; each
  // rounding to float errs by half an epsilon of one of them. In double the numbers are not yet centred, and
  // a sum of `features` terms is taken.
  const Size query = size(point);
  const double features = static_cast<double>(weight_.size());
  return 4 * std::numeric_limits<float>::epsilon() * (query.centered + 3 * greatest_.centered) +
         (64 + 8 * features) * std::numeric_limits<double>::epsilon() *
             (query.absolute + 3 * greatest_.absolute);
}

/// `features` fills in the features of a delta or point.
template <class Features>
void PrincipalAxes::project(const Features& features, float* out, size_t stride) const {
  double few[most_axes], sums[most_axes] = {};
  std::vector<double> many(weight_.size() > most_axes ? weight_.size() : 0);
  const std::span<double> values(many.empty() ? few : many.data(), weight_.size());
  features(values);
  for (size_t k = 0; k < columns_.size(); ++k)
    out[k * stride] = static_cast<float>(values[columns_[k]] * weight_[columns_[k]]);
  if (!columns_.empty()) return;
  for (size_t f = 0; f < values.size(); ++f) {
    const double x = values[f] * weight_[f];
    const double* const turn = turn_.data() + f * axes_;
    for (size_t k = 0; k < axes_; ++k) sums[k] += x * turn[k];
  }
  for (size_t k = 0; k < axes_; ++k) out[k * stride] = static_cast<float>(sums[k]);
}

void PrincipalAxes::project_delta(const DifferencePool& pool, std::span<const double> delta, float* out,
                                  size_t stride) const {
  project([&](std::span<double> features) { pool.space.delta_features(delta, features); }, out, stride);
}

void PrincipalAxes::project_point(const DifferencePool& pool, std::span<const double> point, float* out,
                                  size_t stride) const {
  const auto centered = [&](std::span<double> features) {
    pool.space.point_features(point, features);
    for (size_t f = 0; f < features.size(); ++f) features[f] -= origin_[f];
  };
  project(centered, out, stride);
}

Matrix<float> PrincipalAxes::project_points(const DifferencePool& pool) const {
  Matrix<float> rows(pool.points.rows(), axes_);
  for (size_t r = 0; r < rows.rows(); ++r) project_point(pool, pool.points.row(r), rows.row(r).data(), 1);
  return rows;
}

}  // namespace kedge
