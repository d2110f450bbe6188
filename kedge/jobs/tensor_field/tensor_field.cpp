#include "kedge/jobs/tensor_field/tensor_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

std::array<double, 3> mean_of(std::span<const double> cloud) {
  std::array<double, 3> mean{};
  for (size_t i = 0; i < cloud.size(); ++i) mean[i % 3] += cloud[i];
  for (double& m : mean) m /= static_cast<double>(cloud.size() / 3);
  return mean;
}

// Mean distance between two points of a cloud, over all clouds.
double mean_distance(MatrixView<const double> clouds) {
  double sum = 0;
  size_t count = 0;
  for (size_t r = 0; r < clouds.rows(); ++r) {
    const std::span<const double> p = clouds.row(r);
    for (size_t a = 0; a < p.size(); a += 3) {
      for (size_t b = 0; b < a; b += 3, ++count)
        sum += std::hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
    }
  }
  return sum / static_cast<double>(count);
}

void check(MatrixView<const double> clouds, MatrixView<const double> targets,
           const TensorFieldOptions& options) {
  const auto refuse = [](const std::string& text) { throw Error("tensor-field", text); };
  if (clouds.rows() == 0 || clouds.rows() != targets.rows())
    refuse(
        fmt::format("needs one target for each of one or more clouds; found {} targets and {} clouds; "
                    "give as many rows of both",
                    targets.rows(), clouds.rows()));
  if (clouds.cols() % 3 != 0 || clouds.cols() < 6 || targets.cols() != 3)
    refuse(
        fmt::format("needs clouds of x, y, z of two or more points and targets of x, y, z; found {} and {} "
                    "columns; give three for each point",
                    clouds.cols(), targets.cols()));
  for (size_t r = 0; r < clouds.rows(); ++r)
    if (!all_finite(clouds.row(r)) || !all_finite(targets.row(r)))
      refuse(fmt::format("needs finite numbers; found another in row {}; leave that row out", r));
  const TensorFieldShape& s = options.shape;
  if (s.layers == 0 || s.width == 0 || s.radial == 0 || options.batch == 0)
    refuse(
        fmt::format("needs one or more layers, channels, radial functions and clouds a step; found {}, {}, "
                    "{} and {}; raise the one that is 0",
                    s.layers, s.width, s.radial, options.batch));
}

}  // namespace

TensorField::TensorField(const TensorFieldShape& shape, size_t points, double scale, uint64_t seed)
    : shape_(shape),
      network_(shape),
      points_(points),
      scale_(scale),
      parameters_(network_.initial_parameters(seed)) {}

TensorField TensorField::fit(MatrixView<const double> clouds, MatrixView<const double> targets,
                             const TensorFieldOptions& options, const std::function<bool()>& stopped) {
  check(clouds, targets, options);
  const double scale = mean_distance(clouds);
  if (!(scale > 0) || !std::isfinite(scale))
    throw Error("tensor-field",
                fmt::format("needs clouds of some extent; found a mean distance of {} between "
                            "two points; give points that differ",
                            scale));
  TensorField field(options.shape, clouds.cols() / 3, scale, options.seed);
  field.train(clouds, targets, options, stopped);
  if (!all_finite(field.parameters_))
    throw Error("tensor-field", fmt::format("training diverged; take a smaller learning rate than {}",
                                            options.adam.learning_rate));
  return field;
}

void TensorField::train(MatrixView<const double> clouds, MatrixView<const double> targets,
                        const TensorFieldOptions& options, const std::function<bool()>& stopped) {
  std::vector<CloudGeometry> geometry;
  std::vector<std::array<double, 3>> wanted;  // of the network: target - mean, in units of the scale
  for (size_t r = 0; r < clouds.rows(); ++r) {
    geometry.emplace_back(clouds.row(r), scale_, shape_.radial);
    wanted.push_back(mean_of(clouds.row(r)));
    for (size_t k = 0; k < 3; ++k) wanted[r][k] = (targets(r, k) - wanted[r][k]) / scale_;
  }
  TensorFieldNetwork::Trace trace;
  std::vector<double> gradient(parameters_.size()), first = gradient, second = gradient;
  const double terms = 3 * static_cast<double>(options.batch);
  const auto move = [&](size_t i, const ops::Moments<double>& to) {
    parameters_[i] = to.value;
    first[i] = to.first;
    second[i] = to.second;
  };
  for (uint64_t t = 0; t < options.steps && !(stopped && stopped()); ++t) {
    Rng rng(options.seed, Stream::pairs, t);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (size_t slot = 0; slot < options.batch; ++slot) {
      const size_t r = rng.below(clouds.rows());
      std::array<double, 3> error = network_.forward(geometry[r], parameters_, trace);
      for (size_t k = 0; k < 3; ++k) error[k] = (error[k] - wanted[r][k]) * 2 / terms;
      network_.backward(geometry[r], parameters_, error, trace, gradient);
    }
    const AdamConstants<double> step = adam_constants(options.adam, t, options.steps);
    for (size_t i = 0; i < parameters_.size(); ++i)
      move(i, ops::adam(gradient[i], {parameters_[i], first[i], second[i]}, step,
                        [](double v) { return std::sqrt(v); }));
  }
}

std::array<double, 3> TensorField::predict(std::span<const double> cloud) const {
  if (cloud.size() != 3 * points_)
    throw Error("tensor-field",
                fmt::format("needs clouds of {} points, as in training; found {} numbers; give "
                            "x, y, z of each",
                            points_, cloud.size()));
  if (!all_finite(cloud))
    throw Error("tensor-field", "needs finite numbers; found another in a cloud; leave that cloud out");
  TensorFieldNetwork::Trace trace;
  const std::array<double, 3> v =
      network_.forward(CloudGeometry(cloud, scale_, shape_.radial), parameters_, trace);
  std::array<double, 3> point = mean_of(cloud);
  for (size_t k = 0; k < 3; ++k) point[k] += scale_ * v[k];
  return point;
}

Matrix<double> TensorField::predict(MatrixView<const double> clouds) const {
  Matrix<double> points(clouds.rows(), 3);
  for (size_t r = 0; r < clouds.rows(); ++r) {
    const std::array<double, 3> point = predict(clouds.row(r));
    std::copy(point.begin(), point.end(), points.row(r).begin());
  }
  return points;
}

}  // namespace kedge
