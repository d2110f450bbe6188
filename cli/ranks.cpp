#include "cli/ranks.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace kedge {
namespace {

/// What a variable of the environment says; `otherwise` where it is no number.
int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  int number = otherwise;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace

Started started_by_mpi() {
  // Open MPI; MPICH and its kin; Slurm's own start, which tells the size in its own words.
  const struct {
    const char *rank, *size;
  } all[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
             {"PMI_RANK", "PMI_SIZE"},
             {"PMIX_RANK", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : all)
    if (std::getenv(rank)) return {std::max(0, number_in(rank, 0)), std::max(1, number_in(size, 1))};
  return {};
}

int threads_of_rank(const Ranks* ranks, int threads) {
  if (threads > 0 || !ranks) return threads;
  cpu_set_t set;
  const long there = ::sysconf(_SC_NPROCESSORS_ONLN);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(there);
  return std::max(1, allowed < there ? allowed : allowed / ranks->on_this_machine());
}

}  // namespace kedge
