#pragma once

// ValidationRows: rows that a training does not see and that say when it was best. At every twentieth of a
// run the parameters are measured on them, and those of least error are kept.
//
// A row is answered by the anchors that a prediction would take; the error is the root mean square over rows
// and outputs, in the units of the loss.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "kedge/nn/engine.h"
#include "kedge/predictor/state.h"
#include "kedge/table/table.h"

namespace kedge {

class ValidationRows {
 public:
  /// Throws Error when the table lacks a column, or has a row that is no point.
  ValidationRows(const Predictor::State& state, const Table& table, const StopCheck& stop_check);

  /// Of a replica's present parameters.
  double error(const Engine& engine, size_t replica) const;

 private:
  PairBatch pairs_;
  std::vector<size_t> first_;  // by row: its first pair; one more at the end
  Matrix<float> outputs_;
};

/// The best parameters of one replica so far.
struct BestParameters {
  double error = std::numeric_limits<double>::infinity();
  uint64_t step = 0;
  std::vector<float> parameters = {};

  /// Measures where a twentieth of the run has passed since the last time, and at its end.
  void look(const ValidationRows& rows, const Engine& engine, size_t replica, const Progress& progress);

 private:
  uint64_t next_ = 0;
};

}  // namespace kedge
