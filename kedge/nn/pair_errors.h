#pragma once

// How far a program is from the truth on pairs of training rows.

#include <span>
#include <vector>

#include "kedge/core/stop_check.h"
#include "kedge/nn/engine.h"
#include "kedge/pairs/encoder.h"

namespace kedge {

/// For each pair the root mean square over outputs of prediction minus truth, in the units it was trained in.
/// Replicas predict their mean.
std::vector<double> pair_errors(const Engine& engine, const EncodedRows& rows, std::span<const Pair> pairs,
                                const StopCheck& stop_check = {});

}  // namespace kedge
