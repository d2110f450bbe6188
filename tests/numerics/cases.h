#pragma once

// The computations whose bits are committed. Each takes milliseconds. Where the program has a list of things
// (models, domains, presets, names of an enum), the computations go through that list, so a new thing has no
// entry and fails the test until it gets one.

#include <functional>

#include "kedge/nn/engine.h"
#include "tests/numerics/bits.h"

namespace kedge {

using EngineMaker =
    std::function<std::unique_ptr<Engine>(const Program&, const std::vector<std::vector<float>>&)>;

/// Ops, losses, Adam, ways to draw pairs, as one engine trains them.
void add_trainings(BitList& list, const EngineMaker& make, uint64_t steps);
/// Every model that is trained, `width` wide.
void add_trained_models(BitList& list, const EngineMaker& make, int width, uint64_t steps);

/// Random numbers, starting parameters, differences, decompositions, searches of anchors.
void add_parts(BitList& list);
/// Fits of a small table, one for each value of each option, and their answers.
void add_fits(BitList& list);
/// Rehearsals and what is settled by them: choice, calibration, tuning, scores, recommendations.
void add_trials(BitList& list);
/// Built-in domains, simulated robots, their experts and the searches for these.
void add_domains(BitList& list);
/// Policies, and jobs as experiments run them.
void add_jobs(BitList& list);

}  // namespace kedge
