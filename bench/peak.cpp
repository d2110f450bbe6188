#include "peak.h"

#include <cstddef>

#include "kedge/core/error.h"
#include "timing.h"

namespace kedge {
namespace {

// Twelve independent chains hide the latency (four cycles, two units) and fit the registers of every set.
constexpr size_t chains = 12;

// acc = acc / 2 + 1 on every chain, `rounds` times; written as assembler so that nothing is folded, moved or
// left out. Returns the first lane's sum over chains, which tends to 2 * chains.
#define KEDGE_CHAINS(name, bytes, set, instructions)                                                      \
  __attribute__((target(set))) float name(size_t rounds) {                                                \
    typedef float Vector __attribute__((vector_size(bytes)));                                             \
    Vector acc[chains] = {}, half = {}, one = {};                                                         \
    half += 0.5f;                                                                                         \
    one += 1.0f;                                                                                          \
    for (size_t r = 0; r < rounds; ++r) {                                                                 \
      _Pragma("GCC unroll 12") for (size_t c = 0; c < chains;                                             \
                                    ++c) asm volatile(instructions : "+v"(acc[c]) : "v"(half), "v"(one)); \
    }                                                                                                     \
    float sum = 0;                                                                                        \
    for (size_t c = 0; c < chains; ++c) sum += acc[c][0];                                                 \
    return sum;                                                                                           \
  }

KEDGE_CHAINS(chains_v1, 16, "sse2", "mulps %1, %0\n\taddps %2, %0")
KEDGE_CHAINS(chains_v3, 32, "avx2,fma", "vfmadd213ps %2, %1, %0")
KEDGE_CHAINS(chains_v4, 64, "avx512f", "vfmadd213ps %2, %1, %0")
#undef KEDGE_CHAINS

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
