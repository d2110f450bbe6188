#pragma once

// Policy: what was learned from demonstrations: which action to take, given an observation, so that the goal
// is reached. Made by imitate (kedge/imitation/imitate.h) or loaded.
//
// For a goal a demonstration is chosen, once: the anchor. At step t the observation meets the anchor's own
// observation at step t. The rule `many` chooses several, whose actions are averaged. Models that read no
// anchor act on the observation alone.
//
// Laws: an action is a pure function of (policy, goal, step, observation). load(save(p)) acts the same, bit
// for bit. All const members are safe from many threads.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/demonstrations/demonstrations.h"
#include "kedge/demonstrations/simulation.h"
#include "kedge/imitation/goal_index.h"
#include "kedge/imitation/options.h"
#include "kedge/predictor/predictor.h"

namespace kedge {

struct ImitationRequest;

class Policy {
 public:
  Policy(Policy&&) noexcept;
  Policy& operator=(Policy&&) noexcept;
  ~Policy();

  /// Acts by this policy, which must outlive it; steps after the first allocate nothing. `begin` throws Error
  /// when the goal has another width, `act` when an episode is longer than the demonstrations were.
  std::unique_ptr<Controller> controller() const;
  /// The same in up to `most` episodes that go in step; one pass of the network answers for all.
  std::unique_ptr<BatchController> batch_controller(size_t most) const;

  /// What can be said of goals, one a row. Throws Error when they have another width or are not finite.
  std::vector<GoalAnswer> judge(MatrixView<const double> goals) const;

  /// What it would do at each step of an episode, were the observations those of the episode.
  Matrix<double> actions(const Episode& episode) const;

  /// The file is replaced at once or not at all.
  void save(const std::string& path) const;
  static Policy load(const std::string& path);
  /// The same through memory; `source` is what errors call it.
  std::string to_bytes() const;
  static Policy from_bytes(std::string_view bytes, const std::string& source);

  const PolicyOptions& options() const;
  const EpisodeColumns& columns() const;
  size_t steps() const;           ///< of an episode
  size_t demonstrations() const;  ///< it was learned from
  const Matrix<double>& goals() const;
  /// How a goal finds its demonstration: the options' rule, or the only one that the model makes sense with.
  AnchorOptions anchor_rule() const;
  StoredCoverage coverage() const;
  void set_errors(const ErrorModel& errors);
  /// Of the network; null for closed forms of its own.
  const Predictor* predictor() const;
  const std::string& written_by() const;

  struct State;

 private:
  friend class PolicyDraft;
  friend Policy policy_of(const ImitationRequest& request, std::shared_ptr<const Predictor> network);
  explicit Policy(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Throws Error when a policy cannot act in a simulation: other columns, or longer episodes. `name` is what
/// the text calls the simulation.
void require_fitting(const Policy& policy, const SimulationSpec& simulation, const std::string& name);

}  // namespace kedge
