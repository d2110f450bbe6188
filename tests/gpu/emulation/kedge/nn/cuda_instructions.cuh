#pragma once

// In place of kedge/nn/cuda_instructions.cuh: the same on a CPU.

#include <cuda_runtime.h>

namespace kedge::cuda {

inline void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  struct Lane {
    float* c;
    const float *a, *b;
  } own{c, a, b};
  emulation::with_warp(&own, [](void* const(&lanes)[emulation::lanes_of_warp]) {
    const auto lane = [&](unsigned row, unsigned column) -> Lane& {
      return *static_cast<Lane*>(lanes[4 * row + column]);
    };
    float a_of[16][8], b_of[8][8];
    for (unsigned g = 0; g < 8; ++g)
      for (unsigned q = 0; q < 4; ++q) {
        const Lane& from = lane(g, q);
        a_of[g][q] = from.a[0];
        a_of[g + 8][q] = from.a[1];
        a_of[g][q + 4] = from.a[2];
        a_of[g + 8][q + 4] = from.a[3];
        b_of[q][g] = from.b[0];
        b_of[q + 4][g] = from.b[1];
      }
    // A device takes eleven bits of a factor, whatever it is given.
    const auto eleven_bits = [](float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); };
    for (auto& row : a_of)
      for (float& x : row) x = eleven_bits(x);
    for (auto& row : b_of)
      for (float& x : row) x = eleven_bits(x);
    for (unsigned row = 0; row < 16; ++row) {
      float sums[8] = {};
      for (unsigned k = 0; k < 8; ++k)
        for (unsigned column = 0; column < 8; ++column) sums[column] += a_of[row][k] * b_of[k][column];
      for (unsigned q = 0; q < 4; ++q) {
        float* const to = lane(row % 8, q).c + row / 8 * 2;
        to[0] += sums[2 * q];
        to[1] += sums[2 * q + 1];
      }
    }
  });
}

inline void copy_ahead(float4* to, const float* from) { emulation::copy_ahead(to, from, sizeof(float4)); }
inline void end_group() { emulation::end_group(); }
template <int left>
void wait_for_groups() {
  emulation::wait_for_groups(left);
}

template <unsigned threads>
void barrier_of(unsigned number = 1) {
  emulation::wait_at(number, threads);
}
template <unsigned threads>
void arrive_at(unsigned number) {
  emulation::arrive_at(number, threads);
}

inline float* block_memory() { return emulation::block_memory(); }
using emulation::Signal;
inline void begin(Signal* own) { *own = {}; }
inline void expect(Signal* own, unsigned bytes) { emulation::expect(*own, bytes); }
using emulation::give;
inline void wait_for(Signal* own, unsigned phase) { emulation::wait_for(*own, phase); }
inline void arrive_at_cluster() { emulation::arrive_at_cluster(); }
inline void wait_for_cluster() { emulation::wait_for_cluster(); }

template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 blocks, unsigned threads,
                     size_t shared_bytes, cudaStream_t stream, Arguments... arguments) {
  emulation::launch({reinterpret_cast<const void*>(kernel), blocks, cluster, threads, shared_bytes}, stream,
                    [=] { kernel(arguments...); });
}
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, size_t shared_bytes,
            cudaStream_t stream, Arguments... arguments) {
  launch_clusters(kernel, 1, blocks, threads, shared_bytes, stream, arguments...);
}

}  // namespace kedge::cuda
