#pragma once

// Choosing a model by cross-validation, watched by a user: what `kedge cv` and `kedge fit --model auto`
// share.

#include "cli/fit_flags.h"
#include "kedge/trials/cross_validation.h"
#include "kedge/trials/variants.h"

namespace kedge {

/// Cross-validates with a progress bar. Throws Error when a signal stops it and when no model could be
/// scored.
CrossValidation cross_validate_watched(const Table& table, const FitOptions& base,
                                       const CrossValidationOptions& options, const FitFlags& flags);

/// The recommended model with each variant that applies, watched in the same way.
std::vector<VariantScore> try_variants_watched(const Table& table, const CrossValidation& found,
                                               const CrossValidationOptions& options, const FitFlags& flags);

/// What tuning found, as ", anchors all=200, outward from=0.6,high=0.5".
std::string tuned_words(const FitOptions& options);

}  // namespace kedge
