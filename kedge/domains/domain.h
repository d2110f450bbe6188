#pragma once

// Domain: a problem with known answers on which extrapolation is measured. It makes tables of three kinds,
// and a table is a pure function of (domain, split, rows, seed):
//
//   train   what a model may see
//   in      fresh rows of the same distribution as train
//   oos     rows out of support: none of them lies where train rows can lie
//
// The columns of a table have their roles (input, output, ...) set.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/table/table.h"

namespace kedge {

/// Values number the random sequences of a domain: append, never renumber.
enum class Split : uint64_t { train = 0, in = 1, oos = 2 };

struct Domain {
  std::string name;    ///< as users write it: lower case, words joined by '-'
  std::string title;   ///< what it is, in one sentence
  std::string source;  ///< figure and appendix of the paper, or where its law comes from
  std::function<Table(Split, size_t rows, uint64_t seed)> sample;
  std::string same_unit{};        ///< columns of one unit, see SameUnit::parse
  bool fourier_in_paper = false;  ///< whether the paper trains its models with a Fourier layer here
  std::string space{};            ///< what a difference of its inputs is, see Space::parse
  /// Whether it took no part in any choice of presets and thresholds.
  bool fresh = false;
};

/// Every domain there is: the functions of one variable, the tiles, the grasps, the laws. Names are unique.
const std::vector<Domain>& all_domains();

/// Throws Error listing the names there are.
const Domain& find_domain(std::string_view name);

}  // namespace kedge
