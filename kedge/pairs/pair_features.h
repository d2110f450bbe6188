#pragma once

// What a program reads of a pair (query, anchor), written once for training, prediction and every engine.
//
// Query and anchor are read by their features, the difference by its own. Where a feature is a coordinate
// (vector, log) the difference's feature is the difference of the two rows' features. Angles and rotations
// are curved: there it is computed from the points and standardized by itself.

#include <cstddef>
#include <span>

#include "kedge/core/host_device.h"
#include "kedge/core/matrix.h"
#include "kedge/pairs/sampler.h"
#include "kedge/space/groups.h"
#include "kedge/space/space.h"

namespace kedge {

/// Features of a difference that are not differences of features.
struct CurvedFeatures {
  std::span<const CurvedGroup> groups;
  std::span<const double> mean, scale;  ///< by feature
};

/// Training rows as programs read them. Shows arrays that somebody else owns.
struct EncodedRows {
  MatrixView<const double> points;  ///< canonical, see Space; read for curved features only
  MatrixView<const float> features, outputs;
  CurvedFeatures curved;
};

/// A row as the query of a pair.
struct QueryRow {
  const double* point = nullptr;
  const float* features = nullptr;
};

/// Row-major arrays to write pairs into, one row each; those that nobody reads are null. Numbers of a row
/// beyond the features are left alone.
struct PairArrays {
  float* query = nullptr;
  float* anchor = nullptr;
  float* delta = nullptr;
  size_t feature_stride = 0;
  float* anchor_output = nullptr;
  size_t output_stride = 0;
};

/// Features of the pairs to compute a program for, one row each; what the program does not read may be empty.
struct ForwardInputs {
  size_t rows = 0;
  MatrixView<const float> query, anchor, delta, anchor_output;
};

/// What training reads: the rows, which pairs of them are drawn, and their targets.
struct TrainingData {
  EncodedRows rows;
  PairTables pairs;
  std::span<const float> pair_targets =
      {};  ///< by entry of a list: the one output; empty: the query's outputs
  std::span<const float> pair_weights = {};  ///< by entry of a list: factor of its loss; empty: 1
};

template <class Group>
KEDGE_HOST_DEVICE inline void encode_curved(const CurvedFeatures& curved, const CurvedGroup& group,
                                            const double* query, const double* anchor, float* out) {
  double delta[Group::delta], features[Group::features];
  Group::minus(query + group.point, anchor + group.point, delta);
  Group::delta_features(delta, features);
  for (int i = 0; i < Group::features; ++i) {
    const size_t f = group.feature + static_cast<size_t>(i);
    out[f] = static_cast<float>((features[i] - curved.mean[f]) / curved.scale[f]);
  }
}

KEDGE_HOST_DEVICE inline void subtract_numbers(const float* __restrict__ a, const float* __restrict__ b,
                                               size_t count, float* __restrict__ to) {
  for (size_t i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

/// Features of query - anchor, both given by point and features.
KEDGE_HOST_DEVICE inline void encode_delta(const CurvedFeatures& curved, const QueryRow& query,
                                           const QueryRow& anchor, size_t features, float* out) {
  subtract_numbers(query.features, anchor.features, features, out);
  for (const CurvedGroup& group : curved.groups) {
    if (group.kind == GroupKind::rotation)
      encode_curved<RotationGroup<double>>(curved, group, query.point, anchor.point, out);
    else
      encode_curved<AngleGroup<double>>(curved, group, query.point, anchor.point, out);
  }
}

KEDGE_HOST_DEVICE inline void copy_numbers(const float* __restrict__ from, size_t count,
                                           float* __restrict__ to) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

/// A training row as a query.
KEDGE_HOST_DEVICE inline QueryRow training_row(const EncodedRows& rows, size_t row) {
  return {rows.points.data() + row * rows.points.cols(), rows.features.data() + row * rows.features.cols()};
}

/// Writes the pair of a query and a training row into row `slot`.
KEDGE_HOST_DEVICE inline void encode_pair(const EncodedRows& rows, const QueryRow& query, size_t anchor,
                                          const PairArrays& to, size_t slot) {
  const size_t features = rows.features.cols(), outputs = rows.outputs.cols();
  const QueryRow anchor_row = training_row(rows, anchor);
  const size_t at = slot * to.feature_stride;
  if (to.query) copy_numbers(query.features, features, to.query + at);
  if (to.anchor) copy_numbers(anchor_row.features, features, to.anchor + at);
  if (to.delta) encode_delta(rows.curved, query, anchor_row, features, to.delta + at);
  if (to.anchor_output)
    copy_numbers(rows.outputs.data() + anchor * outputs, outputs, to.anchor_output + slot * to.output_stride);
}

/// Pairs in memory of their own, to be filled and then computed together.
class PairBatch {
 public:
  PairBatch(const EncodedRows& rows, size_t pairs)
      : rows_(rows),
        query_(pairs, rows.features.cols()),
        anchor_(pairs, rows.features.cols()),
        delta_(pairs, rows.features.cols()),
        anchor_output_(pairs, rows.outputs.cols()) {}

  void set(size_t slot, const QueryRow& query, size_t anchor) {
    encode_pair(rows_, query, anchor,
                {query_.data(), anchor_.data(), delta_.data(), query_.cols(), anchor_output_.data(),
                 anchor_output_.cols()},
                slot);
  }
  void set(size_t slot, const Pair& pair) { set(slot, training_row(rows_, pair.query), pair.anchor); }
  /// Of a query without an anchor.
  void set_query(size_t slot, const QueryRow& query) {
    copy_numbers(query.features, query_.cols(), query_.row(slot).data());
  }

  ForwardInputs inputs() const { return {query_.rows(), query_, anchor_, delta_, anchor_output_}; }

 private:
  EncodedRows rows_;
  Matrix<float> query_, anchor_, delta_, anchor_output_;
};

}  // namespace kedge
