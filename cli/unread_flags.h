#pragma once

// Flags that a model would pass over in silence: wrong usage, better said.

#include <string>

#include "cli/fit_flags.h"

namespace kedge {

/// Refuses flags of networks, for a model with a closed form.
void refuse_network_flags(const FitFlags& flags, const std::string& model);
/// Refuses flags of anchors, for a model that searches none.
void refuse_anchor_flags(const FitFlags& flags, const std::string& model);
/// Refuses every flag that a fit of this model would pass over.
void refuse_unread_flags(const FitFlags& flags, const std::string& model);

/// Wrong usage where a trial finds what a flag says, or where no trial is asked for that a flag is about.
void refuse_trial_flags(const FitFlags& flags);

}  // namespace kedge
