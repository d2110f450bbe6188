#pragma once

// Grid: settings of a fit that are to be tried, each with its values, and all combinations of these.
//
//   width=32,64               the setting `width` with two values
//   outward=none;from=0.6     values with semicolons between, where a value itself may have commas
//
// Names are those of FitSettings with dashes, as flags have them: `learning-rate`; `learning_rate` is read
// too. `none` is an empty text, for settings that may be left out.
//
// Laws: combinations come in the order of the texts, the last axis the fastest; each is there once.

#include <string>
#include <utility>
#include <vector>

#include "kedge/trials/settings.h"

namespace kedge {

struct GridAxis {
  std::string name;                 ///< "learning-rate"
  std::vector<std::string> values;  ///< as written
};

/// A value for each axis.
using Combination = std::vector<std::pair<std::string, std::string>>;

/// Combinations that a grid has at most.
inline constexpr size_t most_combinations = 10000;

/// Settings that can be tried: those that change what a rehearsal fits. The seed is none of them.
const std::vector<std::string>& grid_names();

/// The name that FitSettings have for one of the grid: "learning_rate".
std::string setting_of(std::string name);

/// One axis for each text. Throws Error on a text without a name or values, a name that is unknown, that
/// cannot be tried or that comes twice, a value that is no number where one is needed or that comes twice,
/// and on too many combinations. What a text names is looked at by fit_options.
std::vector<GridAxis> parse_grid(const std::vector<std::string>& texts);

/// All of them; of no axes one that says nothing.
std::vector<Combination> combinations(const std::vector<GridAxis>& axes);

/// The settings with a combination over them.
FitSettings with(FitSettings settings, const Combination& combination);

/// "width=32 embedding=16".
std::string to_text(const Combination& combination);

}  // namespace kedge
