// Holds a device to the bits that it is known to find, real or emulated. A device that nobody committed a
// list of is skipped.

#include <gtest/gtest.h>

#include "kedge/jobs/build.h"
#include "kedge/jobs/numerics.h"
#include "kedge/nn/engine_cuda.h"
#include "tests/numerics/cases.h"

namespace kedge {
namespace {

TEST(DeviceBits, are_those_of_the_committed_list) {
  const CudaDevice device = find_cuda_device();
  if (!device.missing.empty()) GTEST_SKIP() << device.missing;
  const bool is_emulated = device.name == "emulated";
  const uint64_t steps = is_emulated ? 2 : 100;
  BitList found;
  for (const auto& [precision, name] :
       {std::pair{CudaPrecision::exact, ""}, std::pair{CudaPrecision::fast, "TF32: "}}) {
    const auto make = [precision = precision](const Program& program,
                                              const std::vector<std::vector<float>>& parameters) {
      return make_cuda_engine(program, parameters, precision);
    };
    BitList one;
    add_trainings(one, make, steps);
    // Of all three forms.
    for (int width : {20, 150}) add_trained_models(one, make, width, steps);
    found.add_all(name, one);
  }
  expect_committed({.made_by = is_emulated ? "emulated by " + build().compiler : device.name,
                    .version_name = "cuda_numerics_version",
                    .version = cuda_numerics_version},
                   found);
}

}  // namespace
}  // namespace kedge
