#pragma once

// TensorField: a tensor field network (Thomas et al. 2018) that reads a small cloud of points and predicts
// one point, the paper's baseline for grasping by six key points (appendix C.3, table 2). It reads points and
// not features, so it is no Program; its layers are those of tensor_field_network.h.
//
// Prediction: mean over points of r_i + v_i, v_i the vector that the network gives point i.
//
// Laws, for any parameters and up to rounding: a cloud that is rotated and translated has a prediction that
// is rotated and translated; the order of the points does not matter. There is no such law for scale:
// distances go through radial functions of a fixed width, so a cloud larger than those of training is read by
// functions that were never fitted there. Nor does it know reflections: cross products turn round in a
// mirror.
//
// Lengths are measured in units of the mean distance between two points of the training clouds, fixed by the
// fit. The same seed gives the same network. Const members are safe from many threads.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/jobs/tensor_field/tensor_field_network.h"
#include "kedge/nn/adam.h"

namespace kedge {

struct TensorFieldOptions {
  TensorFieldShape shape = {};
  AdamOptions adam = {.learning_rate = 3e-2, .schedule = Schedule::cosine};
  uint64_t steps = 3000;
  size_t batch = 16;  ///< clouds of a step, drawn with replacement
  uint64_t seed = 0;
};

class TensorField {
 public:
  /// `clouds`: one row each, x, y, z of the first point, of the second, ...; `targets`: x, y, z. Minimizes
  /// the mean over coordinates of the squared error; `stopped` is asked before every step and ends it early.
  /// Throws Error when there is nothing to fit, a number is not finite, or training diverges.
  static TensorField fit(MatrixView<const double> clouds, MatrixView<const double> targets,
                         const TensorFieldOptions& options = {}, const std::function<bool()>& stopped = {});

  /// Throws Error unless the cloud has the number of points of the training clouds, all finite.
  std::array<double, 3> predict(std::span<const double> cloud) const;
  /// One row of x, y, z for each row.
  Matrix<double> predict(MatrixView<const double> clouds) const;

  size_t points() const { return points_; }
  /// What lengths are measured in.
  double scale() const { return scale_; }
  size_t parameters() const { return network_.parameters(); }

 private:
  TensorField(const TensorFieldShape& shape, size_t points, double scale, uint64_t seed);

  void train(MatrixView<const double> clouds, MatrixView<const double> targets,
             const TensorFieldOptions& options, const std::function<bool()>& stopped);

  TensorFieldShape shape_;
  TensorFieldNetwork network_;
  size_t points_;
  double scale_;
  std::vector<double> parameters_;
};

}  // namespace kedge
