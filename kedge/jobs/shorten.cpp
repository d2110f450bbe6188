#include "kedge/jobs/fit_job.h"

namespace kedge {

void shorten(FitOptions& options) {
  options.epochs = options.weights.epochs = 0;
  options.training.steps = options.weights.training.steps = 6000;
}

}  // namespace kedge
