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
constexpr size_t most_turned = 256;

std::vector<double> principal_turn(const DifferencePool& pool, const std::vector<double>& weight,
                                   size_t axes) {
  const size_t features = weight.size();
  const size_t step = (pool.pairs.size() + sample_size - 1) / sample_size;
  const size_t count = (pool.pairs.size() + step - 1) / step;
  Matrix<double> sample(count, features);
  std::vector<double> delta(pool.delta_size());
  for (size_t i = 0; i < count; ++i) {
    const Pair pair = pool.pairs[i * step];
    pool.target(pool.points.row(pair.query), pair.anchor, delta);
    pool.space.delta_features(delta, sample.row(i));
  }
  scale_columns(sample, weight);
  center_columns(sample);
  std::vector<double> turn(features * axes);
  if (features > most_turned) {
    // Eigenvectors would cost the cube of the columns; the columns of most variance bound distances too.
    std::vector<double> variance(features);
    for (size_t i = 0; i < count; ++i)
      for (size_t f = 0; f < features; ++f) variance[f] += sample(i, f) * sample(i, f);
    std::vector<size_t> order(features);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return variance[a] > variance[b]; });
    for (size_t k = 0; k < axes; ++k) turn[order[k] * axes + k] = 1;
    return turn;
  }
  const Matrix<double> vectors = eigenvectors(transposed_product(sample, sample)).vectors;
  for (size_t f = 0; f < features; ++f)
    for (size_t k = 0; k < axes; ++k) turn[f * axes + k] = vectors(f, features - 1 - k);
  return turn;
}

}  // namespace

PrincipalAxes::PrincipalAxes(const DifferencePool& pool) {
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
  turn_ = principal_turn(pool, weight_, axes_);
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

void PrincipalAxes::project(std::span<const double> values, std::span<double> sums, float* out,
                            size_t stride) const {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (size_t f = 0; f < weight_.size(); ++f) {
    const double x = values[f] * weight_[f];
    const double* const turn = turn_.data() + f * axes_;
    for (size_t k = 0; k < axes_; ++k) sums[k] += x * turn[k];
  }
  for (size_t k = 0; k < axes_; ++k) out[k * stride] = static_cast<float>(sums[k]);
}

void PrincipalAxes::project_delta(const DifferencePool& pool, std::span<const double> delta, float* out,
                                  size_t stride) const {
  double values[most_axes], sums[most_axes];
  std::vector<double> many;
  std::span<double> features(values, std::min(weight_.size(), most_axes));
  if (weight_.size() > most_axes) {
    many.resize(weight_.size());
    features = many;
  }
  pool.space.delta_features(delta, features);
  project(features, {sums, axes_}, out, stride);
}

void PrincipalAxes::project_point(std::span<const double> point, float* out, size_t stride) const {
  std::vector<double> values(point.size()), sums(axes_);
  for (size_t j = 0; j < point.size(); ++j) values[j] = point[j] - center_[j];
  project(values, sums, out, stride);
}

}  // namespace kedge
