#pragma once

// Anchors by weight: which training rows answer a query when pairs have learned weights.
//
// `weight` trusts the rows whose weight is almost the greatest one (finer differences are a network's noise)
// and takes of these the ones whose difference to the query is nearest to one of the pool, then the lowest
// row. `weight_greatest` takes the row of greatest weight, of several the one of the nearest difference.
// `weight_sample` draws one row in proportion to its weight, the draw keyed by the query itself. So a
// choice is a pure function of (weights, index, point). Where every weight is 0, the closest differences
// decide, as they do without weights.

#include <span>
#include <vector>

#include "kedge/anchors/anchors.h"

namespace kedge {

/// Of the greatest weight, what a trusted row has at least.
inline constexpr float trusted_share = 0.8f;

/// `weights` has one number in [0, 1] for each training row; the rule goes by weight. Best first, never
/// empty.
std::vector<AnchorMatch> find_by_weight(const AnchorIndex& index, std::span<const float> weights,
                                        std::span<const double> point, const AnchorOptions& options);

}  // namespace kedge
