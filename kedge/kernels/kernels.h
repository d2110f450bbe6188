#pragma once

// Kernels: the inner loops of the CPU engine, one table of functions per instruction set.
//
// The same source (kernels_body.h) is compiled once for any processor of the target's architecture
// (baseline.cpp) and on x86-64 also for x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512). `kernels()` gives the
// best table that the processor can run. Within one table a result depends on its own operands only. It does
// not depend on how many rows are computed in the same call, so a row has the same prediction alone and among
// others.
//
// Activations are stored by feature: value[feature][slot]. The number of slots is a multiple of 16. Unused
// slots hold finite numbers.

#include <cstddef>

#include "kedge/nn/ops.h"

namespace kedge {

struct SearchKernels;

/// Rows of weights and transposed activations are padded to this many floats.
inline constexpr size_t lane_pad = 16;

/// C[m][n] = (accumulate ? C : bias ? bias[m] : 0) + sum_k A(m, k) B[k][n], then max(0, .) when `relu`.
/// A(m, k) = a[m * a_row + k * a_col]. n is a multiple of 16.
struct Gemm {
  size_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  size_t a_row = 0, a_col = 0;
  const float* b = nullptr;
  size_t b_row = 0;
  float* c = nullptr;
  size_t c_row = 0;
  const float* bias = nullptr;
  bool accumulate = false;
  bool relu = false;
};

struct Kernels {
  const char* name;
  void (*gemm)(const Gemm&);
  /// out[c][r] = in[r][c]; rows and cols are multiples of 16.
  void (*transpose)(const float* in, size_t in_row, size_t rows, size_t cols, float* out, size_t out_row);
  /// y = sin(pi y) in place; slope = pi cos(pi y) when not null.
  void (*sin_pi)(float* y, float* slope, size_t count);
  /// grad *= slope.
  void (*multiply)(float* grad, const float* slope, size_t count);
  /// out += in.
  void (*add)(float* out, const float* in, size_t count);
  /// grad = 0 where value <= 0.
  void (*mask)(float* grad, const float* value, size_t count);
  /// sums[r] = sum over slots of grad[r][.].
  void (*row_sums)(const float* grad, size_t rows, size_t slots, float* sums);
  /// out[k][.] = sum_j f[k rank + j][.] g[k rank + j][.].
  void (*bilinear)(const float* f, const float* g, size_t outputs, size_t rank, size_t slots, float* out);
  /// df (+)= grad_out * g and dg (+)= grad_out * f, row by row; a null pointer is not wanted.
  void (*bilinear_backward)(const float* f, const float* g, const float* grad_out, size_t outputs,
                            size_t rank, size_t slots, float* df, bool add_df, float* dg, bool add_dg);
  /// One update of `count` parameters.
  void (*adam)(float* value, float* first, float* second, const float* grad, size_t count,
               const AdamStep& step);
  /// The inner loops of the anchor search for the same instruction set.
  const SearchKernels* search;
};

/// The best table for this processor, or the one that KEDGE_INSTRUCTIONS names. Throws Error where it names
/// one that this processor cannot run.
const Kernels& kernels();

/// The tables that this processor can run, best first.
struct KernelTables {
  const Kernels* tables[3];
  size_t count;
};
KernelTables runnable_kernels();

}  // namespace kedge
