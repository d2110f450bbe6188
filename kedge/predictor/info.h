#pragma once

// What can be told of a predictor without asking it anything.

#include <optional>
#include <string>

#include "kedge/core/json.h"
#include "kedge/nn/device.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

/// Of inputs and outputs, as users write it; empty where all columns are plain numbers.
std::string space_text(const Predictor& predictor);

/// Null for closed forms.
Json trained_steps_json(const Predictor& predictor);
/// {"device": "cuda", "name": "NVIDIA H200"}; null for closed forms, and the name for the CPU.
Json device_json(const std::optional<UsedDevice>& device);
/// Null where it was not measured.
Json anchor_stretch_json(const Predictor& predictor);

/// Columns, space, options, sizes, coverage: what `kedge info --json` prints.
Json predictor_json(const Predictor& predictor);

}  // namespace kedge
