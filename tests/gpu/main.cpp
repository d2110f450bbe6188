// Tests that need a device. Without one none of them tells anything: that is a failure and said in one line.

#include <gtest/gtest.h>

#include <cstdio>

#include "kedge/nn/engine_cuda.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const kedge::CudaDevice device = kedge::find_cuda_device();
  if (!device.missing.empty()) {
    std::fprintf(stderr, "kedge: these tests need a CUDA device; %s\n", device.missing.c_str());
    return 1;
  }
  std::printf("%s, %zu multiprocessors\n", device.name.c_str(), device.processors);
  return RUN_ALL_TESTS();
}
