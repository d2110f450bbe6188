#include "cuda_runtime.h"

#include <cstdlib>
#include <cstring>

namespace {

using emulation::device;

std::mutex& of_memory() {
  static std::mutex mutex;
  return mutex;
}
std::map<void*, size_t>& pieces() {
  static std::map<void*, size_t> all;
  return all;
}

}  // namespace

constexpr int needed_driver = 13000;

cudaError_t cudaDriverGetVersion(int* version) { return *version = device().driver, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = needed_driver, cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  if (device().driver < needed_driver) return cudaErrorInsufficientDriver;
  *count = device().is_there ? 1 : 0;
  return device().is_there ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "emulated");
  properties->multiProcessorCount = 132;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 227 * 1024;
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  const std::lock_guard lock(of_memory());
  if (device().used + bytes > device().memory) {
    ++device().refused;
    return cudaErrorMemoryAllocation;
  }
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xff, bytes);
  pieces()[*data] = bytes;
  device().used += bytes;
  device().most_used = std::max(device().most_used, device().used);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
  const std::lock_guard lock(of_memory());
  const auto piece = pieces().find(data);
  if (piece == pieces().end()) return cudaErrorInvalidValue;
  device().used -= piece->second;
  pieces().erase(piece);
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* data, int byte, size_t bytes, cudaStream_t) {
  std::memset(data, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
