#pragma once

// What 'kedge info' says of the theorem: the quantities of its bound, or why they are not computed.

#include <string>
#include <utility>
#include <vector>

#include "kedge/core/json.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

/// Whether to tell of the theorem where its premise does not hold, or only where it has something to say.
enum class TellTheorem { where_it_holds, always };

/// Why there is no theorem for a model that has none.
std::string why_no_theorem(const Predictor& predictor);

/// Adds the lines of the theorem; none where there is nothing to tell.
void add_theorem(const Predictor& predictor, TellTheorem tell,
                 std::vector<std::pair<std::string, std::string>>& facts);

/// All quantities; null where there is nothing to tell. Infinite numbers become null.
Json theorem_json(const Predictor& predictor, TellTheorem tell);

}  // namespace kedge
