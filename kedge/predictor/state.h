#pragma once

// What a Predictor holds; shared by predictor.cpp (fit, predict) and predictor_file.cpp (save, load).

#include <limits>
#include <memory>

#include "kedge/coverage/stored_coverage.h"
#include "kedge/coverage/support.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

struct Predictor::State {
  FitOptions options;
  std::vector<std::string> inputs, outputs;
  Matrix<double> training_outputs;
  Encoder encoder;
  AnchorIndex index;
  Support support;
  ErrorModel errors;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<const PairWeights> weights;  // null for models without
  std::string written_by = version();
  double final_loss = std::numeric_limits<double>::quiet_NaN();

  // Made of the above: the training rows as the program reads them.
  Matrix<float> features, encoded_outputs;
  void encode_training_rows(MatrixView<const double> points);

  PairSampler learn_weights(const Program& program, MatrixView<const double> points,
                            const PairSampler& sampler, const PairLabels& labels, const ProgressFn& progress);

  /// The training rows that answer a query.
  std::vector<AnchorMatch> find_anchors(std::span<const double> point, const AnchorOptions& rule) const;

  StoredCoverage coverage() const { return {support.thresholds(), support.delta_quantiles(), errors}; }
};

/// Canonical points of the named columns; errors name line and column.
Matrix<double> canonical_points(const Table& table, const std::vector<std::string>& inputs,
                                const Space& space, const std::string& verb);

/// Throws Error when a name cannot be stored in a model file, which is UTF-8: better before than after a fit.
void require_storable(const Table& table, const std::vector<std::string>& names);

}  // namespace kedge
