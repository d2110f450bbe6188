#pragma once

// Encoder: from rows of a table to what a program reads. A space, and the scales fitted on training rows.
//
// Features of points are standardized by their own mean and deviation. Features of deltas: where a feature is
// a coordinate (vector, log) a delta's feature is the difference of the two points' features; elsewhere
// (angle, rotation) it is standardized by the mean and deviation over training pairs. The metric on deltas
// divides each coordinate by its root mean square over training pairs / sqrt(2), which for a vector column is
// its deviation. Columns of one unit share a scale in all three.

#include <span>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/pairs/pair_features.h"
#include "kedge/pairs/sampler.h"
#include "kedge/space/output_space.h"
#include "kedge/space/same_unit.h"
#include "kedge/space/space.h"
#include "kedge/table/standardizer.h"

namespace kedge {

enum class Scaling { none, standard };

/// From outputs of a table to what a program learns: canonical numbers (see OutputSpace), standardized.
struct OutputScaling {
  Standardizer standard{};
  OutputSpace space{};

  /// How far outputs like `y` deviate over `usual`, that of all, norm over outputs: on a log scale in
  /// proportion to their size. 1 where every output is plain.
  double relative_deviation(std::span<const double> y, double usual) const;
};

class Encoder {
 public:
  Encoder() = default;

  /// How scales are fitted.
  struct Scales {
    Scaling inputs = Scaling::standard, outputs = Scaling::standard;
    SameUnit together{};
    OutputSpace output_space{};
    std::span<const double> row_weights{}, pair_weights{};  ///< how much each counts; none: alike
  };

  /// Fits the scales on training points (canonical, see Space) and outputs as the table has them; `pairs` are
  /// training pairs to measure differences on.
  Encoder(Space space, MatrixView<const double> points, MatrixView<const double> outputs,
          std::span<const Pair> pairs, const Scales& scales);

  /// From stored parts (a model file).
  Encoder(Space space, Standardizer point, Standardizer delta, OutputScaling output,
          std::vector<double> metric);

  const Space& space() const { return space_; }
  const Standardizer& point_scaling() const { return point_; }
  const Standardizer& delta_scaling() const { return delta_; }
  const OutputScaling& output_scaling() const { return output_; }
  /// Scale of each delta coordinate in Space::squared_distance.
  const std::vector<double>& metric() const { return metric_; }

  size_t features() const { return static_cast<size_t>(space_.features()); }

  /// Features of a canonical point. `scratch` has room for as many numbers, so that nothing is allocated.
  void encode_point(std::span<const double> point, std::span<double> scratch, std::span<float> out) const;
  Matrix<float> encode_points(MatrixView<const double> points) const;
  Matrix<float> encode_outputs(MatrixView<const double> outputs) const;

  /// What features of differences need; valid as long as this encoder lives and stays where it is.
  CurvedFeatures curved() const { return {curved_, delta_.mean, delta_.scale}; }

 private:
  Space space_;
  Standardizer point_, delta_;
  OutputScaling output_;
  std::vector<double> metric_;
  std::vector<CurvedGroup> curved_;
};

}  // namespace kedge
