#pragma once

// PolicyOptions: everything that decides what a policy learns from demonstrations. All of it is stored in the
// policy file.

#include <optional>
#include <string>
#include <vector>

#include "kedge/predictor/options.h"

namespace kedge {

/// How a policy is learned: a model of tables (kedge/models) and what it is given beside the observation.
struct PolicyModel {
  std::string name;
  std::string title;        ///< one line for lists
  std::string fit;          ///< the model of tables that it is; empty: a closed form of its own
  bool reads_time = false;  ///< whether the time step is an input
  std::optional<AnchorRule> anchors = {};  ///< the only rule it makes sense with; empty: the user's

  /// Whether it has a network that is trained, and no closed form.
  bool is_trained() const;
};

/// The models of tables that can act, and three simple ones: replay, ridge-by-step, mlp-time.
const std::vector<PolicyModel>& policy_models();

/// Throws Error naming the models there are.
const PolicyModel& find_policy_model(const std::string& name);

struct PolicyOptions {
  /// Differences of goals: a file does not hold them, each load draws them anew.
  static constexpr size_t most_pool = 4'000'000;

  std::string model = "bilinear";
  /// How the model is trained. `anchors` is the rule by which a demonstration is chosen, `pool` counts
  /// differences of goals, `epochs` count demonstrations and not rows. `model`, `pairs`, `context` and
  /// `space` are not looked at: pairs share a time step, and the goal columns are the context.
  FitOptions fit;
};

/// The presets of tables as they are for demonstrations: the released code and the paper's text take two
/// linear layers there. Throws Error naming what there is.
PolicyOptions policy_options(const std::string& preset, const std::string& model);

/// Throws Error when a number is out of its range.
void check(const PolicyOptions& options);

/// Steps of a training on this many demonstrations.
uint64_t training_steps(const PolicyOptions& options, size_t demonstrations);

std::string to_json(const PolicyOptions& options);
/// Throws Error on damaged text.
PolicyOptions policy_options_from_json(const std::string& text);

}  // namespace kedge
