#include "kedge/jobs/build.h"

#include "kedge/core/format.h"
#include "kedge/kernels/kernels.h"
#include "kedge_build.h"

namespace kedge {
namespace {

/// The C library fuses products and sums where the processor can, whatever the kernels do.
std::string instructions() {
  const KernelTables found = runnable_kernels();
  const bool is_baseline = &kernels() == found.tables[found.count - 1];
  return is_baseline && found.count > 1 ? fmt::format("{} on x86-64-v3", kernels().name) : kernels().name;
}

}  // namespace

const Build& build() {
  static const Build one{build_sources, build_compiler, instructions()};
  return one;
}

std::string to_text(const Build& build) {
  return fmt::format("{}, {}, {}", build.sources, build.compiler, build.instructions);
}

}  // namespace kedge
