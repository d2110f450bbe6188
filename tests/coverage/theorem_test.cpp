#include "kedge/coverage/theorem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-9;  // relative; square roots of moments

// What a sample shows, owned.
struct Pairs {
  Matrix<double> f, g, target, difference, anchor, test_difference = {}, test_anchor = {};
  size_t outputs = 1;

  TheoremSample sample() const {
    return {outputs, f, g, target, difference, anchor, test_difference, test_anchor};
  }
  TheoremQuantities quantities(const TheoremOptions& options = {}) const {
    return theorem_quantities(sample(), options);
  }
  OutputTheorem first() const { return quantities().outputs[0]; }
};

double product(const Pairs& p, size_t row) {
  double sum = 0;
  for (size_t i = 0; i < p.f.cols(); ++i) sum += p.f(row, i) * p.g(row, i);
  return sum;
}

// f = (3 d1, d2), g = (x1, 2 x2) at all corners d and x of two squares; the answer is off by `error`.
Pairs corners(double error) {
  Pairs p{Matrix<double>(16, 2), Matrix<double>(16, 2), Matrix<double>(16, 1), Matrix<double>(16, 2),
          Matrix<double>(16, 2)};
  for (size_t r = 0; r < 16; ++r) {
    for (size_t i = 0; i < 2; ++i) {
      p.difference(r, i) = r >> i & 1 ? 1 : -1;
      p.anchor(r, i) = r >> (2 + i) & 1 ? 1 : -1;
    }
    p.f(r, 0) = 3 * p.difference(r, 0);
    p.f(r, 1) = p.difference(r, 1);
    p.g(r, 0) = p.anchor(r, 0);
    p.g(r, 1) = 2 * p.anchor(r, 1);
    p.target(r, 0) = product(p, r) + error;
  }
  return p;
}

// Independent normal differences and anchors; f and g linear in them, of `rank` within `size` numbers.
Pairs mixed(size_t rows, size_t size, size_t rank, Rng& rng) {
  Matrix<double> to_f(rank, size), to_g(rank, size);
  for (size_t i = 0; i < rank; ++i)
    for (size_t j = 0; j < size; ++j) {
      to_f(i, j) = rng.normal();
      to_g(i, j) = rng.normal();
    }
  Pairs p{Matrix<double>(rows, size), Matrix<double>(rows, size), Matrix<double>(rows, 1),
          Matrix<double>(rows, rank), Matrix<double>(rows, rank)};
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < rank; ++i) {
      p.difference(r, i) = rng.normal();
      p.anchor(r, i) = rng.normal();
      for (size_t j = 0; j < size; ++j) {
        p.f(r, j) += p.difference(r, i) * to_f(i, j);
        p.g(r, j) += p.anchor(r, i) * to_g(i, j);
      }
    }
    p.target(r, 0) = product(p, r);
  }
  return p;
}

void expect_near(double found, double expected) {
  EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected)));
}

TEST(Theorem, its_quantities_are_those_of_known_second_moments) {
  const double error = 0.1, risk = error * error, kappa = 3;  // training pairs independent: see DensityRatio
  const TheoremQuantities all = corners(error).quantities();
  EXPECT_EQ(all.pairs, 16u);
  expect_near(all.kappa, kappa);
  expect_near(all.covered, 1);
  EXPECT_EQ(all.new_together, 0);
  ASSERT_EQ(all.outputs.size(), 1u);
  const OutputTheorem& o = all.outputs[0];
  EXPECT_EQ(o.embedding, 2u);
  EXPECT_EQ(o.rank, 2u);
  expect_near(o.singular_values[0], 3);
  expect_near(o.singular_values[1], 2);
  expect_near(o.tail, 0);
  expect_near(o.risk, risk);
  expect_near(o.m * o.m, 9 * 1 + 1 * 4);
  expect_near(o.sigma_f, 1);
  expect_near(o.sigma_g, 1);
  const double m4 = 13 * 13;
  for (const auto& [bound, sigma_squared] : {std::pair{o.printed, 1.0}, {o.full, 1.0}, {o.effective, 4.0}}) {
    EXPECT_EQ(bound.p, 2u);
    expect_near(bound.sigma_squared, sigma_squared);
    expect_near(bound.risk, risk);
    expect_near(bound.test_risk, risk * kappa * kappa * (1 + 64 * m4 / (sigma_squared * sigma_squared)));
    EXPECT_TRUE(bound.premise);
  }
}

