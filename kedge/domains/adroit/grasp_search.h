#pragma once

// The search for a grasp: the cross-entropy method over 27 numbers of a CarryPlan (where the arm stops, how
// the fingers are opened and closed), and then the place in the hand at which the ball is carried.
//
// Every trial carries the ball to targets in support, so nothing is chosen by a target out of it.
//
// Law: the plan depends on seed, population and generations, not on the number of threads.

#include <cstddef>
#include <string>

#include "kedge/domains/adroit/carry.h"
#include "kedge/domains/simulated_domain.h"

namespace kedge {

struct GraspSearch {
  ExpertSearch search = {};
  size_t population = 48;
  size_t generations = 16;
};

struct FoundGrasp {
  CarryPlan plan;
  double score = 0;  ///< what the search makes small, see grasp_search.cpp
};

/// Throws Error when progress says stop.
FoundGrasp search_grasp(const GraspSearch& options);

/// The plan that the search finds, as JSON text that also says how it was made.
std::string search_adroit_expert(const GraspSearch& options);

}  // namespace kedge
