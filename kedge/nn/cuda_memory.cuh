#pragma once

// Memory of the device, and copies of host arrays in it. All of it belongs to one stream, so that trainings
// of several threads do not wait for each other.

#include <cuda_runtime.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/pairs/pair_features.h"

namespace kedge::cuda {

/// There is not enough memory on the device.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

inline void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it is told once
  const std::string found = std::string(what) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation)
    throw OutOfMemory("cuda", "needs more memory on the device; found: " + found + "; train on the CPU",
                      "device");
  throw Error("cuda", "needs a device that works; found: " + found + "; train on the CPU", "device");
}

/// Bytes of shared memory that a launch may ask for, for each block of this kernel.
template <class Kernel>
size_t most_shared(Kernel* kernel) {
  int device = 0, most = 0;
  require(cudaGetDevice(&device), "device");
  require(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "device");
  cudaFuncAttributes own{};
  require(cudaFuncGetAttributes(&own, kernel), "kernel");
  return static_cast<size_t>(most) - own.sharedSizeBytes;
}

/// Lets launches ask for all of it. The limit is one number of the process: as it is always the same one, no
/// thread lowers it under another.
template <class Kernel>
void allow_most_shared(Kernel* kernel) {
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(most_shared(kernel))),
          "shared memory");
}

/// A queue of work of its own. Who waits for it does not keep a core busy.
class Queue {
 public:
  Queue() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaEventCreateWithFlags(&done_, cudaEventBlockingSync | cudaEventDisableTiming), "event");
  }
  ~Queue() {
    cudaStreamSynchronize(stream_);
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait(const char* what) const {
    require(cudaEventRecord(done_, stream_), what);
    require(cudaEventSynchronize(done_), what);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

/// Memory that goes with this object. The stream outlives it.
template <class T>
class Array {
 public:
  Array(size_t count, const Queue& stream) : stream_(stream) {
    void* data = nullptr;
    if (count > 0) require(cudaMallocAsync(&data, count * sizeof(T), stream), "memory");
    data_ = static_cast<T*>(data);
  }
  ~Array() {
    if (data_) cudaFreeAsync(data_, stream_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return data_; }
  void write(const T* host, size_t count, size_t at = 0) {
    if (count == 0) return;
    require(cudaMemcpyAsync(data_ + at, host, count * sizeof(T), cudaMemcpyHostToDevice, stream_), "copy");
  }
  void write(const std::vector<T>& host) { write(host.data(), host.size()); }
  /// Waits for all work of the stream.
  void read(T* host, size_t count, size_t at = 0) const {
    stream_.wait("run");
    require(cudaMemcpyAsync(host, data_ + at, count * sizeof(T), cudaMemcpyDeviceToHost, stream_), "copy");
    stream_.wait("copy");
  }

 private:
  const Queue& stream_;
  T* data_ = nullptr;
};

/// Copies of host arrays, one of each however often it is asked for.
class Uploads {
 public:
  explicit Uploads(const Queue& stream) : stream_(stream) {}

  template <class T>
  T* copy(const T* host, size_t count) {
    if (count == 0) return nullptr;
    const size_t bytes = count * sizeof(T);
    std::unique_ptr<Array<unsigned char>>& array = copies_[{host, bytes}];
    if (!array) {
      array = std::make_unique<Array<unsigned char>>(bytes, stream_);
      array->write(reinterpret_cast<const unsigned char*>(host), bytes);
    }
    return reinterpret_cast<T*>(array->data());
  }
  template <class T>
  T* copy(const std::vector<T>& host) {
    return copy(host.data(), host.size());
  }
  template <class T>
  std::span<const T> copy(std::span<const T> host) {
    return {copy(host.data(), host.size()), host.size()};
  }
  template <class T>
  MatrixView<const T> copy(MatrixView<const T> host) {
    return {copy(host.data(), host.rows() * host.cols()), host.rows(), host.cols()};
  }

  TrainingData copy(const TrainingData& data) {
    TrainingData on_device = data;
    on_device.rows.features = copy(data.rows.features);
    on_device.rows.outputs = copy(data.rows.outputs);
    on_device.rows.curved = {copy(data.rows.curved.groups), copy(data.rows.curved.mean),
                             copy(data.rows.curved.scale)};
    // Points are read for curved features only.
    if (!data.rows.curved.groups.empty()) on_device.rows.points = copy(data.rows.points);
    on_device.pairs.group_of = copy(data.pairs.group_of);
    on_device.pairs.place = copy(data.pairs.place);
    on_device.pairs.order = copy(data.pairs.order);
    on_device.pairs.start = copy(data.pairs.start);
    on_device.pairs.before = copy(data.pairs.before);
    on_device.pairs.guide = copy(data.pairs.guide);
    on_device.pairs.alias = copy(data.pairs.alias);
    on_device.pairs.list = copy(data.pairs.list);
    on_device.pairs.entries = copy(data.pairs.entries);
    on_device.pair_targets = copy(data.pair_targets);
    on_device.pair_weights = copy(data.pair_weights);
    return on_device;
  }

 private:
  const Queue& stream_;
  std::map<std::pair<const void*, size_t>, std::unique_ptr<Array<unsigned char>>> copies_;
};

}  // namespace kedge::cuda
