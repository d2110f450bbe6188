#pragma once

// The job that the decision-making tables are made of: a policy is learned from demonstrations of a simulated
// domain and acts for goals in support and out of it. The expert and the policies act for the same goals.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/domains/simulated_domain.h"
#include "kedge/imitation/imitate.h"
#include "kedge/jobs/job.h"

namespace kedge {

/// What demonstrations come from.
struct DemonstrationSpec {
  std::string domain;
  std::string expert;  ///< of the domain's
  size_t count = 0;
  uint64_t seed = 0;  ///< of their goals
};

/// Demonstrations that several jobs learn from, each collected once, when the first job asks. Safe from many
/// threads.
class DemonstrationStore {
 public:
  /// `threads` collect them; 0: every core.
  explicit DemonstrationStore(int threads = 1) : threads_(threads) {}

  std::shared_ptr<const Demonstrations> get(const DemonstrationSpec& spec);

 private:
  struct Entry {
    std::once_flag once;
    std::shared_ptr<const Demonstrations> demonstrations;
  };
  const int threads_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

struct PolicySpec {
  DemonstrationSpec demonstrations;
  /// Nothing: the expert itself acts.
  std::optional<PolicyOptions> options = {};
  size_t goals = 50;        ///< of each list, at most
  bool fresh = true;        ///< whether it acts for goals that took no part in any choice too
  uint64_t fresh_seed = 0;  ///< of these
};

/// A few rows of the columns that the policy's network is fitted on, without demonstrations, and its options.
/// For estimates of what it takes; only for models with a network.
PolicyRows policy_shape(const PolicySpec& spec);

Job policy_job(const PolicySpec& spec, const std::shared_ptr<DemonstrationStore>& store);

/// The episodes of one list of goals.
struct EpisodeScores {
  std::vector<double> errors;  ///< infinite where the simulation broke down
  std::vector<double> held;    ///< 1 or 0; empty where nothing is to be held
  void add(const EpisodeScores& other);
};

/// Of the first goals, for pictures.
struct EpisodePath {
  std::vector<double> goal;
  Matrix<double> places;        ///< the domain's path columns, some steps
  std::vector<double> actions;  ///< the first action, at every step
};

struct PolicyScores {
  size_t failed = 0;  ///< policies whose training diverged; they have no episodes
  /// The authors' goals, and fresh ones that took no part in any choice.
  EpisodeScores in, oos, fresh_in, fresh_oos;
  std::vector<EpisodePath> in_paths, oos_paths;  ///< none where no picture draws the job
  void add(const PolicyScores& other);
};

/// Of one of the jobs that were run.
PolicyScores scores_of(const PolicySpec& spec, const JobResults& results);

/// Of several jobs together.
PolicyScores joined(const std::vector<PolicySpec>& specs, const JobResults& results);

}  // namespace kedge
