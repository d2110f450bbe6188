// One table of kernels. Included once by each file of a table, which defines KEDGE_LANES (floats in a
// vector), KEDGE_TILE_ROWS (rows of C that a tile keeps in registers), KEDGE_KERNELS (the table) and
// KEDGE_KERNELS_NAME.
//
// Everything but the table has internal linkage, and no header with functions that are `inline` across files
// is included. Otherwise the linker could keep the copy that was compiled for a newer processor.

#include "kedge/kernels/kernels.h"
#include "kedge/kernels/search_kernels_body.h"
#include "kedge/kernels/vector.h"

namespace kedge {
namespace {

// A tile of C, Rows x (Cols vectors). It stays in registers for all k.
template <int Rows, int Cols>
inline void tile(const Gemm& g, size_t m0, size_t n0) {
  Vec acc[Rows][Cols];
  const size_t c_row = g.c_row, a_row = g.a_row, a_col = g.a_col, b_row = g.b_row;
  float* const c = g.c + m0 * c_row + n0;
  if (g.accumulate) {
    KEDGE_UNROLL for (size_t i = 0; i < Rows; ++i) {
      KEDGE_UNROLL for (size_t j = 0; j < Cols; ++j) acc[i][j] = load(c + i * c_row + j * lanes);
    }
  } else {
    KEDGE_UNROLL for (size_t i = 0; i < Rows; ++i) {
      const Vec start = g.bias ? splat(g.bias[m0 + i]) : Vec{};
      KEDGE_UNROLL for (size_t j = 0; j < Cols; ++j) acc[i][j] = start;
    }
  }
  const float* a = g.a + m0 * a_row;
  const float* b = g.b + n0;
  for (size_t k = g.k; k > 0; --k, a += a_col, b += b_row) {
    Vec bv[Cols];
    KEDGE_UNROLL for (size_t j = 0; j < Cols; ++j) bv[j] = load(b + j * lanes);
    KEDGE_UNROLL for (size_t i = 0; i < Rows; ++i) {
      const Vec av = splat(a[i * a_row]);
      KEDGE_UNROLL for (size_t j = 0; j < Cols; ++j) acc[i][j] += av * bv[j];
    }
  }
  // Not max(floor, v): NaN must stay NaN.
  const Vec floor = splat(g.relu ? 0.0f : -__builtin_inff());
  KEDGE_UNROLL for (size_t i = 0; i < Rows; ++i) {
    KEDGE_UNROLL for (size_t j = 0; j < Cols; ++j) {
      store(c + i * c_row + j * lanes, acc[i][j] < floor ? floor : acc[i][j]);
    }
  }
}

template <int Rows, int Cols>
inline void last_rows(const Gemm& g, size_t m0, size_t n0) {
  if constexpr (Rows > 0) {
    if (g.m - m0 == static_cast<size_t>(Rows)) {
      tile<Rows, Cols>(g, m0, n0);
    } else {
      last_rows<Rows - 1, Cols>(g, m0, n0);
    }
  }
}

template <int Cols>
inline void strip(const Gemm& g, size_t n0) {
  size_t m0 = 0;
  for (; m0 + KEDGE_TILE_ROWS <= g.m; m0 += KEDGE_TILE_ROWS) tile<KEDGE_TILE_ROWS, Cols>(g, m0, n0);
  last_rows<KEDGE_TILE_ROWS - 1, Cols>(g, m0, n0);
}

void gemm(const Gemm& g) {
  size_t n0 = 0;
  for (; n0 + 2 * lanes <= g.n; n0 += 2 * lanes) strip<2>(g, n0);
  for (; n0 < g.n; n0 += lanes) strip<1>(g, n0);
}

// In blocks of four by four.
void transpose(const float* in, size_t in_row, size_t rows, size_t cols, float* out, size_t out_row) {
  for (size_t r = 0; r < rows; r += 4) {
    for (size_t c = 0; c < cols; c += 4) {
      Quad row[4];
      for (size_t i = 0; i < 4; ++i) row[i] = *reinterpret_cast<const Quad*>(in + (r + i) * in_row + c);
      const Quad a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
      const Quad b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
      const Quad d = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
      const Quad e = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
      float* const to = out + c * out_row + r;
      *reinterpret_cast<Quad*>(to) = __builtin_shufflevector(a, b, 0, 1, 4, 5);
      *reinterpret_cast<Quad*>(to + out_row) = __builtin_shufflevector(a, b, 2, 3, 6, 7);
      *reinterpret_cast<Quad*>(to + 2 * out_row) = __builtin_shufflevector(d, e, 0, 1, 4, 5);
      *reinterpret_cast<Quad*>(to + 3 * out_row) = __builtin_shufflevector(d, e, 2, 3, 6, 7);
    }
  }
}

// By the period: |z - round(z)| <= 1/2, and odd numbers turn the sign.
void sin_pi(float* y, float* slope, size_t count) {
  constexpr float round_magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  for (size_t i = 0; i < count; i += lanes) {
    const Vec z = load(y + i);
    const Vec shifted = z + round_magic;
    const Vec whole = shifted - round_magic;
    const Vec r = z - whole;
    const IntVec odd = reinterpret_cast<const IntVec&>(shifted) << 31;
    const Vec sine = ops::sin_pi_near_0(r);
    const IntVec sine_bits = reinterpret_cast<const IntVec&>(sine) ^ odd;
    store(y + i, reinterpret_cast<const Vec&>(sine_bits));
    if (!slope) continue;
    const Vec cosine = ops::sin_pi_slope_near_0(r);
    const IntVec cosine_bits = reinterpret_cast<const IntVec&>(cosine) ^ odd;
    store(slope + i, reinterpret_cast<const Vec&>(cosine_bits));
  }
}

void multiply(float* grad, const float* slope, size_t count) {
  for (size_t i = 0; i < count; i += lanes) store(grad + i, load(grad + i) * load(slope + i));
}

void add(float* out, const float* in, size_t count) {
  for (size_t i = 0; i < count; i += lanes) store(out + i, load(out + i) + load(in + i));
}

void mask(float* grad, const float* value, size_t count) {
  for (size_t i = 0; i < count; i += lanes) store(grad + i, load(value + i) > 0.0f ? load(grad + i) : Vec{});
}

void row_sums(const float* grad, size_t rows, size_t slots, float* sums) {
  for (size_t r = 0; r < rows; ++r) {
    Vec sum{};
    for (size_t i = 0; i < slots; i += lanes) sum += load(grad + r * slots + i);
    Quad four{};
    KEDGE_UNROLL for (size_t i = 0; i < lanes; i += 4) { four += reinterpret_cast<const Quad*>(&sum)[i / 4]; }
    sums[r] = (four[0] + four[1]) + (four[2] + four[3]);
  }
}

void bilinear(const float* f, const float* g, size_t outputs, size_t rank, size_t slots, float* out) {
  for (size_t k = 0; k < outputs; ++k) {
    for (size_t i = 0; i < slots; i += lanes) {
      Vec sum{};
      for (size_t j = k * rank; j < (k + 1) * rank; ++j)
        sum += load(f + j * slots + i) * load(g + j * slots + i);
      store(out + k * slots + i, sum);
    }
  }
}

// One operand's gradient: grad_out times the other operand.
inline void bilinear_gradient(const float* other, const float* grad_out, size_t outputs, size_t rank,
                              size_t slots, float* out, bool add_to) {
  for (size_t k = 0; k < outputs; ++k) {
    for (size_t j = k * rank; j < (k + 1) * rank; ++j) {
      for (size_t i = 0; i < slots; i += lanes) {
        const Vec d = load(grad_out + k * slots + i) * load(other + j * slots + i);
        store(out + j * slots + i, add_to ? load(out + j * slots + i) + d : d);
      }
    }
  }
}

void bilinear_backward(const float* f, const float* g, const float* grad_out, size_t outputs, size_t rank,
                       size_t slots, float* df, bool add_df, float* dg, bool add_dg) {
  if (df) bilinear_gradient(g, grad_out, outputs, rank, slots, df, add_df);
  if (dg) bilinear_gradient(f, grad_out, outputs, rank, slots, dg, add_dg);
}

void adam(float* value, float* first, float* second, const float* grad, size_t count, const AdamStep& step) {
  const AdamStep constants = step;
  const auto root = [](Vec v) {
    Vec result;
    for (size_t l = 0; l < lanes; ++l) result[l] = __builtin_sqrtf(v[l]);
    return result;
  };
  for (size_t i = 0; i < count; i += lanes) {
    const auto after =
        ops::adam(load(grad + i), {load(value + i), load(first + i), load(second + i)}, constants, root);
    store(first + i, after.first);
    store(second + i, after.second);
    store(value + i, after.value);
  }
}

}  // namespace

extern const Kernels KEDGE_KERNELS;
const Kernels KEDGE_KERNELS = {KEDGE_KERNELS_NAME, gemm,     transpose,         sin_pi, multiply, add, mask,
                               row_sums,           bilinear, bilinear_backward, adam,   &search};

}  // namespace kedge
