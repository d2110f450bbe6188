#include "kedge/jobs/build.h"

#include "kedge/core/format.h"
#include "kedge/kernels/kernels.h"
#include "kedge_build.h"

namespace kedge {

const Build& build() {
  static const Build one{build_sources, build_compiler, kernels().name};
  return one;
}

std::string to_text(const Build& build) {
  return fmt::format("{}, {}, {}", build.sources, build.compiler, build.instructions);
}

}  // namespace kedge
