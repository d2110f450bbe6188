#include "kedge/kernels/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

// Against exact arithmetic in double: one rounding per operation.
constexpr double unit = std::numeric_limits<float>::epsilon();
constexpr double sine_tolerance = 3e-7;
constexpr double slope_tolerance = 2e-6;
constexpr float untouched = -777.0f;

std::vector<float> numbers(size_t count, uint64_t seed, double low = -1, double high = 1) {
  Rng rng(seed, Stream::noise);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(rng.uniform(low, high));
  return values;
}

double wide(float x) { return static_cast<double>(x); }

class EveryTable : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& k = *GetParam();
};

std::vector<const Kernels*> tables() {
  const KernelTables found = runnable_kernels();
  return {found.tables, found.tables + found.count};
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTable, testing::ValuesIn(tables()), [](const auto& table) {
  std::string name = table.param->name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(Kernels, the_table_in_use_is_the_first_runnable_one) { EXPECT_EQ(&kernels(), tables().front()); }

struct GemmCase {
  bool by_column, bias, accumulate, relu;
};

void check_gemm(const Kernels& k, size_t m, size_t n, size_t depth, const GemmCase& c) {
  const size_t a_row = c.by_column ? 1 : depth + 3, a_col = c.by_column ? m + 5 : 1;
  const std::vector<float> a = numbers(c.by_column ? depth * a_col : m * a_row, 1);
  const std::vector<float> b = numbers(depth * (n + 16), 2), bias = numbers(m, 3);
  std::vector<float> out(m * (n + 16), untouched);
  const std::vector<float> start = numbers(m * n, 4);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) out[i * (n + 16) + j] = start[i * n + j];
  k.gemm({.m = m,
          .n = n,
          .k = depth,
          .a = a.data(),
          .a_row = a_row,
          .a_col = a_col,
          .b = b.data(),
          .b_row = n + 16,
          .c = out.data(),
          .c_row = n + 16,
          .bias = c.bias ? bias.data() : nullptr,
          .accumulate = c.accumulate,
          .relu = c.relu});
  const double tolerance = static_cast<double>(depth + 1) * unit;
  size_t wrong = 0;
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double sum = c.accumulate ? wide(start[i * n + j]) : c.bias ? wide(bias[i]) : 0.0, size = std::abs(sum);
      for (size_t d = 0; d < depth; ++d) {
        const double product = wide(a[i * a_row + d * a_col]) * wide(b[d * (n + 16) + j]);
        sum += product;
        size += std::abs(product);
      }
      if (c.relu) sum = std::max(sum, 0.0);
      if (!(std::abs(wide(out[i * (n + 16) + j]) - sum) <= tolerance * size)) ++wrong;
    }
    for (size_t j = n; j < n + 16; ++j)
      if (out[i * (n + 16) + j] != untouched) ++wrong;
  }
  EXPECT_EQ(wrong, 0u) << "m " << m << ", n " << n << ", k " << depth << ", by column " << c.by_column
                       << ", bias " << c.bias << ", accumulate " << c.accumulate << ", relu " << c.relu;
}

TEST_P(EveryTable, gemm_is_the_sum_of_products_for_every_shape_and_option) {
  for (size_t m = 1; m <= 20; ++m)
    for (size_t n = 16; n <= 96; n += 16)
      for (size_t depth : {1u, 2u, 3u, 7u, 16u, 40u})
        for (unsigned bits = 0; bits < 16; ++bits)
          check_gemm(k, m, n, depth, {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0});
  for (size_t depth = 1; depth <= 40; ++depth)
    check_gemm(k, 13, 48, depth, {.by_column = false, .bias = true, .accumulate = false, .relu = true});
}

