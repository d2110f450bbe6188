#pragma once

// The ranks of a run that mpirun (or srun) started. MPI is called by cli/mpi/ranks.cpp alone, a library
// of its own that is loaded when it is needed; a build without MPI does not make it.

#include <memory>

#include "kedge/core/error.h"
#include "kedge/jobs/ranks.h"

namespace kedge {

/// What the environment says before MPI is asked, so that other commands and plain runs do not wait for it.
struct Started {
  int rank = 0, size = 1;
};
Started started_by_mpi();

/// MPI knows of no other process, and the environment calls this one a later rank.
class LoneRank : public Error {
 public:
  using Error::Error;
};

/// The other processes of this run; null where there are none. To be called once, before anything that may
/// fail on one rank alone. Throws Error where this kedge has no MPI.
std::unique_ptr<Ranks> join_ranks();

/// Threads for this process, from what --threads says (0: not given): ranks of one machine share its cores,
/// unless each has been bound to some.
int threads_of_rank(const Ranks* ranks, int threads);

}  // namespace kedge
