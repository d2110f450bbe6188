#pragma once

// The search for the numbers of the slider's experts: the cross-entropy method, on balls with masses in
// support.
//
// A trial is an expert with certain numbers that plays a few balls. The masses are drawn afresh in every
// generation and the strike is shifted by up to one step of the simulation, so that no expert is chosen
// because its collisions fall at a lucky time within a step. An action that the motor cannot give is charged
// for: what is clipped teaches nothing.
//
// Law: the numbers depend on seed, population, generations and balls, not on the number of threads.

#include <cstddef>
#include <string>

#include "kedge/domains/simulated_domain.h"
#include "kedge/domains/slider/strike.h"

namespace kedge {

struct StrikeSearch {
  ExpertSearch search;
  size_t population = 32;
  size_t generations = 14;
  size_t balls = 20;  ///< in a trial
};

/// Throws Error when progress says stop.
StrikeNumbers search_strike(const SimulationSpec& simulation, const StrikeKind& kind,
                            const StrikeSearch& options);

/// The numbers of every kind, as JSON text that also says how it was made. Throws like `search_strike`.
std::string search_slider_experts(const SimulationSpec& simulation, const StrikeSearch& options);

}  // namespace kedge
