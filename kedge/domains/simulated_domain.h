#pragma once

// SimulatedDomain: a simulated robot with goals in support and out of it, and experts that reach them: where
// demonstrations come from and policies are tried. Absent from a build without MuJoCo.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/matrix.h"
#include "kedge/demonstrations/simulation.h"
#include "kedge/domains/domain.h"

namespace kedge {

/// Who shows how it is done.
struct Expert {
  std::string name;   ///< "scripted"
  std::string title;  ///< what it does, in one sentence
  ControllerMaker make;
};

/// How an expert's parameters are searched for. Law: the result depends on the seed only, not on the threads.
struct ExpertSearch {
  uint64_t seed = 0;
  int threads = 0;  ///< 0: every core
  /// Called as trials end, from one thread at a time; returning false stops the search with an Error.
  std::function<bool(size_t done, size_t total)> progress = {};
};

struct SimulatedDomain {
  std::string name;    ///< as users write it
  std::string title;   ///< what it is, in one sentence
  std::string source;  ///< where its numbers come from
  SimulationSpec simulation;
  std::vector<Expert> experts;  ///< the first is the one demonstrations come from unless another is named
  /// Searches the parameters of the experts on goals in support, and gives them as JSON text. Empty when they
  /// are scripted.
  std::function<std::string(const ExpertSearch&)> search_expert = {};
  /// Experts with the parameters in such a text, named as those above; the first is the one searched for.
  /// Throws Error on text that is none. Empty when the expert is scripted.
  std::function<std::vector<Expert>(std::string_view text)> read_experts = {};
  /// Fresh goals [count, goal columns]: a pure function of (split, count, seed); `in` are fresh ones like
  /// `train`.
  std::function<Matrix<double>(Split, size_t count, uint64_t seed)> goals;
  /// The 50 goals of the paper's authors, for `in` (also called train) and `oos`.
  std::function<Matrix<double>(Split)> published_goals;
  std::vector<std::string> path;  ///< observation columns to draw: the place of what is moved
  size_t demonstrations = 1000;   ///< of the paper
};

/// In the order of the paper; empty in a build without MuJoCo.
const std::vector<SimulatedDomain>& simulated_domains();

/// Throws Error listing the names there are, or saying that this build has none.
const SimulatedDomain& find_simulated_domain(std::string_view name);

}  // namespace kedge
