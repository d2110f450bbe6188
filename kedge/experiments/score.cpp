#include "kedge/experiments/score.h"

#include <fmt/format.h>

#include <cmath>

#include "kedge/core/error.h"

namespace kedge {

double rmse(MatrixView<const double> predicted, MatrixView<const double> truth) {
  if (predicted.rows() != truth.rows() || predicted.cols() != truth.cols() || truth.rows() == 0)
    throw Error("score",
                fmt::format("needs two arrays of the same shape with rows; found {} x {} and {} x {}",
                            predicted.rows(), predicted.cols(), truth.rows(), truth.cols()));
  double sum = 0;
  for (size_t r = 0; r < truth.rows(); ++r) {
    for (size_t c = 0; c < truth.cols(); ++c) {
      const double error = predicted(r, c) - truth(r, c);
      sum += error * error;
    }
  }
  return std::sqrt(sum / static_cast<double>(truth.rows()));
}

double mean(std::span<const double> values) {
  if (values.empty()) throw Error("score", "a mean needs values; found none");
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() == 1) return 0;
  double sum = 0;
  for (double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace kedge
