#pragma once

// Choosing a model by cross-validation, watched by a user: what `kedge cv` and `kedge fit --model auto`
// share.

#include "cli/fit_flags.h"
#include "kedge/core/json.h"
#include "kedge/trials/cross_validation.h"

namespace kedge {

/// Cross-validates with a progress bar. Throws Error when a signal stops it and when no model could be
/// scored.
CrossValidation cross_validate_watched(const Table& table, const FitOptions& base,
                                       const CrossValidationOptions& options, const FitFlags& flags);

Json to_json(const ModelScore& score);
/// The recommendation: model, extrapolates, kind, reason.
Json to_json(const Recommendation& recommendation);

}  // namespace kedge