TEST_P(EveryTable, a_column_of_gemm_does_not_depend_on_the_columns_beside_it) {
  constexpr size_t n = 96, depth = 37;
  for (size_t m = 1; m <= 20; ++m) {
    const std::vector<float> a = numbers(m * depth, 1), b = numbers(depth * n, 2), bias = numbers(m, 3);
    const auto product = [&](size_t from, size_t count) {
      std::vector<float> c(m * count);
      k.gemm({.m = m,
              .n = count,
              .k = depth,
              .a = a.data(),
              .a_row = depth,
              .a_col = 1,
              .b = b.data() + from,
              .b_row = n,
              .c = c.data(),
              .c_row = count,
              .bias = bias.data()});
      return c;
    };
    const std::vector<float> whole = product(0, n);
    for (size_t from = 0; from < n; from += 16) {
      for (size_t count = 16; from + count <= n; count += 16) {
        const std::vector<float> part = product(from, count);
        for (size_t i = 0; i < m; ++i)
          for (size_t j = 0; j < count; ++j) ASSERT_EQ(part[i * count + j], whole[i * n + from + j]);
      }
    }
  }
}

TEST_P(EveryTable, a_row_of_gemm_does_not_depend_on_the_rows_beside_it) {
  constexpr size_t n = 48, depth = 37, most = 20;
  const std::vector<float> a = numbers(most * depth, 1), b = numbers(depth * n, 2);
  const auto product = [&](size_t from, size_t count) {
    std::vector<float> c(count * n);
    k.gemm({.m = count,
            .n = n,
            .k = depth,
            .a = a.data() + from * depth,
            .a_row = depth,
            .a_col = 1,
            .b = b.data(),
            .b_row = n,
            .c = c.data(),
            .c_row = n});
    return c;
  };
  const std::vector<float> whole = product(0, most);
  for (size_t from = 0; from < most; ++from) {
    for (size_t count = 1; from + count <= most; ++count) {
      const std::vector<float> part = product(from, count);
      for (size_t i = 0; i < count * n; ++i) ASSERT_EQ(part[i], whole[from * n + i]);
    }
  }
}

TEST_P(EveryTable, nan_passes_through_gemm_and_its_relu_in_its_own_column_only) {
  constexpr size_t m = 9, n = 48, depth = 5, sick = 21;
  const std::vector<float> a = numbers(m * depth, 1);
  std::vector<float> b = numbers(depth * n, 2), c(m * n);
  b[3 * n + sick] = std::numeric_limits<float>::quiet_NaN();
  k.gemm({.m = m,
          .n = n,
          .k = depth,
          .a = a.data(),
          .a_row = depth,
          .a_col = 1,
          .b = b.data(),
          .b_row = n,
          .c = c.data(),
          .c_row = n,
          .relu = true});
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) EXPECT_EQ(std::isnan(c[i * n + j]), j == sick);
}

TEST_P(EveryTable, transpose_moves_every_number_and_touches_no_other) {
  for (size_t rows : {16u, 32u, 80u}) {
    for (size_t cols : {16u, 48u, 64u}) {
      const size_t in_row = cols + 16, out_row = rows + 32;
      const std::vector<float> in = numbers(rows * in_row, 5);
      std::vector<float> out(cols * out_row, untouched);
      k.transpose(in.data(), in_row, rows, cols, out.data(), out_row);
      for (size_t c = 0; c < cols; ++c)
        for (size_t r = 0; r < out_row; ++r)
          ASSERT_EQ(out[c * out_row + r], r < rows ? in[r * in_row + c] : untouched);
    }
  }
}

TEST_P(EveryTable, sin_pi_and_its_slope_are_accurate_over_fifty_periods_either_way) {
  constexpr size_t count = 160000;
  std::vector<float> y(count), slope(count);
  for (size_t i = 0; i < count; ++i) y[i] = static_cast<float>(-100 + 200.0 * static_cast<double>(i) / count);
  const std::vector<float> x = y;
  k.sin_pi(y.data(), slope.data(), count);
  double worst = 0, worst_slope = 0;
  for (size_t i = 0; i < count; ++i) {
    // An exact reduction first: pi x itself would be rounded.
    const double reduced = std::remainder(wide(x[i]), 2.0) * std::numbers::pi;
    worst = std::max(worst, std::abs(wide(y[i]) - std::sin(reduced)));
    worst_slope = std::max(worst_slope, std::abs(wide(slope[i]) - std::numbers::pi * std::cos(reduced)));
  }
  EXPECT_LT(worst, sine_tolerance);
  EXPECT_LT(worst_slope, slope_tolerance);
}

