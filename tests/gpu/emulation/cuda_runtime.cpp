#include "cuda_runtime.h"

#include <cstdlib>
#include <cstring>

namespace {

using emulation::device;

/// Of what the device keeps.
std::mutex& of_device() {
  static std::mutex mutex;
  return mutex;
}
std::map<void*, size_t>& pieces() {
  static std::map<void*, size_t> all;
  return all;
}

thread_local cudaError_t last_error = cudaSuccess;

/// What goes wrong with all work of a device that is lost.
cudaError_t health() {
  const std::lock_guard lock(of_device());
  return device().launches_left == 0 ? cudaErrorLaunchFailure : cudaSuccess;
}

cudaError_t refusal(const emulation::Launch& launch) {
  const auto& [kernel, blocks, cluster, threads, shared_bytes] = launch;
  if (threads == 0 || threads > emulation::most_threads) return cudaErrorInvalidConfiguration;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return cudaErrorInvalidConfiguration;
  if (blocks.x > emulation::most_blocks_x || blocks.y > emulation::most_blocks_yz ||
      blocks.z > emulation::most_blocks_yz)
    return cudaErrorInvalidConfiguration;
  const unsigned most_of_cluster = device().architecture >= 90 ? emulation::most_of_cluster : 1;
  if (cluster > most_of_cluster || blocks.x % cluster != 0) return cudaErrorInvalidConfiguration;
  const std::lock_guard lock(of_device());
  const auto limit = device().shared_limits.find(kernel);
  const size_t most = limit == device().shared_limits.end() ? emulation::usual_shared_bytes : limit->second;
  return shared_bytes > most ? cudaErrorInvalidValue : cudaSuccess;
}

/// Counts a launch; the device that has none left is lost.
cudaError_t begin_launch() {
  if (device().before_launch) device().before_launch();
  const std::lock_guard lock(of_device());
  return device().launches_left == 0 || --device().launches_left == 0 ? cudaErrorLaunchFailure : cudaSuccess;
}

}  // namespace

namespace emulation {

cudaError_t told(cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}

cudaError_t limit_shared(const void* kernel, int bytes) {
  if (bytes < 0 || static_cast<size_t>(bytes) > most_shared_bytes()) return told(cudaErrorInvalidValue);
  const std::lock_guard lock(of_device());
  device().shared_limits[kernel] = static_cast<size_t>(bytes);
  return cudaSuccess;
}

void launch(const Launch& what, Stream* stream, const std::function<void()>& thread) {
  const auto work = [what, thread] {
    if (const cudaError_t lost = begin_launch(); lost != cudaSuccess) return lost;
    if (const cudaError_t refused = refusal(what); refused != cudaSuccess) return refused;
    run_blocks(what.blocks, what.threads, what.shared_bytes, thread, what.cluster);
    return cudaSuccess;
  };
  const cudaError_t refused = refusal(what);
  told(refused == cudaSuccess ? stream->take(work) : refused);
}

}  // namespace emulation

cudaError_t cudaGetLastError() {
  if (const cudaError_t lost = health(); lost != cudaSuccess) return lost;
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t) { return emulation::told(health()); }

cudaError_t cudaGraphLaunch(cudaGraphExec_t program, cudaStream_t) {
  for (const emulation::Work& work : *program)
    if (const cudaError_t status = work(); status != cudaSuccess) return emulation::told(status);
  return cudaSuccess;
}

constexpr int needed_driver = 13000;

cudaError_t cudaDriverGetVersion(int* version) { return *version = device().driver, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = needed_driver, cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  if (device().driver < needed_driver) return emulation::told(cudaErrorInsufficientDriver);
  *count = device().is_there ? 1 : 0;
  return device().is_there ? cudaSuccess : emulation::told(cudaErrorNoDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "emulated");
  properties->multiProcessorCount = 132;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = static_cast<int>(emulation::most_shared_bytes()), cudaSuccess;
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  if (const cudaError_t lost = health(); lost != cudaSuccess) return emulation::told(lost);
  const std::lock_guard lock(of_device());
  if (device().used + bytes > device().memory) {
    ++device().refused;
    return emulation::told(cudaErrorMemoryAllocation);
  }
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xff, bytes);
  pieces()[*data] = bytes;
  device().used += bytes;
  device().most_used = std::max(device().most_used, device().used);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
  const std::lock_guard lock(of_device());
  const auto piece = pieces().find(data);
  if (piece == pieces().end()) return emulation::told(cudaErrorInvalidValue);
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
