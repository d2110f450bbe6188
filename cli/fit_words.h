#pragma once

// What a fit comes to, in words and in a table. Prose, see Paragraph.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/findings.h"
#include "kedge/predictor/fit.h"
#include "kedge/report/tables.h"

namespace kedge {

/// What is known of a fit's errors.
struct FitErrors {
  std::vector<std::string> outputs;
  double output_scale = std::numeric_limits<double>::quiet_NaN();  ///< deviation of the training outputs
  std::vector<RehearsedRows> rehearsed;
  /// Answers for rows that it was fitted on, for where nothing was held out.
  Matrix<double> truth{}, predicted{};
};

/// Which of the rows that a rehearsal answered.
enum class RehearsedPart { inside, outside };

/// Errors of that part of a rehearsal.
GroupErrors errors_of(const RehearsedRows& rows, RehearsedPart part);

/// How well the model fits inside and outside: the first sentence says it.
std::string fit_conclusion(const FitErrors& errors);

/// A row for each rehearsal and part.
TextTable rehearsal_table(const FitErrors& errors);

/// One sentence a step; never empty. `model` and `train` are names of files.
std::vector<std::string> fit_next_steps(const FitErrors& errors, const std::string& model,
                                        const std::string& train);

}  // namespace kedge
