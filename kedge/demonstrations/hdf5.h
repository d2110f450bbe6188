#pragma once

// Demonstrations in HDF5 files, as programs for robot learning keep them. Absent from a build without HDF5,
// where each function throws an Error that says so.
//
// Layouts that are read:
//   robomimic  /data/demo_0, /data/demo_1, ... each with `actions` [steps, width] and a group `obs` of
//              datasets [steps, width] or [steps]; `obs` may also be one dataset
//   Minari     /episode_0, /episode_1, ... each with `actions` [steps, width] and `observations`, a dataset
//              [steps + 1, width] or a group of them; the last observation, which no action follows, is left
//              out
// Episodes come in the order of their numbers. Whole numbers and floats of any size become doubles.
//
// A dataset is called by its key: its path below `obs` or `observations`, or that name where it is the whole.
// Its columns are named by its attribute `kedge_names`, a list of texts of fixed length, where it has one;
// otherwise a key of width 1 names its column, and one of width w its columns key_0 ... key_{w-1}.
//
// Files that are written have robomimic's layout: `obs/state` holds the observations that are no goals,
// `obs/goal` the goals. Attributes of /data give the order of all columns (`kedge_observations`), the goals
// (`kedge_goals`) and the facts.
//
// Laws: what was written is read back bit for bit, columns in their order; equal content makes equal files,
// byte for byte; a file is replaced whole or not at all. libhdf5 is called by one thread at a time and prints
// nothing; a program that calls it too must not do so meanwhile, unless its libhdf5 is built for threads.
// libhdf5 may fail in ways of its own on files made to attack it: read what you trust.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kedge/demonstrations/demonstrations.h"

namespace kedge {

/// Throws Error in a build without HDF5. `path` is the file that is wanted: for work whose result must not be
/// lost at its end.
void require_hdf5(const std::string& path);

struct ReadDemonstrations {
  /// Columns, or keys that stand for all their columns. Empty: those that the file names.
  std::vector<std::string> goal_columns = {};
  /// The datasets to read, in this order; a group stands for all below it. Empty: all of them, in the order
  /// that the file gives, by name where it gives none.
  std::vector<std::string> observation_keys = {};
};

/// Throws Error, naming file, episode and dataset, when the file has no such layout, is damaged, or lacks
/// what was asked for.
Demonstrations read_demonstrations(const std::string& path, const ReadDemonstrations& options = {});

/// How demonstrations came about; empty where it is not known.
struct DemonstrationFacts {
  std::string domain = {}, expert = {}, split = {}, command = {}, version = {};
  std::optional<uint64_t> seed = {};
  std::vector<double> errors = {};             ///< of each episode at its end, or none at all
  std::vector<std::optional<bool>> held = {};  ///< likewise

  bool operator==(const DemonstrationFacts&) const = default;
};

/// Throws Error when there are no demonstrations, when the facts are of another number of episodes, or when
/// the file cannot be written.
void write_demonstrations(const std::string& path, const Demonstrations& demonstrations,
                          const DemonstrationFacts& facts = {});

/// What the file says of itself: empty facts where another program wrote it. Throws like
/// read_demonstrations.
DemonstrationFacts read_facts(const std::string& path);

}  // namespace kedge
