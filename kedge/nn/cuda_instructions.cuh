#pragma once

// What C++ has no words for: instructions of the device, and launches. Everything else of the engine is plain
// C++, so that tests/gpu/emulation, which has a file of this name, can run it on a CPU.

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

namespace kedge::cuda {

/// By all lanes of a warp: c += a b, tiles of 16 x 8, 16 x 8 and 8 x 8 numbers, of which the factors have
/// eleven bits. Lane 4g + q has c: rows g and g + 8, columns 2q and 2q + 1; a: rows g and g + 8 of columns q,
/// then of q + 4; b: rows q and q + 4 of column g.
__device__ __forceinline__ void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Copies four numbers to shared memory while the thread goes on.
__device__ __forceinline__ void copy_ahead(float4* to, const float* from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
}
/// Makes a group of what the thread copies ahead since the last group.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for the thread's groups, but for the last `left`.
template <int left>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

/// A barrier of some of a block's threads, beside __syncthreads, which is number 0.
template <unsigned threads>
__device__ __forceinline__ void barrier_of(unsigned number = 1) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(threads) : "memory");
}
/// Comes to such a barrier and goes on.
template <unsigned threads>
__device__ __forceinline__ void arrive_at(unsigned number) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "n"(threads) : "memory");
}

/// The block's shared memory.
__device__ __forceinline__ float* block_memory() {
  extern __shared__ float4 shared_memory[];
  return reinterpret_cast<float*>(shared_memory);
}

// Blocks of a cluster, which devices before 9.0 do not have: nothing that needs one is launched there.

/// Tells the threads of a block that numbers have come which threads of another block give. It goes through
/// phases: each ends when the bytes are there that one thread said to expect.
struct alignas(8) Signal {
  uint64_t state;
};

__device__ __forceinline__ unsigned shared_address(const void* own) {
  return static_cast<unsigned>(__cvta_generic_to_shared(own));
}
__device__ __forceinline__ void begin([[maybe_unused]] Signal* own) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(shared_address(own))
      : "memory");
#endif
}
__device__ __forceinline__ void expect([[maybe_unused]] Signal* own, [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(own)), "r"(bytes)
               : "memory");
#endif
}
/// Writes two numbers to the same place in the shared memory of block `number` of the cluster, and tells its
/// signal.
__device__ __forceinline__ void give([[maybe_unused]] float* own, [[maybe_unused]] float a,
                                     [[maybe_unused]] float b, [[maybe_unused]] Signal* signal,
                                     [[maybe_unused]] unsigned number) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .b32 to, told; mapa.shared::cluster.u32 to, %0, %4; mapa.shared::cluster.u32 told, %1, %4; "
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [to], {%2, %3}, [told]; }" ::"r"(
          shared_address(own)),
      "r"(shared_address(signal)), "f"(a), "f"(b), "r"(number)
      : "memory");
#endif
}
/// Waits for the end of a phase, of which every other one is 0 or 1. In the scope of the block, as is usual
/// where numbers come with a signal; that of the cluster would empty the cache at every step.
__device__ __forceinline__ void wait_for([[maybe_unused]] Signal* own, [[maybe_unused]] unsigned phase) {
#if __CUDA_ARCH__ >= 900
  unsigned is_over = 0;
  while (is_over == 0)
    asm volatile(
        "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; "
        "selp.u32 %0, 1, 0, over; }"
        : "=r"(is_over)
        : "r"(shared_address(own)), "r"(phase)
        : "memory");
#endif
}

/// Comes to the barrier of all threads of a cluster and goes on; what was written before is there for all who
/// waited.
__device__ __forceinline__ void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, size_t shared_bytes,
            cudaStream_t stream, Arguments&&... arguments) {
  kernel<<<blocks, threads, shared_bytes, stream>>>(std::forward<Arguments>(arguments)...);
}

/// The same with clusters of so many blocks, one after the other along x.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), unsigned cluster, unsigned blocks, unsigned threads,
                     size_t shared_bytes, cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  // What is refused is told by cudaGetLastError, as of every launch.
  (void)cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace kedge::cuda
