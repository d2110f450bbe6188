#pragma once

// Answers: predictions and their verdicts as users see them, and the flags that move a verdict's thresholds.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "kedge/core/json.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/table.h"

namespace kedge {

/// One row per query, the kept columns first; NaN where there is nothing to say.
Table answer_table(const Predictions& predictions, std::vector<Column> kept = {});

/// [{"column": "speed", "amount": 12.5, "relative": 0.4}, ...]: why a query is not among the training rows. A
/// combination has no column.
Json outside_json(const std::vector<Departure>& departures, const std::vector<std::string>& inputs);

/// Whether an answer's column holds whole numbers: rows of the training table, or counts.
bool counts_rows(const std::string& column);

struct ThresholdFlags {
  std::optional<double> support_radius, delta_radius, edge_factor;
};

void declare(const Command& sub, ThresholdFlags& flags);

/// The model's thresholds with the given ones in their place; nothing when none was given. Throws Error on
/// numbers that are no thresholds.
std::optional<Thresholds> thresholds_of(const ThresholdFlags& flags, const Predictor& predictor);

}  // namespace kedge