TEST(Theorem, the_premise_holds_up_to_a_risk_of_sigma_squared_over_four_kappa) {
  const double limit = std::sqrt(1.0 / 12), effective_limit = std::sqrt(4.0 / 12);
  for (double share : {0.99, 1.01}) {
    EXPECT_EQ(corners(share * limit).first().printed.premise, share < 1);
    EXPECT_EQ(corners(share * effective_limit).first().effective.premise, share < 1);
  }
}

TEST(Theorem, a_product_of_rank_r_has_numerical_rank_r_whatever_its_embeddings_size) {
  Rng rng(1, Stream::domain);
  for (size_t rank : {1, 2, 5, 8}) {
    const Pairs p = mixed(2000, 8, rank, rng);
    const OutputTheorem o = p.quantities({.tolerance = 1e-6}).outputs[0];
    EXPECT_EQ(o.rank, rank);
    EXPECT_EQ(o.singular_values.size(), 8u);
    EXPECT_EQ(o.effective.p, rank);
    EXPECT_GT(o.effective.sigma_squared, 0);
    EXPECT_NEAR(o.effective.risk, 0, 1e-12);
    if (rank < 8) {
      EXPECT_LT(o.sigma_f, 1e-9);
    }
  }
}

TEST(Theorem, doubling_f_and_halving_g_changes_the_printed_bound_alone) {
  Rng rng(2, Stream::domain);
  Pairs p = mixed(500, 4, 4, rng);
  for (size_t r = 0; r < 500; ++r) p.target(r, 0) += 0.01 * rng.normal();
  const OutputTheorem before = p.first();
  for (size_t r = 0; r < 500; ++r)
    for (size_t i = 0; i < 4; ++i) {
      p.f(r, i) *= 2;
      p.g(r, i) /= 2;
    }
  const OutputTheorem after = p.first();
  for (size_t i = 0; i < 4; ++i) expect_near(after.singular_values[i], before.singular_values[i]);
  EXPECT_EQ(after.rank, before.rank);
  expect_near(after.m, before.m);
  expect_near(after.sigma_f, 4 * before.sigma_f);
  expect_near(after.sigma_g, before.sigma_g / 4);
  expect_near(after.full.sigma_squared, before.full.sigma_squared);
  expect_near(after.effective.sigma_squared, before.effective.sigma_squared);
  EXPECT_NE(after.printed.sigma_squared, before.printed.sigma_squared);
}

TEST(Theorem, what_lies_below_the_training_error_or_the_tolerance_is_not_counted_as_rank) {
  EXPECT_EQ(corners(1.9).first().rank, 2u);
  const OutputTheorem one = corners(2.1).first();
  EXPECT_EQ(one.rank, 1u);
  expect_near(one.tail, 2);
  EXPECT_GT(one.effective.risk, one.risk);  // the approximation of rank 1 leaves the rest out
  const OutputTheorem none = corners(3.1).first();
  EXPECT_EQ(none.rank, 0u);
  EXPECT_FALSE(none.effective.premise);
  EXPECT_TRUE(std::isinf(none.effective.test_risk));
  EXPECT_EQ(corners(0).quantities({.tolerance = 0.6}).outputs[0].rank, 2u);
  EXPECT_EQ(corners(0).quantities({.tolerance = 0.7}).outputs[0].rank, 1u);
}

TEST(Theorem, every_output_is_measured_on_its_own_segment) {
  const Pairs one = corners(0.1);
  Pairs two{Matrix<double>(16, 4), Matrix<double>(16, 4), Matrix<double>(16, 2), one.difference, one.anchor};
  two.outputs = 2;
  for (size_t r = 0; r < 16; ++r) {
    for (size_t i = 0; i < 2; ++i) {
      two.f(r, i) = 10 * one.f(r, i);
      two.f(r, 2 + i) = one.f(r, i);
      two.g(r, i) = two.g(r, 2 + i) = one.g(r, i);
    }
    two.target(r, 0) = 10 * one.target(r, 0);
    two.target(r, 1) = one.target(r, 0);
  }
  const TheoremQuantities q = two.quantities();
  ASSERT_EQ(q.outputs.size(), 2u);
  expect_near(q.outputs[0].singular_values[0], 30);
  expect_near(q.outputs[0].risk, 1);
  expect_near(q.outputs[1].singular_values[0], 3);
  expect_near(q.outputs[1].risk, 0.01);
}

