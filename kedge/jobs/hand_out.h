#pragma once

// Handing out: rank 0 gives work to the ranks of a run as they ask for it, and to itself; the others send
// back what they find as they find it. Who computed what changes no result.

#include <span>
#include <vector>

#include "kedge/jobs/job_work.h"

namespace kedge {

/// Of rank 0: returns when all of the work is done and all other ranks have ended, or early once a stop is
/// wished. `sink` hears what all ranks found. Throws what a job of any rank throws.
void hand_out(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
              const WorkSink& sink);

/// Of the other ranks: computes what rank 0 gives until there is nothing left, or until `stopped`.
void take_work(const std::vector<Job>& jobs, const JobOptions& options, const std::function<bool()>& stopped);

/// Tells lists of jobs apart.
std::string list_name(const std::vector<Job>& jobs);

}  // namespace kedge
