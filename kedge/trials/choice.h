#pragma once

// Choice: what options leave open is settled by a trial inside the training table, before the fit itself. A
// rehearsal of the whole fit makes the choice anew, on the rows that it fits (kedge/trials/rehearsal.h).

#include <span>
#include <vector>

#include "kedge/predictor/fit.h"

namespace kedge {

/// What the trials take that `choose` runs for a request; nothing when nothing is left to choose.
Workload choice_load(const FitRequest& request);

/// The options of each request with every `automatic` choice made: the Fourier layer is taken when it lowers
/// the error on held-out outer rows. Progress counts the sum of choice_load.
std::vector<FitOptions> choose(std::span<const FitRequest> requests, const RunOptions& run);

}  // namespace kedge
