#pragma once

// The experiments, one function each; experiment.cpp lists them.

#include "kedge/experiments/experiment.h"

namespace kedge {

/// Ours: do verdicts and expected errors tell good predictions from bad ones?
Experiment coverage_experiment();

}  // namespace kedge
