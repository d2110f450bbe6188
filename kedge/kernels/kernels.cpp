#include "kedge/kernels/kernels.h"

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
  static const Kernels& best = *runnable_kernels().tables[0];
  return best;
}

const SearchKernels& search_kernels() { return *kernels().search; }

}  // namespace kedge
