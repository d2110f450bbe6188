#pragma once

// Sweep: which of several fits is best for a table, each rehearsed with several seeds
// (kedge/trials/cross_validation.h has the shells and the units of errors).
//
// The best is the one of least `score`: what `weighed` says of its errors, the mean over seeds. It was chosen
// by them, so they look smaller than they are. `chosen_elsewhere` corrects for that: each shell is answered
// by the combination that does best on the other shells. Shells share rows, so that is not quite unseen
// either.
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

/// What a choice among these is worth: each shell answered by the one that does best on the other shells.
struct ChosenElsewhere {
  struct Choice {
    Shell shell;
    size_t chosen;  ///< its place among the scores
  };
  std::vector<Choice> choices = {};  ///< of the shells that could be judged
  SweepScore score = {};             ///< of a fit that had on each shell the errors of the one chosen for it
};
ChosenElsewhere chosen_elsewhere(std::span<const SweepScore> scores, Beyond beyond);

/// The simple model to take instead of what scores `grid`: the one of least score, where that is at most the
/// deviation over seeds worse. Of two that are as good by that measure the simple one is taken. Nothing where
/// none is as good.
std::optional<size_t> simple_instead(std::span<const SweepScore> simple, const Estimate& grid);

}  // namespace kedge
