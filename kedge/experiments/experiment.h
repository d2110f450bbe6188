#pragma once

// Experiment: a table or a figure that can be made again by one command. It is a list of jobs and what is
// made of their results.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/experiments/result.h"
#include "kedge/jobs/policy_job.h"

namespace kedge {

/// How much of an experiment is run.
struct Extent {
  /// One size of networks, few steps, one seed: its numbers show that all is in place, no more.
  bool quick = false;
  /// The paper's whole search: both presets and all seeds in every cell that it searched.
  bool full = false;
  /// Widths of the networks that searches over sizes take. Empty: 32, where `full` the paper's.
  std::vector<int> widths = {};
  /// What policies of all experiments learn from.
  std::shared_ptr<DemonstrationStore> demonstrations = std::make_shared<DemonstrationStore>();
};

/// The paper's search is over 32, 512 and 1024 units.
inline constexpr std::array<int, 3> paper_widths = {32, 512, 1024};

/// Widths that a search takes.
std::vector<int> widths_of(const Extent& extent);

/// Those of the paper's widths that it leaves out.
std::vector<int> missing_widths(const Extent& extent);

/// "32, 512 and 1024", for notes.
std::string in_words(const std::vector<int>& numbers);

/// Seeds that every fit is repeated with: three, one for a quick run.
std::vector<uint64_t> seeds_of(const Extent& extent);

/// Those presets of a table that are run. A quick run leaves out `paper`, which goes the same ways as
/// `released`.
std::vector<std::string> presets_of(std::vector<std::string> all, const Extent& extent);

struct Experiment {
  std::string id;     ///< "table-scaled"
  std::string title;  ///< in one sentence
  std::function<std::vector<Job>(const Extent&)> jobs;
  /// Fills notes, cells, charts and seeds from the jobs' results.
  std::function<void(const Extent&, const JobResults& results, Result& result)> assemble;
  bool over_widths = false;  ///< whether it is a search over the widths of `Extent`
};

/// Every experiment there is, in the order of the paper, ours last. Ids are unique.
const std::vector<Experiment>& all_experiments();

/// Throws Error listing the ids there are.
const Experiment& find_experiment(std::string_view id);

/// What an experiment took of a run that made several.
struct ReproducedPart {
  std::string id;
  size_t jobs = 0;  ///< that no experiment before it asked for
  Spent spent;      ///< on these by this run
  bool is_made = false;
};

struct Reproduction {
  std::vector<ReproducedPart> parts;  ///< in the order of the experiments
  JobRun run;
};

/// Runs what is missing of the jobs of all experiments as one list, those with equal keys once. `made` gets
/// each result as soon as its own jobs are complete, in the order of the experiments, one call at a time.
/// Where the run is a shard, results whose jobs other shards still owe are not made. With ranks only rank 0
/// makes any.
Reproduction reproduce(const std::vector<const Experiment*>& experiments, const Extent& extent,
                       const JobOptions& options, const JobWatch& watch,
                       const std::function<void(const Result&)>& made);

}  // namespace kedge
