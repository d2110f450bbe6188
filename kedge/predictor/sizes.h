#pragma once

// Sizes: how wide a network is, how long it is trained and on which loss follow the columns of the table,
// where the options leave it open. A table of few columns keeps the options of the preset, which were chosen
// on such tables; docs/presets.md has the figures.

#include <cstddef>

#include "kedge/predictor/options.h"
#include "kedge/table/table.h"

namespace kedge {

/// Tables of this many input columns or more have sizes of their own.
inline constexpr size_t fewest_wide_columns = 16;

/// The options with all that is open settled. A value that is not the default preset's counts as given. Steps
/// follow a batch that is given: as many pairs are seen. Models other than `bilinear` keep the preset's.
FitOptions sized(const FitOptions& options, size_t rows, size_t columns);
FitOptions sized(const FitOptions& options, const Table& table);

}  // namespace kedge
