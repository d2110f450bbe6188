#pragma once

// What can be told of a predictor without asking it anything.

#include <string>

#include "kedge/core/json.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

/// Of inputs and outputs, as users write it; empty where all columns are plain numbers.
std::string space_text(const Predictor& predictor);

/// Null for closed forms.
Json trained_steps_json(const Predictor& predictor);
/// Null where it was not measured.
Json anchor_stretch_json(const Predictor& predictor);

/// Columns, space, options, sizes, coverage: what `kedge info --json` prints.
Json predictor_json(const Predictor& predictor);

}  // namespace kedge