// d and x uniform in [0, 1], never both above a half in training, always in test; the product has rank 2 and
// is a little off the truth everywhere.
TEST(Theorem, the_bound_holds_for_the_corner_that_training_never_saw) {
  Rng rng(3, Stream::domain);
  const size_t rows = 4000, tests = 1000;
  const double off = 1e-4;
  Pairs p{Matrix<double>(rows, 2), Matrix<double>(rows, 2),  Matrix<double>(rows, 1), Matrix<double>(rows, 1),
          Matrix<double>(rows, 1), Matrix<double>(tests, 1), Matrix<double>(tests, 1)};
  const auto truth = [](double d, double x) { return 1 + (d - 0.4) * (x - 0.6); };
  const auto set = [&](double d, double x, double f[2], double g[2]) {
    f[0] = 1 + off;
    f[1] = d - 0.4;
    g[0] = 1;
    g[1] = x - 0.6 + off;
  };
  for (size_t r = 0; r < rows; ++r) {
    double d = 1, x = 1;
    while (d > 0.5 && x > 0.5) {
      d = rng.uniform();
      x = rng.uniform();
    }
    p.difference(r, 0) = d;
    p.anchor(r, 0) = x;
    set(d, x, &p.f(r, 0), &p.g(r, 0));
    p.target(r, 0) = truth(d, x);
  }
  double risk = 0;
  for (size_t r = 0; r < tests; ++r) {
    const double d = p.test_difference(r, 0) = rng.uniform(0.5, 1);
    const double x = p.test_anchor(r, 0) = rng.uniform(0.5, 1);
    double f[2], g[2];
    set(d, x, f, g);
    const double e = f[0] * g[0] + f[1] * g[1] - truth(d, x);
    risk += e * e / static_cast<double>(tests);
  }
  const TheoremQuantities q = p.quantities();
  EXPECT_GT(q.new_together, 0.5);
  EXPECT_EQ(q.unseen, 0);
  EXPECT_EQ(q.covered, 1);
  ASSERT_TRUE(std::isfinite(q.kappa));
  EXPECT_EQ(q.outputs[0].rank, 2u);
  ASSERT_TRUE(q.outputs[0].effective.premise);
  EXPECT_LE(risk, q.outputs[0].effective.test_risk);
}

TEST(Theorem, kappa_is_infinite_when_a_test_difference_or_anchor_was_never_seen) {
  Pairs p = corners(0);
  p.test_difference = Matrix<double>(4, 2, 1.0);
  p.test_anchor = Matrix<double>(4, 2, 1.0);
  EXPECT_TRUE(std::isfinite(p.quantities().kappa));
  p.test_anchor(2, 1) = 1.5;
  const TheoremQuantities q = p.quantities();
  EXPECT_TRUE(std::isinf(q.kappa));
  EXPECT_EQ(q.unseen, 0.25);
  EXPECT_FALSE(q.outputs[0].effective.premise);
  EXPECT_TRUE(std::isinf(q.outputs[0].effective.test_risk));
}

TEST(Theorem, a_sample_that_does_not_fit_together_is_refused_with_one_line_that_says_why) {
  const Pairs good = corners(0);
  const auto error = [&](auto change, const TheoremOptions& options = {}) {
    Pairs p = good;
    change(p);
    return error_text([&] { p.quantities(options); });
  };
  const double nan = std::nan("");
  const std::vector<std::pair<std::string, std::string>> errors = {
      {"f needs rows", error([](Pairs& p) { p.f = Matrix<double>(0, 2); })},
      {"multiple of 3", error([](Pairs& p) { p.outputs = 3; })},
      {"multiple of 0", error([](Pairs& p) { p.outputs = 0; })},
      {"g needs 16 rows of 2", error([](Pairs& p) { p.g = Matrix<double>(16, 3); })},
      {"target needs 16 rows of 1", error([](Pairs& p) { p.target = Matrix<double>(15, 1); })},
      {"anchor needs 16 rows", error([](Pairs& p) { p.anchor = Matrix<double>(1, 2); })},
      {"test anchor needs 3 rows of 2", error([](Pairs& p) { p.test_difference = Matrix<double>(3, 2); })},
      {"test difference needs 0 rows", error([](Pairs& p) { p.test_anchor = Matrix<double>(3, 2); })},
      {"found nan in row 7", error([&](Pairs& p) { p.f(7, 1) = nan; })},
      {"found inf", error([](Pairs& p) { p.target(1, 0) = std::numeric_limits<double>::infinity(); })},
      {"tolerance", error([](Pairs&) {}, {.tolerance = nan})},
  };
  for (const auto& [words, text] : errors) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kedge