TEST_P(EveryTable, sin_pi_is_the_same_with_and_without_its_slope_and_keeps_nan) {
  std::vector<float> with = numbers(64, 6, -5, 5), slope(64);
  with[3] = std::numeric_limits<float>::quiet_NaN();
  with[5] = std::numeric_limits<float>::infinity();
  std::vector<float> without = with;
  k.sin_pi(with.data(), slope.data(), 64);
  k.sin_pi(without.data(), nullptr, 64);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(std::isnan(with[i]), i == 3 || i == 5);
  for (size_t i = 6; i < 64; ++i) EXPECT_EQ(with[i], without[i]);
}

TEST_P(EveryTable, elementwise_kernels_do_one_rounded_operation_each) {
  constexpr size_t count = 80;
  const std::vector<float> a = numbers(count, 7), b = numbers(count, 8);
  std::vector<float> product = a, sum = a;
  k.multiply(product.data(), b.data(), count);
  k.add(sum.data(), b.data(), count);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(product[i], a[i] * b[i]);
    EXPECT_EQ(sum[i], a[i] + b[i]);
  }
}

TEST_P(EveryTable, mask_clears_the_gradient_exactly_where_the_value_is_not_positive) {
  const std::vector<float> grad = numbers(48, 9);
  std::vector<float> value = numbers(48, 10), masked = grad;
  value[0] = 0.0f;
  value[1] = -0.0f;
  value[2] = std::numeric_limits<float>::denorm_min();
  k.mask(masked.data(), value.data(), 48);
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(masked[i], value[i] > 0 ? grad[i] : 0.0f);
}

TEST_P(EveryTable, row_sums_add_up_each_row) {
  constexpr size_t rows = 7;
  for (size_t slots : {16u, 48u, 160u}) {
    const std::vector<float> grad = numbers(rows * slots, 11);
    std::vector<float> sums(rows + 1, untouched);
    k.row_sums(grad.data(), rows, slots, sums.data());
    for (size_t r = 0; r < rows; ++r) {
      double sum = 0, size = 0;
      for (size_t i = 0; i < slots; ++i) {
        sum += wide(grad[r * slots + i]);
        size += std::abs(wide(grad[r * slots + i]));
      }
      EXPECT_NEAR(wide(sums[r]), sum, unit * size * 8);
    }
    EXPECT_EQ(sums[rows], untouched);
  }
}

TEST_P(EveryTable, bilinear_is_the_product_of_segments) {
  constexpr size_t slots = 48;
  for (size_t outputs : {1u, 2u, 5u}) {
    for (size_t rank : {1u, 3u, 8u, 33u}) {
      const std::vector<float> f = numbers(outputs * rank * slots, 12), g = numbers(f.size(), 13);
      std::vector<float> out(outputs * slots);
      k.bilinear(f.data(), g.data(), outputs, rank, slots, out.data());
      for (size_t o = 0; o < outputs; ++o) {
        for (size_t s = 0; s < slots; ++s) {
          double sum = 0;
          for (size_t j = o * rank; j < (o + 1) * rank; ++j)
            sum += wide(f[j * slots + s]) * wide(g[j * slots + s]);
          EXPECT_NEAR(wide(out[o * slots + s]), sum, static_cast<double>(rank) * unit);
        }
      }
    }
  }
}

