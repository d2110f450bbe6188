#include "kedge/kernels/kernels.h"

#include <cstdlib>
#include <string>

#include "kedge/core/error.h"
#include "kedge/core/shown.h"
#include "kedge/kernels/search_kernels.h"

namespace kedge {

extern const Kernels kernels_baseline, kernels_v3, kernels_v4;

namespace {

#if defined(__x86_64__) && defined(__clang__)
// clang 14 does not know the names of the levels. These are the extensions that it can ask for.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#elif defined(__x86_64__)
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_v4() { return __builtin_cpu_supports("x86-64-v4"); }
#endif

/// The best, or the one that the environment names.
const Kernels& chosen_kernels() {
  const KernelTables found = runnable_kernels();
  const char* asked = std::getenv("KEDGE_INSTRUCTIONS");
  if (asked == nullptr || *asked == '\0') return *found.tables[0];
  std::string names;
  for (size_t t = 0; t < found.count; ++t) {
    if (found.tables[t]->name == std::string(asked)) return *found.tables[t];
    names += (t > 0 ? ", " : "") + std::string(found.tables[t]->name);
  }
  throw Error("start", "KEDGE_INSTRUCTIONS needs an instruction set that this processor has; found " +
                           shown(asked) + "; take one of " + names);
}

}  // namespace

KernelTables runnable_kernels() {
  KernelTables found{};
#if defined(__x86_64__)
  if (has_v4()) found.tables[found.count++] = &kernels_v4;
  if (has_v3()) found.tables[found.count++] = &kernels_v3;
#endif
  found.tables[found.count++] = &kernels_baseline;
  return found;
}

const Kernels& kernels() {
  static const Kernels& chosen = chosen_kernels();
  return chosen;
}

const SearchKernels& search_kernels() { return *kernels().search; }

}  // namespace kedge
