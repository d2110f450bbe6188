#pragma once

// The CUDA engine: trains all replicas of a fleet side by side on one device, in the form (DeviceForm) that
// holds its program. Predictions are the CPU engine's. A build without CUDA has engine_cuda_absent.cpp in
// place of engine_cuda.cu.

#include <memory>
#include <string>
#include <vector>

#include "kedge/nn/engine.h"

namespace kedge {

struct CudaDevice {
  std::string name;     ///< empty where there is none
  std::string missing;  ///< why there is none, and what to do; empty where there is one
  size_t processors = 0;
};

/// The device that an engine would use.
CudaDevice find_cuda_device();

/// How products are computed: floats as sums of two TF32 numbers (as exact as floats, within 2^-22), or TF32
/// alone.
enum class CudaPrecision { exact, fast };

/// Throws Error where there is no device.
std::unique_ptr<Engine> make_cuda_engine(const Program& program,
                                         const std::vector<std::vector<float>>& parameters,
                                         CudaPrecision precision = CudaPrecision::exact);

}  // namespace kedge