TEST_P(EveryTable, bilinear_backward_gives_or_adds_what_is_wanted_and_no_more) {
  constexpr size_t slots = 32, outputs = 3, rank = 5, size = outputs * rank * slots;
  const std::vector<float> f = numbers(size, 14), g = numbers(size, 15), grad = numbers(outputs * slots, 16),
                           before = numbers(size, 17);
  for (unsigned bits = 0; bits < 16; ++bits) {
    const bool want_f = bits & 1, want_g = bits & 2, add_f = bits & 4, add_g = bits & 8;
    std::vector<float> df = before, dg = before;
    k.bilinear_backward(f.data(), g.data(), grad.data(), outputs, rank, slots, want_f ? df.data() : nullptr,
                        add_f, want_g ? dg.data() : nullptr, add_g);
    for (size_t i = 0; i < size; ++i) {
      const double up = wide(grad[i / slots / rank * slots + i % slots]), old = wide(before[i]);
      EXPECT_NEAR(wide(df[i]), want_f ? up * wide(g[i]) + (add_f ? old : 0) : old, 2 * unit);
      EXPECT_NEAR(wide(dg[i]), want_g ? up * wide(f[i]) + (add_g ? old : 0) : old, 2 * unit);
    }
  }
}

TEST_P(EveryTable, adam_follows_its_formula) {
  constexpr size_t count = 48;
  const AdamStep step{.beta1 = 0.9f, .beta2 = 0.999f, .rate = 0.01f, .root_scale = 3.0f, .epsilon = 1e-8f};
  const std::vector<float> value = numbers(count, 18), first = numbers(count, 19),
                           second = numbers(count, 20, 0, 1);
  std::vector<float> grad = numbers(count, 21);
  grad[4] = 0;
  std::vector<float> v = value, m = first, s = second;
  k.adam(v.data(), m.data(), s.data(), grad.data(), count, step);
  for (size_t i = 0; i < count; ++i) {
    const double g = wide(grad[i]);
    const double want_m = wide(step.beta1) * wide(first[i]) + (1 - wide(step.beta1)) * g;
    const double want_s = wide(step.beta2) * wide(second[i]) + (1 - wide(step.beta2)) * g * g;
    const double move = wide(step.rate) * want_m / (std::sqrt(want_s) * 3.0 + wide(step.epsilon));
    EXPECT_NEAR(wide(m[i]), want_m, 4 * unit);
    EXPECT_NEAR(wide(s[i]), want_s, 4 * unit);
    EXPECT_NEAR(wide(v[i]), wide(value[i]) - move, 4 * unit);
  }
}

TEST_P(EveryTable, adam_leaves_a_parameter_without_gradient_and_moments_alone) {
  std::vector<float> value = numbers(16, 22), first(16), second(16);
  const std::vector<float> before = value, grad(16);
  k.adam(value.data(), first.data(), second.data(), grad.data(), 16, {0.9f, 0.999f, 0.01f, 30.0f, 1e-8f});
  EXPECT_EQ(value, before);
}

TEST_P(EveryTable, weight_decay_takes_its_share_of_a_parameter_and_adds_nothing_to_the_moments) {
  AdamStep step{.beta1 = 0.9f, .beta2 = 0.999f, .rate = 0.01f, .root_scale = 3.0f, .epsilon = 1e-8f};
  const std::vector<float> before = numbers(32, 23), grad = numbers(32, 24);
  std::vector<float> plain = before, first(32), second(32);
  k.adam(plain.data(), first.data(), second.data(), grad.data(), 32, step);
  step.decay = 0.25f;
  std::vector<float> decayed = before, other_first(32), other_second(32);
  k.adam(decayed.data(), other_first.data(), other_second.data(), grad.data(), 32, step);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(wide(decayed[i]), wide(plain[i]) - 0.25 * wide(before[i]), 4 * unit);
  EXPECT_EQ(other_first, first);
  EXPECT_EQ(other_second, second);
}

}  // namespace
}  // namespace kedge
