// In place of kedge/jobs/shorten.cpp: quick runs on the emulated device have very few steps.

#include "kedge/jobs/fit_job.h"

namespace kedge {

void shorten(FitOptions& options) {
  options.epochs = options.weights.epochs = 0;
  options.training.steps = options.weights.training.steps = 20;
}

}  // namespace kedge
