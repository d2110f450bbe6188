#pragma once

// The name that a mistyped one was meant to be, for errors that suggest it.

#include <string>
#include <string_view>
#include <vector>

namespace kedge {

/// The one of `names` that is nearest to `name`: by letters left out, put in, exchanged for another, or
/// swapped with the next one. Case counts nothing, and so does which of '-', '_' and ' ' stands between
/// words. Empty unless it is close (no slip in two letters, one in three to five, two in more) and no other
/// name is as close.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

/// `did you mean "speed"?`, or `otherwise` where no name is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names,
                         const std::string& otherwise);

}  // namespace kedge
