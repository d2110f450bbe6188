#include "peak.h"

#include <cstddef>

#include "kedge/core/error.h"
#include "timing.h"

namespace kedge {
namespace {

// Twelve independent chains hide the latency (four cycles, two units) and fit the registers of every set.
constexpr size_t chains = 12;

// acc = acc / 2 + 1 on every chain, `rounds` times. Assembler, so that nothing is folded or left out; a
// variable for each chain, because the compiler keeps an array in memory. Returns the sum of the first lanes,
// which tends to 2 * chains.
#define KEDGE_STEP(instructions, acc) asm volatile(instructions : "+v"(acc) : "v"(half), "v"(one))
#define KEDGE_CHAINS(name, bytes, set, instructions)                                                 \
  __attribute__((target(set))) float name(size_t rounds) {                                           \
    typedef float Vector __attribute__((vector_size(bytes)));                                        \
    const Vector zero = {}, half = zero + 0.5f, one = zero + 1.0f;                                   \
    Vector a = zero, b = zero, c = zero, d = zero, e = zero, f = zero, g = zero, h = zero, i = zero, \
           j = zero, k = zero, l = zero;                                                             \
    for (size_t r = 0; r < rounds; ++r) {                                                            \
      KEDGE_STEP(instructions, a);                                                                   \
      KEDGE_STEP(instructions, b);                                                                   \
      KEDGE_STEP(instructions, c);                                                                   \
      KEDGE_STEP(instructions, d);                                                                   \
      KEDGE_STEP(instructions, e);                                                                   \
      KEDGE_STEP(instructions, f);                                                                   \
      KEDGE_STEP(instructions, g);                                                                   \
      KEDGE_STEP(instructions, h);                                                                   \
      KEDGE_STEP(instructions, i);                                                                   \
      KEDGE_STEP(instructions, j);                                                                   \
      KEDGE_STEP(instructions, k);                                                                   \
      KEDGE_STEP(instructions, l);                                                                   \
    }                                                                                                \
    const Vector sum = a + b + c + d + e + f + g + h + i + j + k + l;                                \
    return sum[0];                                                                                   \
  }

KEDGE_CHAINS(chains_v1, 16, "sse2", "mulps %1, %0\n\taddps %2, %0")
KEDGE_CHAINS(chains_v3, 32, "avx2,fma", "vfmadd213ps %2, %1, %0")
KEDGE_CHAINS(chains_v4, 64, "avx512f", "vfmadd213ps %2, %1, %0")
#undef KEDGE_CHAINS
#undef KEDGE_STEP

struct Loop {
  float (*run)(size_t rounds);
  double lanes;
};

Loop widest() {
  if (__builtin_cpu_supports("x86-64-v4")) return {chains_v4, 16};
  if (__builtin_cpu_supports("x86-64-v3")) return {chains_v3, 8};
  return {chains_v1, 4};
}

}  // namespace

double peak_gflops(double seconds) {
  const Loop loop = widest();
  const size_t rounds = 100000;
  size_t done = 0;
  double elapsed = 0;
  float sum = 0;
  for (const Stopwatch watch; elapsed < seconds; elapsed = watch.seconds()) {
    sum = loop.run(rounds);
    done += rounds;
  }
  if (sum != 2.0f * static_cast<float>(chains)) throw Error("bench", "the peak loop computed a wrong number");
  return 2 * loop.lanes * static_cast<double>(chains * done) / elapsed * 1e-9;
}

}  // namespace kedge
