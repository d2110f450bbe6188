#pragma once

// The vectors that the kernels compute with: KEDGE_LANES floats each. GCC and clang compile the operators of
// these types (+, *, <, ?:) for every processor. What they have no operator for, and x86 an instruction, is
// here, in both ways.
//
// Included by files that are compiled for one instruction set only. Everything has internal linkage.

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define KEDGE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KEDGE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace kedge {
namespace {

constexpr size_t lanes = KEDGE_LANES;
typedef float Vec __attribute__((vector_size(4 * KEDGE_LANES), aligned(4), may_alias));
typedef int IntVec __attribute__((vector_size(4 * KEDGE_LANES), aligned(4), may_alias));
typedef float Quad __attribute__((vector_size(16), aligned(4), may_alias));

inline Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
// x - 0 is x for every x, so this is a bare broadcast; 0 + x is not.
inline Vec splat(float x) { return x - Vec{}; }

// least_of: a < b ? a : b. greatest_of: a > b ? a : b. at_most: bit i tells whether a[i] <= b[i].
#if defined(__x86_64__) && KEDGE_LANES == 16
inline Vec least_of(Vec a, Vec b) { return _mm512_maskz_min_ps(0xFFFF, a, b); }
inline Vec greatest_of(Vec a, Vec b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
inline unsigned at_most(Vec a, Vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
#elif defined(__x86_64__) && KEDGE_LANES == 8
inline Vec least_of(Vec a, Vec b) { return _mm256_min_ps(a, b); }
inline Vec greatest_of(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline unsigned at_most(Vec a, Vec b) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)));
}
#elif defined(__x86_64__)
inline Vec least_of(Vec a, Vec b) { return _mm_min_ps(a, b); }
inline Vec greatest_of(Vec a, Vec b) { return _mm_max_ps(a, b); }
inline unsigned at_most(Vec a, Vec b) { return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(a, b))); }
#else
inline Vec least_of(Vec a, Vec b) { return a < b ? a : b; }
inline Vec greatest_of(Vec a, Vec b) { return a > b ? a : b; }
inline unsigned at_most(Vec a, Vec b) {
  const IntVec within = a <= b;
  unsigned mask = 0;
  KEDGE_UNROLL for (size_t i = 0; i < lanes; ++i) mask |= static_cast<unsigned>(within[i]) & 1u << i;
  return mask;
}
#endif

}  // namespace
}  // namespace kedge
