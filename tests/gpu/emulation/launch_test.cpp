// The emulated device refuses what a real one refuses: launches beyond its limits or those of a kernel,
// whoever set them, and everything once it is lost.

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "block.h"
#include "kedge/nn/cuda_instructions.cuh"

namespace kedge {
namespace {

__global__ void count(int* runs) {
  if (threadIdx.x == 0) ++*runs;
}
__global__ void count_too(int* runs) { count(runs); }

constexpr unsigned usual = emulation::usual_shared_bytes, most = emulation::shared_bytes_of_90;

class EmulatedLaunch : public testing::Test {
 protected:
  EmulatedLaunch() {
    cudaGetLastError();  // what others left
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  }
  ~EmulatedLaunch() override {
    cudaStreamDestroy(stream_);
    emulation::device() = {};
  }

  /// What the launch tells; where that is an error, no block ran.
  cudaError_t launched(dim3 blocks, unsigned threads, size_t shared_bytes = 0, void (*kernel)(int*) = count) {
    int runs = 0;
    cuda::launch(kernel, blocks, threads, shared_bytes, stream_, &runs);
    const cudaError_t status = cudaGetLastError();
    EXPECT_EQ(runs > 0, status == cudaSuccess);
    return status;
  }

  static cudaError_t allow(void (*kernel)(int*), unsigned bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(EmulatedLaunch, with_more_shared_memory_than_its_kernel_may_ask_for_is_refused) {
  EXPECT_EQ(launched(1, 1, usual), cudaSuccess);
  EXPECT_EQ(launched(1, 1, usual + 1), cudaErrorInvalidValue);
  EXPECT_EQ(allow(count, 60000), cudaSuccess);
  EXPECT_EQ(launched(1, 1, 60000), cudaSuccess);
  EXPECT_EQ(launched(1, 1, 60001), cudaErrorInvalidValue);
  EXPECT_EQ(launched(1, 1, 60000, count_too), cudaErrorInvalidValue) << "each kernel has a limit of its own";
}

TEST_F(EmulatedLaunch, has_no_limit_above_that_of_the_device) {
  EXPECT_EQ(allow(count, most), cudaSuccess);
  EXPECT_EQ(launched(1, 1, most), cudaSuccess);
  EXPECT_EQ(allow(count, most + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(launched(1, 1, most), cudaSuccess) << "the limit is what it was";
}

TEST_F(EmulatedLaunch, on_a_device_before_9_0_has_less_shared_memory_and_no_clusters) {
  const auto of_cluster = [&](unsigned cluster) {
    int runs = 0;
    cuda::launch_clusters(count, cluster, 2, 1, 0, stream_, &runs);
    const cudaError_t status = cudaGetLastError();
    EXPECT_EQ(runs, status == cudaSuccess ? 2 : 0);
    return status;
  };
  EXPECT_EQ(of_cluster(2), cudaSuccess);
  EXPECT_EQ(of_cluster(3), cudaErrorInvalidConfiguration);
  emulation::device().architecture = 80;
  EXPECT_EQ(of_cluster(2), cudaErrorInvalidConfiguration);
  EXPECT_EQ(of_cluster(1), cudaSuccess);
  EXPECT_EQ(allow(count, emulation::shared_bytes_of_80 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(allow(count, emulation::shared_bytes_of_80), cudaSuccess);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, count), cudaSuccess);
  EXPECT_EQ(attributes.ptxVersion, 80);
}

TEST_F(EmulatedLaunch, of_one_thread_keeps_to_the_limit_that_another_thread_set) {
  EXPECT_EQ(allow(count, most), cudaSuccess);
  std::thread([] { EXPECT_EQ(allow(count, 50000), cudaSuccess); }).join();
  EXPECT_EQ(launched(1, 1, most), cudaErrorInvalidValue);
  EXPECT_EQ(launched(1, 1, 50000), cudaSuccess);
}

TEST_F(EmulatedLaunch, of_too_many_threads_or_none_is_refused) {
  EXPECT_EQ(launched(1, emulation::most_threads), cudaSuccess);
  EXPECT_EQ(launched(1, emulation::most_threads + 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, 0), cudaErrorInvalidConfiguration);
}

TEST_F(EmulatedLaunch, of_too_many_blocks_or_none_is_refused) {
  const auto refused = [&](dim3 blocks) { return launched(blocks, 1) == cudaErrorInvalidConfiguration; };
  EXPECT_TRUE(refused({0, 1, 1}));
  EXPECT_TRUE(refused({1, 0, 1}));
  EXPECT_TRUE(refused({1, 1, 0}));
  EXPECT_TRUE(refused({0x80000000u, 1, 1}));
  EXPECT_TRUE(refused({1, 65536, 1}));
  EXPECT_TRUE(refused({1, 1, 65536}));
  EXPECT_FALSE(refused({65536, 1, 1}));
  EXPECT_FALSE(refused({1, 65535, 1}));
}

TEST_F(EmulatedLaunch, that_is_refused_is_told_once_and_to_its_own_thread) {
  cuda::launch(count, 0, 1, 0, stream_, static_cast<int*>(nullptr));
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(EmulatedLaunch, of_a_graph_keeps_to_the_limits_too) {
  int runs = 0;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  EXPECT_EQ(allow(count, most), cudaSuccess);
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
  cuda::launch(count, 1, 1, most, stream_, &runs);
  cudaStreamEndCapture(stream_, &graph);
  cudaGraphInstantiate(&program, graph, 0);
  EXPECT_EQ(cudaGraphLaunch(program, stream_), cudaSuccess);
  EXPECT_EQ(allow(count, usual), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(program, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(runs, 1);
  cudaGraphExecDestroy(program);
  cudaGraphDestroy(graph);
}

TEST_F(EmulatedLaunch, on_a_device_that_is_lost_fails_and_so_does_all_that_follows) {
  emulation::device().launches_left = 2;
  EXPECT_EQ(launched(1, 1), cudaSuccess);
  EXPECT_EQ(launched(1, 1), cudaErrorLaunchFailure);
  void* data = nullptr;
  EXPECT_EQ(cudaMallocAsync(&data, 8, stream_), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaEventSynchronize(nullptr), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure) << "it is told again and again";
}

__global__ void add_up(int* sums) {
  sums[blockIdx.x] = 0;
  __syncthreads();
  for (unsigned t = 0; t < blockDim.x; ++t) {
    if (threadIdx.x == t) sums[blockIdx.x] += static_cast<int>(t);
    __syncthreads();
  }
}

TEST_F(EmulatedLaunch, of_two_threads_at_a_time_gives_what_each_gives_alone) {
  constexpr unsigned blocks = 20;
  const auto sums_of = [](unsigned threads) {
    std::vector<int> sums(blocks);
    emulation::Stream own;
    for (int i = 0; i < 20; ++i) cuda::launch(add_up, blocks, threads, 0, &own, sums.data());
    return sums;
  };
  std::vector<int> beside;
  std::thread other([&] { beside = sums_of(40); });
  const std::vector<int> own = sums_of(70);
  other.join();
  EXPECT_EQ(own, std::vector<int>(blocks, 69 * 70 / 2));
  EXPECT_EQ(beside, std::vector<int>(blocks, 39 * 40 / 2));
}

}  // namespace
}  // namespace kedge
