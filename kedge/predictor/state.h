#pragma once

// What a Predictor holds; shared by the sources that fit, predict, save and load.

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "kedge/anchors/anchors.h"
#include "kedge/coverage/stored_coverage.h"
#include "kedge/coverage/support.h"
#include "kedge/nn/engine.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

/// Which rule answers which query.
struct AnchorRules {
  AnchorOptions rule;
  std::optional<AnchorOptions> inside;  // of queries in support; nothing: `rule`
};

struct Predictor::State {
  FitOptions options;
  std::vector<std::string> inputs, outputs;
  Intake intake;
  Matrix<double> training_outputs;
  Encoder encoder;
  AnchorIndex index;
  Support support;
  ErrorModel errors;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<const PairWeights> weights;  // null for models without
  std::optional<double> anchor_stretch;        // nothing where every row serves, or nobody measured it
  std::string written_by = version();
  uint64_t trained_steps = 0;
  double final_loss = std::numeric_limits<double>::quiet_NaN();

  // Made of the above: the training rows as the program reads them.
  Matrix<float> features, encoded_outputs;
  void encode_training_rows(MatrixView<const double> points);
  EncodedRows rows() const { return encoded_rows(index.points()); }
  EncodedRows encoded_rows(MatrixView<const double> points) const {
    return {points, features, encoded_outputs, encoder.curved()};
  }
  OutputRange output_range;

  /// The training rows that answer a query.
  std::vector<AnchorMatch> find_anchors(const QueryRow& query, const AnchorOptions& rule) const;
  /// The same for each of several points and their features.
  std::vector<std::vector<AnchorMatch>> find_anchors(MatrixView<const double> points,
                                                     MatrixView<const float> encoded,
                                                     const AnchorOptions& rule,
                                                     const StopCheck& stop_check) const;

  StoredCoverage coverage() const { return {support.thresholds(), support.delta_quantiles(), errors}; }
};

/// Throws Error when a name cannot be stored in a model file, which is UTF-8: better before than after a fit.
void require_storable(const Table& table, const std::vector<std::string>& names);

}  // namespace kedge
