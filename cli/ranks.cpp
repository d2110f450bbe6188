#include "cli/ranks.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

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
    if (std::getenv(rank) && number_in(size, 1) > 1)
      return {std::max(0, number_in(rank, 0)), number_in(size, 1)};
  return {};
}

std::unique_ptr<Ranks> join_ranks() {
  const auto [rank, size] = started_by_mpi();
  if (size == 1) return nullptr;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  void* library = nullptr;
  // Beside the program in a build, under lib where it is installed. MPI's own parts look for its names.
  for (const char* place : {"libkedge_mpi.so", "../lib/kedge/libkedge_mpi.so"})
    if (!library) library = ::dlopen((program / place).c_str(), RTLD_NOW | RTLD_GLOBAL);
  using Make = Ranks* (*)();
  const Make make = library ? reinterpret_cast<Make>(::dlsym(library, "kedge_mpi_ranks")) : nullptr;
  if (!make)
    throw Error("ranks",
                fmt::format("needs MPI to run as {} ranks; this kedge was built or installed without "
                            "it; take --shard instead, or start it without mpirun",
                            size));
  std::unique_ptr<Ranks> ranks(make());
  // Whoever started one process has one, whatever the environment says. A later rank would wait for a first
  // one that is not there.
  if (ranks->size() == 1 && rank > 0)
    throw LoneRank(
        "ranks", fmt::format("the environment calls this process rank {} of {}, but MPI knows of no others; "
                             "start kedge itself by mpirun, or unset the variable of the rank "
                             "(OMPI_COMM_WORLD_RANK, PMI_RANK or PMIX_RANK)",
                             rank, size));
  if (ranks->size() == 1) return nullptr;
  return ranks;
}

int threads_of_rank(const Ranks* ranks, int threads) {
  if (threads > 0 || !ranks) return threads;
  cpu_set_t set;
  const long there = ::sysconf(_SC_NPROCESSORS_ONLN);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(there);
  return std::max(1, allowed < there ? allowed : allowed / ranks->on_this_machine());
}

}  // namespace kedge
