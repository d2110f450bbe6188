#pragma once

// What C++ has no words for: instructions of the device, and launches. Everything else of the engine is plain
// C++, so that tests/gpu/emulation, which has a file of this name, can run it on a CPU.

#include <cuda_runtime.h>

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

/// A barrier of some of a block's threads, beside __syncthreads.
template <unsigned threads>
__device__ __forceinline__ void barrier_of() {
  asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, size_t shared_bytes,
            cudaStream_t stream, Arguments&&... arguments) {
  kernel<<<blocks, threads, shared_bytes, stream>>>(std::forward<Arguments>(arguments)...);
}

}  // namespace kedge::cuda
