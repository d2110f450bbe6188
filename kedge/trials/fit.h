#pragma once

// fit: the way from a table to a predictor that users take. Three phases, one after the other:
//
//   choose     what the options leave open is settled by trials (kedge/trials/choice.h)
//   fit        the model is trained (kedge/predictor/fit.h)
//   calibrate  the errors to expect are learned by rehearsals (kedge/trials/calibration.h)
//
// The predictor depends on the request only, not on the number of threads, nor on the fits beside it.
// Progress counts the steps of all phases; Progress::steps is their sum.

#include <span>

#include "kedge/predictor/fit.h"

namespace kedge {

/// What each phase of a fit takes, all sizes settled.
struct FitLoads {
  Workload choosing = {}, fitting = {}, calibrating = {}, measuring = {};

  Workload total() const { return choosing + fitting + calibrating + measuring; }
  FitLoads& operator+=(const FitLoads& other);
};
FitLoads fit_loads(const FitRequest& request);

/// Throws Error when table or options cannot be fitted.
FitResult fit(const FitRequest& request, const RunOptions& run = {});

/// Several fits side by side, as fleets. `done` as for fit_models.
void fit_all(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done);

}  // namespace kedge
