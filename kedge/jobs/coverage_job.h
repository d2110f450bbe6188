#pragma once

// The job of the coverage study: a calibrated fit is asked from inside the data to far outside of it, and
// what it prints beside its answers is kept with their true errors.

#include <vector>

#include "kedge/coverage/verdict.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {

struct CoverageSpec {
  FitSpec fit;  ///< of its questions none is asked
  size_t inside_rows = 300, outside_rows = 600;
  double widths_out = 3;  ///< of functions; other domains are asked for their rows out of support
};

Job coverage_job(const CoverageSpec& spec);

/// Query by query, those inside first.
struct CoverageAnswers {
  std::vector<double> errors;    ///< true ones
  std::vector<double> expected;  ///< infinite where nothing is known, which is as bad as can be
  std::vector<Verdict> verdicts;
  std::vector<double> x;        ///< the first input
  double output_deviation = 0;  ///< of the training outputs, as `kedge info` shows it
};

/// Reads the result of such a job.
CoverageAnswers coverage_answers(const std::string& text);

}  // namespace kedge
