// A build without CUDA; engine_cuda.cu stands here in one with it.

#include "kedge/core/error.h"
#include "kedge/nn/engine_cuda.h"

namespace kedge {

CudaDevice find_cuda_device() {
  return {.name = {},
          .missing = "this kedge was built without CUDA; train on the CPU, or build kedge where nvcc is"};
}

std::unique_ptr<Engine> make_cuda_engine(const Program&, const std::vector<std::vector<float>>&,
                                         CudaPrecision) {
  throw Error("cuda", "needs a CUDA device; " + find_cuda_device().missing, "device");
}

}  // namespace kedge
