#pragma once

// JobPlan: what jobs will take, told before any of them runs.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kedge/jobs/job.h"

namespace kedge {

/// Trainings of networks.
struct PlannedTrainings {
  size_t networks = 0;
  uint64_t steps = 0;          ///< of all of them
  double parameter_steps = 0;  ///< sum over networks of parameters times steps

  PlannedTrainings& operator+=(const PlannedTrainings& other);
};

/// A kind of network.
struct NetworkKind {
  int width = 0, layers = 0;
  std::string model;
  auto operator<=>(const NetworkKind&) const = default;
};

struct JobPlan {
  size_t jobs = 0;          ///< those of equal keys count once
  size_t closed_forms = 0;  ///< fits without training
  std::map<NetworkKind, PlannedTrainings> trainings;
  /// Episodes that policies and experts act in, by domain; demonstrations are not counted.
  std::map<std::string, size_t> episodes;

  PlannedTrainings all_trainings() const;
  size_t all_episodes() const;
};

/// Fits that several jobs ask count once.
JobPlan plan_of(const std::vector<Job>& jobs);

}  // namespace kedge
