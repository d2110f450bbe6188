#pragma once

// In place of CUDA's header of this name: what kedge/nn/*.cu take of it, on a CPU. Everything is done at once
// and in order; only a stream that captures keeps what it is given for later.

#include <math.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "block.h"

// Behind the standard's headers, of which some have these words too.
#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

struct dim3 : emulation::Index {
  dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : Index{nx, ny, nz} {}
};
extern emulation::Index threadIdx, blockIdx, blockDim, gridDim;

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float __uint_as_float(uint32_t x) { return std::bit_cast<float>(x); }
inline uint32_t __float_as_uint(float x) { return std::bit_cast<uint32_t>(x); }

inline void __syncthreads() { emulation::wait_at(0, emulation::threads_of_block()); }
inline void __syncwarp() { emulation::with_warp(nullptr, nullptr); }
template <class T>
T __shfl_xor_sync(uint32_t, T own, unsigned apart) {
  struct Lane {
    T value, other;
    unsigned apart;
  } lane{own, own, apart};
  emulation::with_warp(&lane, [](void* const(&lanes)[emulation::lanes_of_warp]) {
    for (unsigned i = 0; i < emulation::lanes_of_warp; ++i) {
      Lane& to = *static_cast<Lane*>(lanes[i]);
      to.other = static_cast<Lane*>(lanes[i ^ to.apart])->value;
    }
  });
  return lane.other;
}

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorNoDevice,
  cudaErrorInsufficientDriver,
  cudaErrorInvalidValue,
  cudaErrorInvalidConfiguration,
  cudaErrorLaunchFailure
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlockOptin };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
constexpr unsigned cudaStreamNonBlocking = 1, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;

struct cudaDeviceProp {
  char name[256];
  int multiProcessorCount;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes;  // what a kernel has without asking for it
  int ptxVersion;          // architecture that its code is made for
};

namespace emulation {
using Work = std::function<cudaError_t()>;
using Graph = std::vector<Work>;
struct Stream {
  bool captures = false;
  Graph captured = {};
  cudaError_t take(Work work) {
    if (!captures) return work();
    captured.push_back(std::move(work));
    return cudaSuccess;
  }
};

/// Keeps an error for cudaGetLastError, and returns it.
cudaError_t told(cudaError_t status);

/// What a launch asks for.
struct Launch {
  const void* kernel;
  Index blocks;
  unsigned cluster;  // blocks of one, along x
  unsigned threads;
  size_t shared_bytes;
};
/// Does it, or keeps it where the stream captures. What a device would refuse is told by cudaGetLastError; of
/// a graph the limits are looked at again when it is launched.
void launch(const Launch& what, Stream* stream, const std::function<void()>& thread);

cudaError_t limit_shared(const void* kernel, int bytes);
}  // namespace emulation
using cudaStream_t = emulation::Stream*;
using cudaGraph_t = emulation::Graph*;
using cudaGraphExec_t = emulation::Graph*;
using cudaEvent_t = void*;

inline const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNoDevice:
      return "no device";
    case cudaErrorInsufficientDriver:
      return "driver is too old";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
  }
  return "";
}
/// The last error of this thread, told once; that of a lost device, always.
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
inline cudaError_t cudaGetDevice(int* number) { return *number = 0, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int number);
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
  return *attributes = {0, emulation::device().architecture}, cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute, int bytes) {
  return emulation::limit_shared(reinterpret_cast<const void*>(kernel), bytes);
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return *stream = new emulation::Stream, cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = nullptr, cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t);

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return stream->captures = true, cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = new emulation::Graph(std::move(stream->captured));
  *stream = {};
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* program, cudaGraph_t graph, unsigned) {
  return *program = new emulation::Graph(*graph), cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t program) { return delete program, cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t program, cudaStream_t);

/// What is there at first are numbers that are no numbers.
cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* data, int byte, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream);
