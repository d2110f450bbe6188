// In place of ranks_present.cpp where MPI was not found.

#include "cli/ranks.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {

std::unique_ptr<Ranks> join_ranks() {
  if (const int size = started_by_mpi().size; size > 1)
    throw Error("ranks",
                fmt::format("needs MPI to run as {} ranks; this kedge was built without it; start it without "
                            "mpirun, or take --shard",
                            size));
  return nullptr;
}

}  // namespace kedge
