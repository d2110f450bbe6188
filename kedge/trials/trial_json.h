#pragma once

// What fits and trials found, as JSON: the same objects from the command line, C and Python.

#include <optional>

#include "kedge/core/json.h"
#include "kedge/trials/budget.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/diagnosis.h"

namespace kedge {

/// "carries-over", "does-not-carry-over", "explains-little" or "unknown".
const char* kind_of(Carries carries);

Json to_json(const ModelScore& score);
/// The recommendation: model, extrapolates, kind, reason.
Json to_json(const Recommendation& recommendation);
Json to_json(const BudgetPlan& plan);

/// What was fitted, and how it went; `choice` and `plan` where a trial chose or a budget was planned.
Json fit_json(const FitResult& result, const std::optional<CrossValidation>& choice,
              const std::optional<BudgetPlan>& plan);

/// The rows of verdicts and of columns, and the counts; `coverage` is what the verdicts went by.
Json to_json(const Diagnosis& diagnosis, const StoredCoverage& coverage);

}  // namespace kedge
