#pragma once

#include <vector>

#include "kedge/experiments/experiment.h"

namespace kedge {

/// What these experiments would compute: by experiment, and all together by size of network.
void print_plan(const std::vector<const Experiment*>& experiments, const Extent& extent);

}  // namespace kedge
