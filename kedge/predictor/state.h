#pragma once

// What a Predictor holds; shared by the sources that fit, predict, save and load.

#include <limits>
#include <memory>
#include <span>

#include "kedge/anchors/anchors.h"
#include "kedge/coverage/stored_coverage.h"
#include "kedge/coverage/support.h"
#include "kedge/nn/engine.h"
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
  EncodedRows rows() const { return {index.points(), features, encoded_outputs, encoder.curved()}; }

  /// The training rows that answer a query.
  std::vector<AnchorMatch> find_anchors(const QueryRow& query, const AnchorOptions& rule) const;

  StoredCoverage coverage() const { return {support.thresholds(), support.delta_quantiles(), errors}; }
};

/// Mean and spread of the answers to one query, in the units of the table. The answers come in any number of
/// parts, and twice in the same order: once for the mean, once for the spread. Keeps what it is given as
/// memory, a number for each output, so that it allocates nothing.
class AnswerSummary {
 public:
  AnswerSummary(const Standardizer& scaling, std::span<double> mean, std::span<double> squares);

  void add_to_mean(MatrixView<const float> answers);
  void finish_mean();
  void add_to_spread(MatrixView<const float> answers);
  /// Norm over outputs of the deviation.
  double spread() const;

 private:
  const Standardizer& scaling_;
  std::span<double> mean_, squares_;
  size_t count_ = 0;
};

/// Rows first ... first + count - 1 of a matrix.
inline MatrixView<const float> rows_of(const Matrix<float>& matrix, size_t first, size_t count) {
  return {matrix.data() + first * matrix.cols(), count, matrix.cols()};
}

/// The summary of rows first ... first + count - 1 of all replicas' answers; returns the spread.
double summarize(const std::vector<Matrix<float>>& by_replica, size_t first, size_t count,
                 AnswerSummary summary);

/// Throws Error when a name cannot be stored in a model file, which is UTF-8: better before than after a fit.
void require_storable(const Table& table, const std::vector<std::string>& names);

}  // namespace kedge
