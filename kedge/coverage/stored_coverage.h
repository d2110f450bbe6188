#pragma once

// StoredCoverage: what a model file keeps of coverage. Ranges are not kept: they are those of the training
// rows, which the file has.

#include <string>
#include <vector>

#include "kedge/coverage/error_model.h"
#include "kedge/coverage/verdict.h"

namespace kedge {

struct StoredCoverage {
  Thresholds thresholds;
  std::vector<double> delta_quantiles;
  ErrorModel errors;
};

/// What is not known is null.
std::string to_json(const StoredCoverage& coverage);
/// Throws Error on damaged text and numbers that cannot be.
StoredCoverage coverage_from_json(const std::string& text);

}  // namespace kedge
