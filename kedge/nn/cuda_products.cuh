#pragma once

// Products of 16 x 8 tiles on tensor cores. A float is the sum of two numbers of eleven bits, so that three
// products of TF32 give the product of two floats to about 2^-22 (`exact`); `fast` takes the first of the
// three.

#include "kedge/nn/cuda_instructions.cuh"
#include "kedge/nn/cuda_views.cuh"

namespace kedge::cuda {

enum class Precision { exact, fast };

/// The part of a number that TF32 keeps.
__device__ __forceinline__ float leading(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

/// Sums of 16 x 8 products, a tile of a warp. What is small is added apart, in two sums that do not wait for
/// each other.
struct Sums {
  float c[4], small[4], other_small[4];

  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int i = 0; i < 4; ++i) c[i] += small[i] + other_small[i];
  }
};

/// Sixteen numbers of depth: thread q of a row has 4q ... 4q + 3. Two steps of a tensor core, of which the
/// first takes numbers 4q and 4q + 1, the second the other two; the order of a sum is free as long as both
/// factors share it.
template <Precision precision>
struct Factor {
  float high[8], low[8];  // rows g and g + 8, or one row

  __device__ __forceinline__ void set(int i, float x) {
    high[i] = leading(x);
    if constexpr (precision == Precision::exact) low[i] = x - high[i];
  }
};

/// a: numbers 0 ... 3 of row g, 4 ... 7 of row g + 8; b: 0 ... 3 of column g.
template <Precision precision>
__device__ __forceinline__ void product(Sums& sums, const Factor<precision>& a, const Factor<precision>& b) {
#pragma unroll
  for (int half = 0; half < 4; half += 2) {
    const float a0[4] = {a.high[half], a.high[4 + half], a.high[half + 1], a.high[5 + half]};
    const float b0[2] = {b.high[half], b.high[half + 1]};
    if constexpr (precision == Precision::exact) {
      const float a1[4] = {a.low[half], a.low[4 + half], a.low[half + 1], a.low[5 + half]};
      const float b1[2] = {b.low[half], b.low[half + 1]};
      multiply_add(sums.small, a1, b0);
      multiply_add(sums.other_small, a0, b1);
    }
    multiply_add(sums.c, a0, b0);
  }
}

/// The two parts of a float, or the first alone.
template <Precision precision, int count>
struct Parts {
  float high[count], low[count];
  __device__ __forceinline__ void set(int i, float x) {
    high[i] = leading(x);
    if constexpr (precision == Precision::exact) low[i] = x - high[i];
  }
};

template <Precision precision>
__device__ __forceinline__ void multiply_add(float (&c)[4], const Parts<precision, 4>& a,
                                             const Parts<precision, 2>& b) {
  if constexpr (precision == Precision::exact) {
    multiply_add(c, a.low, b.high);
    multiply_add(c, a.high, b.low);
  }
  multiply_add(c, a.high, b.high);
}

}  // namespace kedge::cuda
