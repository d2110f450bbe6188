#pragma once

// Calibration: what errors to expect of a predictor, learned from rehearsals inside its training table.

#include <span>
#include <vector>

#include "kedge/coverage/error_model.h"
#include "kedge/predictor/fit.h"

namespace kedge {

/// A predictor and what it was fitted on.
struct CalibrationRequest {
  const Table& table;
  const Predictor& predictor;
  PairExamples examples = {};
};

/// Steps of the rehearsals that `calibrate` runs for a fit; 0 when there are too few rows or none are wanted.
uint64_t calibration_steps(const FitRequest& request);

/// Unknown where there are too few rows, where the rehearsals fail, and after a stop. Progress counts the sum
/// of calibration_steps.
std::vector<ErrorModel> calibrate(std::span<const CalibrationRequest> requests, const RunOptions& run);

}  // namespace kedge
