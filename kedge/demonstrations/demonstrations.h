#pragma once

// Demonstrations: episodes of what was seen and what was done, beside Table the second thing that users
// bring.
//
// An episode has one observation and one action for each of its time steps. Goal columns are observations
// that say what the episode is for (a place to reach, a mass to push): they stay the same over an episode.
//
// Laws: observations and actions of an episode have the same number of rows, at least one; their columns are
// those of `observation_names` and `action_names`; every number is finite; goal columns are constant within
// an episode, bit for bit. `add` holds every episode to them.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kedge/core/matrix.h"

namespace kedge {

struct Episode {
  Matrix<double> observations;  ///< [steps, observation columns]
  Matrix<double> actions;       ///< [steps, action columns]

  size_t steps() const { return actions.rows(); }
};

/// Names of the columns of demonstrations; what two of them must share to be compared.
struct EpisodeColumns {
  std::vector<std::string> observations, actions;
  std::vector<std::string> goals;  ///< some of the observations

  bool operator==(const EpisodeColumns&) const = default;
};

class Demonstrations {
 public:
  Demonstrations() = default;
  /// `source` names where they came from in errors. Throws Error when a name is empty or taken twice, when
  /// there are no observations, actions or goals, and when a goal is not among the observations.
  Demonstrations(EpisodeColumns columns, std::string source);

  /// Throws Error, naming episode and column, when it breaks a law.
  void add(Episode episode);

  const EpisodeColumns& columns() const { return columns_; }
  const std::string& source() const { return source_; }
  size_t size() const { return episodes_.size(); }
  bool empty() const { return episodes_.empty(); }
  const Episode& operator[](size_t episode) const { return episodes_[episode]; }
  const std::vector<Episode>& episodes() const { return episodes_; }

  /// Where each goal column stands among the observations.
  const std::vector<size_t>& goal_places() const { return goal_places_; }
  /// [episodes, goal columns]
  Matrix<double> goals() const;

  /// The steps that every episode has. Throws Error when there are none or lengths differ.
  size_t common_steps() const;
  /// The first `steps` of every episode. Throws Error when one is shorter.
  Demonstrations first_steps(size_t steps) const;
  /// These episodes, in this order.
  Demonstrations select(std::span<const size_t> episodes) const;

 private:
  EpisodeColumns columns_;
  std::string source_ = "demonstrations";
  std::vector<size_t> goal_places_;
  std::vector<Episode> episodes_;
};

}  // namespace kedge
