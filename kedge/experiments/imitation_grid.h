#pragma once

// Rows and columns of the decision-making tables: which policies they are made of, and the cells they become.

#include <memory>
#include <string>
#include <vector>

#include "kedge/experiments/experiment.h"
#include "kedge/jobs/policy_job.h"

namespace kedge {

/// A method as the paper's columns name it, and ours that it has not.
struct PolicyMethod {
  std::string column;
  std::string model;  ///< empty: the expert itself
};

/// The expert, the published ones in the paper's order, and ours.
const std::vector<PolicyMethod>& policy_methods();
/// How many of them, from the first, have published values: the expert and five.
inline constexpr size_t published_methods = 6;

/// A row of a table.
struct PolicyRow {
  std::string row, domain;
  std::string expert = {};                   ///< empty: the domain's first
  size_t demonstrations = 0;                 ///< 0: as many as the paper's
  std::vector<Measured> published_oos = {};  ///< of the published methods, in order; empty without
  std::vector<Measured> published_in = {};
  bool one_seed = false;  ///< for rows that take long, unless the extent is full
};

struct PolicyGrid {
  std::vector<PolicyRow> rows;
  std::vector<std::string> presets;
  std::vector<int> layers = {2};
  Fourier fourier = Fourier::off;
  /// Preset released, and paper when full: as many widths as are asked for; else 32.
  bool over_widths = false;
  bool shows_fresh = false;  ///< also the goals that took no part in any choice
};

/// The policies of one cell: over sizes and seeds.
struct PolicyCell {
  PolicyRow row;
  size_t method = 0;
  std::string preset;
  std::vector<PolicySpec> specs;
};

/// Nothing in a build without simulations.
std::vector<PolicyCell> cells_of(const PolicyGrid& grid, const Extent& extent);

/// A size of networks.
struct PolicySize {
  int layers = 0, width = 0;  ///< 0: the preset's
};

/// The sizes of a preset, which the paper's search is over; preset default has its own.
std::vector<PolicySize> searched_sizes(const std::vector<int>& layers, const std::string& preset,
                                       const Extent& extent);

/// Seeds of a size: networks wider than 32 have one, unless the extent is full.
std::vector<uint64_t> seeds_of(const PolicySize& size, const Extent& extent);

/// Gives a policy this size. Of the wide ones of a full extent no table shows fresh goals.
void take_size(const PolicySize& size, const Extent& extent, PolicySpec& spec);

/// The options of a policy of a grid.
PolicyOptions grid_options(const std::string& preset, const std::string& model, uint64_t seed,
                           const Extent& extent);

/// What a row's policies learn from, and how many goals they are tried on.
PolicySpec grid_spec(const PolicyRow& row, uint64_t seed, const Extent& extent);

/// A job for each policy of the grid.
std::vector<Job> policy_jobs(const PolicyGrid& grid, const Extent& extent);

/// The cells of the grid, and what a reader must know of them.
void add_policies(const PolicyGrid& grid, const Extent& extent, const JobResults& results, Result& result);

}  // namespace kedge
