#include "kedge/kernels/kernels.h"

#include "kedge/kernels/search_kernels.h"

namespace kedge {

KernelTables runnable_kernels() {
  KernelTables found{};
  if (__builtin_cpu_supports("x86-64-v4")) found.tables[found.count++] = &kernels_v4;
  if (__builtin_cpu_supports("x86-64-v3")) found.tables[found.count++] = &kernels_v3;
  found.tables[found.count++] = &kernels_v1;
  return found;
}

const Kernels& kernels() {
  static const Kernels& best = *runnable_kernels().tables[0];
  return best;
}

const SearchKernels& search_kernels() {
  static const SearchKernels& best =
      &kernels() == &kernels_v4 ? search_v4 : (&kernels() == &kernels_v3 ? search_v3 : search_v1);
  return best;
}

}  // namespace kedge
