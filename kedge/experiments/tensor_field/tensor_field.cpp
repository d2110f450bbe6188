#include "kedge/experiments/tensor_field/tensor_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr uint64_t reports = 100;  // of a whole training

bool is_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

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
    if (!is_finite(clouds.row(r)) || !is_finite(targets.row(r)))
      refuse(fmt::format("needs finite numbers; found another in row {}; leave that row out", r));
  const TensorFieldShape& s = options.shape;
  if (s.layers == 0 || s.width == 0 || s.radial == 0 || options.batch == 0)
    refuse(
        fmt::format("needs one or more layers, channels, radial functions and clouds a step; found {}, {}, "
                    "{} and {}; raise the one that is 0",
                    s.layers, s.width, s.radial, options.batch));
}

// Kingma and Ba 2015.
class Adam {
 public:
  Adam(const AdamOptions& options, size_t parameters)
      : options_(options), first_(parameters), second_(parameters) {}

  void step(uint64_t t, uint64_t steps, std::span<const double> gradient, std::span<double> parameters) {
    const double n = static_cast<double>(t + 1);
    const double rate = learning_rate(options_, t, steps) / (1 - std::pow(options_.beta1, n));
    const double root_scale = 1 / std::sqrt(1 - std::pow(options_.beta2, n));
    for (size_t i = 0; i < parameters.size(); ++i) {
      const double g = gradient[i];
      first_[i] = options_.beta1 * first_[i] + (1 - options_.beta1) * g;
      second_[i] = options_.beta2 * second_[i] + (1 - options_.beta2) * g * g;
      parameters[i] -= rate * first_[i] / (std::sqrt(second_[i]) * root_scale + options_.epsilon);
    }
  }

 private:
  AdamOptions options_;
  std::vector<double> first_, second_;
};

}  // namespace

TensorField::TensorField(const TensorFieldShape& shape, size_t points, double scale, uint64_t seed)
    : shape_(shape),
      network_(shape),
      points_(points),
      scale_(scale),
      parameters_(network_.initial_parameters(seed)) {}

TensorField TensorField::fit(MatrixView<const double> clouds, MatrixView<const double> targets,
                             const TensorFieldOptions& options, const ProgressFn& progress,
                             TrainOutcome* outcome) {
  check(clouds, targets, options);
  const double scale = mean_distance(clouds);
  if (!(scale > 0) || !std::isfinite(scale))
    throw Error("tensor-field",
                fmt::format("needs clouds of some extent; found a mean distance of {} between "
                            "two points; give points that differ",
                            scale));
  TensorField field(options.shape, clouds.cols() / 3, scale, options.seed);
  const TrainOutcome found = field.train(clouds, targets, options, progress);
  if (outcome) *outcome = found;
  return field;
}

TrainOutcome TensorField::train(MatrixView<const double> clouds, MatrixView<const double> targets,
                                const TensorFieldOptions& options, const ProgressFn& progress) {
  std::vector<CloudGeometry> geometry;
  std::vector<std::array<double, 3>> wanted;  // of the network: target - mean, in units of the scale
  for (size_t r = 0; r < clouds.rows(); ++r) {
    geometry.emplace_back(clouds.row(r), scale_, shape_.radial);
    wanted.push_back(mean_of(clouds.row(r)));
    for (size_t k = 0; k < 3; ++k) wanted[r][k] = (targets(r, k) - wanted[r][k]) / scale_;
  }
  TensorFieldNetwork::Trace trace;
  std::vector<double> gradient(parameters_.size()), kept = parameters_, begun = parameters_;
  Adam adam(options.adam, parameters_.size());
  TrainOutcome outcome;
  double best = std::numeric_limits<double>::infinity(), sum = 0;
  const auto restore = [&](TrainStatus status) {
    parameters_ = kept;
    outcome.status = status;
    if (std::isfinite(best)) outcome.loss = best;
    return outcome;
  };
  const double terms = 3 * static_cast<double>(options.batch);
  const uint64_t chunk = std::max<uint64_t>(1, options.steps / reports);
  for (uint64_t t = 0; t < options.steps; ++t) {
    Rng rng(options.seed, Stream::pairs, t);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (size_t slot = 0; slot < options.batch; ++slot) {
      const size_t r = rng.below(clouds.rows());
      std::array<double, 3> error = network_.forward(geometry[r], parameters_, trace);
      for (size_t k = 0; k < 3; ++k) {
        error[k] -= wanted[r][k];
        sum += error[k] * error[k] / terms;
        error[k] *= 2 / terms;
      }
      network_.backward(geometry[r], parameters_, error, trace, gradient);
    }
    adam.step(t, options.steps, gradient, parameters_);
    const uint64_t in_chunk = t % chunk + 1;
    if (in_chunk < chunk && t + 1 < options.steps) continue;
    const double loss = sum * scale_ * scale_ / static_cast<double>(in_chunk);
    if (!std::isfinite(loss) || !is_finite(parameters_)) return restore(TrainStatus::diverged);
    sum = 0;
    outcome.steps = t + 1;
    outcome.loss = loss;
    outcome.losses.push_back(loss);
    // The loss is that of what the chunk began with: its last step may have thrown the parameters far off.
    if (loss < best) {
      best = loss;
      kept = begun;
    }
    begun = parameters_;
    if (progress && !progress({outcome.steps, options.steps, loss})) return restore(TrainStatus::stopped);
  }
  return outcome;
}

std::array<double, 3> TensorField::predict(std::span<const double> cloud) const {
  if (cloud.size() != 3 * points_)
    throw Error("tensor-field",
                fmt::format("needs clouds of {} points, as in training; found {} numbers; give "
                            "x, y, z of each",
                            points_, cloud.size()));
  if (!is_finite(cloud))
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
