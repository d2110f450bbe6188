#pragma once

// What a diagnosis comes to, in words: a conclusion and what to do next, for the page and for the terminal.
// Prose, see Paragraph.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kedge/trials/diagnosis.h"

namespace kedge {

/// What the words need beside the diagnosis.
struct DiagnosisContext {
  std::string model, queries;  ///< names of files
  /// Deviation of the training outputs; NaN where it is not known.
  double output_scale = std::numeric_limits<double>::quiet_NaN();
  /// Names a query, as "queries.csv, line 7".
  std::function<std::string(size_t row)> where = {};
};

/// Whether the queries can be answered, and how well: the first sentence says it.
std::string conclusion(const Diagnosis& diagnosis, const DiagnosisContext& context);

/// One sentence a step, the most useful first; never empty.
std::vector<std::string> next_steps(const Diagnosis& diagnosis, const DiagnosisContext& context);

}  // namespace kedge
