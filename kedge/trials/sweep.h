#pragma once

// Sweep: which of several fits is best for a table, each rehearsed with several seeds
// (kedge/trials/cross_validation.h has the shells and the units of errors).
//
// The best is the one of least `score`: what `weighed` says of its errors, the mean over seeds. So its own
// errors are rather too small: it was chosen by them. What the choice is worth is told by choosing anew for
// each shell, on the others: `chosen_elsewhere`. Shells share rows, so that is not quite unseen either.
//
// All of this is a function of scores; who trained what, and when, makes no difference.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kedge/trials/cross_validation.h"

namespace kedge {

struct SweepScore {
  std::string name = {};                    ///< "width=32 embedding=16"
  std::vector<ModelScore> by_seed = {};     ///< one for each seed, summarized
  Estimate in = {}, out = {}, beyond = {};  ///< over seeds, of the means over shells; see ModelScore
  Estimate score = {};                      ///< over seeds, of `weighed`: the logarithm of an error
  std::string failure = {};                 ///< why it has none: a seed that failed; empty when it has
};

/// Of one fit. There must be a seed.
SweepScore sweep_score(std::string name, std::vector<ModelScore> by_seed, Beyond beyond);

/// The one of least score, the first of equal ones; nothing where all failed.
std::optional<size_t> best_of(std::span<const SweepScore> scores);

/// The errors of what is chosen on the other shells, shell by shell.
struct ChosenElsewhere {
  struct Choice {
    Shell shell;
    size_t chosen;  ///< its place among the scores
  };
  std::vector<Choice> choices = {};         ///< of the shells that could be judged
  Estimate in = {}, out = {}, beyond = {};  ///< over seeds, as in SweepScore
};
ChosenElsewhere chosen_elsewhere(std::span<const SweepScore> scores, Beyond beyond);

}  // namespace kedge
