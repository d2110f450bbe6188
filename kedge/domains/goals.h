#pragma once

// Goals of simulated domains: those of a file, and fresh ones out of a box.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "kedge/core/matrix.h"
#include "kedge/domains/domain.h"

namespace kedge {

/// [goals, columns] of CSV text with a header line. Throws Error on text that is none.
Matrix<double> goals_from_csv(std::string_view text);

/// What SimulatedDomain::published_goals is: the goals of one text out of support, of the other in it.
std::function<Matrix<double>(Split)> goals_of_texts(std::string_view in, std::string_view oos);

/// Uniform in the box from `low` to `high`, one row a goal. The sequence is named by (seed, split): the first
/// goals are the same whatever the count, and two splits share none.
Matrix<double> box_goals(std::span<const double> low, std::span<const double> high, size_t count, Split split,
                         uint64_t seed);

}  // namespace kedge
