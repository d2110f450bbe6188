#pragma once

// What `kedge sweep` is asked for, and the fits that it is to try.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shard_flag.h"
#include "cli/training_table.h"
#include "kedge/jobs/sweep_job.h"
#include "kedge/trials/grid.h"

namespace kedge {

struct SweepFlags {
  FitFlags fit;  ///< of every combination, where the grid says nothing else
  std::vector<std::string> grid;
  size_t seeds = 3;
  double effort = 1;
  std::string folder = "out/sweep", jobs, model;
  ShardFlag shard;
  bool csv = false;

  std::vector<uint64_t> all_seeds() const;
  /// A file of the folder.
  std::string file(const std::string& name) const { return folder + "/" + name; }
};

/// A fit that is tried with every seed: a combination of the grid, or a simple model beside it.
struct SweepFit {
  std::string name;
  Combination combination = {};
  FitFlags flags = {};                  ///< as if written after `kedge fit`
  FitOptions options = {};              ///< of that fit, sizes settled
  double seconds = 0;                   ///< of its training, on one core, by an estimate
  std::vector<SweepTrial> trials = {};  ///< by seed
};

struct SweepPlan {
  std::vector<GridAxis> axes;
  std::vector<SweepFit> fits;       ///< of the grid, in its order
  std::vector<SweepFit> baselines;  ///< closed forms, the simplest first, but for those that the grid has
  TrainingTable training;           ///< of the first fit

  std::vector<Job> jobs() const;
  /// Those of the baselines alone.
  std::vector<Job> baseline_jobs() const;
};

/// Reads the table. Throws Error, or says that the usage is wrong, where a fit of some combination would;
/// where the grid is to blame, the words point to it.
SweepPlan plan_of(const SweepFlags& flags);

}  // namespace kedge
