#pragma once

// Goals of simulated domains: those of a file, and fresh ones out of a box.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kedge/core/matrix.h"
#include "kedge/domains/domain.h"

namespace kedge {

/// [goals, columns] of CSV text with a header line. Throws Error on text that is none.
Matrix<double> goals_from_csv(std::string_view text);

/// Uniform in the box from `low` to `high`, one row a goal. The sequence is named by (seed, split): the first
/// goals are the same whatever the count, and two splits share none.
Matrix<double> box_goals(std::span<const double> low, std::span<const double> high, size_t count, Split split,
                         uint64_t seed);

}  // namespace kedge
