#pragma once

// Variants: small changes of the options that suit some tables better. The model that cross-validation
// recommends, and the quickest models, are scored again with each that applies, on the same shells and in the
// same units.
//
//   logarithm of an input   for inputs above 0 that span more than two decades, without a twentieth of the
//                           rows at either end
//   logarithm of outputs    for outputs above 0 of which the largest tenth is over three times the smallest
//
// A new variant is one more entry in `variants_of`.

#include <optional>
#include <string>
#include <vector>

#include "kedge/trials/cross_validation.h"

namespace kedge {

struct Variant {
  std::string space;  ///< what to add to FitOptions::space
  FitOptions options;
};

struct VariantScore {
  Variant variant;
  ModelScore score;
};

/// Those that apply to a table, each with the whole options: at most four.
std::vector<Variant> variants_of(const Table& table, const FitOptions& options);

/// Of the model that was recommended, and of `linear` and `quadratic` where they were scored. Empty when no
/// variant applies, and after a stop.
std::vector<VariantScore> try_variants(const Table& table, const CrossValidation& found,
                                       const CrossValidationOptions& options, const RunOptions& run);

/// The variant of least error out of support, if that is at most four fifths of the error without, that of
/// the recommended model: less may be luck.
std::optional<VariantScore> best_variant(const std::vector<VariantScore>& scores, const ModelScore& without);

/// One space text after another.
std::string joined_space(const std::string& space, const std::string& addition);

}  // namespace kedge
