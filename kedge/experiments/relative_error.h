#pragma once

// Errors of functions and tables: root mean square over the deviation of the outputs, one number for each
// seed. 1 is about the error of a constant.

#include <string>
#include <vector>

#include "kedge/experiments/result.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {

struct RelativeErrors {
  std::vector<double> in, oos;  ///< by seed
  size_t failed = 0;

  void add(const FitScores& scores);
};

/// Two cells, out of support and in it.
void add_cells(const Cell& place, const RelativeErrors& errors, Result& result);

}  // namespace kedge
