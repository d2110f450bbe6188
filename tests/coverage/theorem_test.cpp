#include "kedge/coverage/theorem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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

// Two outputs of corners(0.1); the first is 10 times as large.
Pairs two_outputs() {
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
  return two;
}

double true_product(double d, double x) { return 1 + (d - 0.4) * (x - 0.6); }

void set_near_embeddings(double d, double x, double off, double f[2], double g[2]) {
  f[0] = 1 + off;
  f[1] = d - 0.4;
  g[0] = 1;
  g[1] = x - 0.6 + off;
}

double near_product(double d, double x, double off) {
  double f[2], g[2];
  set_near_embeddings(d, x, off, f, g);
  return f[0] * g[0] + f[1] * g[1];
}

// d and x uniform in [0, 1], never both above a half in training, always in test; the product has rank 2 and
// is a little off the truth everywhere.
Pairs never_both_large(size_t rows, size_t tests, double off) {
  Rng rng(3, Stream::domain);
  Pairs p{Matrix<double>(rows, 2), Matrix<double>(rows, 2),  Matrix<double>(rows, 1), Matrix<double>(rows, 1),
          Matrix<double>(rows, 1), Matrix<double>(tests, 1), Matrix<double>(tests, 1)};
  for (size_t r = 0; r < rows; ++r) {
    double d = 1, x = 1;
    while (d > 0.5 && x > 0.5) {
      d = rng.uniform();
      x = rng.uniform();
    }
    p.difference(r, 0) = d;
    p.anchor(r, 0) = x;
    set_near_embeddings(d, x, off, &p.f(r, 0), &p.g(r, 0));
    p.target(r, 0) = true_product(d, x);
  }
  for (size_t r = 0; r < tests; ++r) {
    p.test_difference(r, 0) = rng.uniform(0.5, 1);
    p.test_anchor(r, 0) = rng.uniform(0.5, 1);
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
  expect_near(o.supremum, 3 + 2 + error);
  const double of_blocks = std::sqrt(13.0);
  for (const auto& [bound, m, sigma_squared] :
       {std::tuple{all.printed, 5.1, 1.0}, {o.full, of_blocks, 1.0}, {o.effective, of_blocks, 4.0}}) {
    EXPECT_EQ(bound.p, 2u);
    expect_near(bound.m, m);
    expect_near(bound.sigma_squared, sigma_squared);
    expect_near(bound.risk, risk);
    expect_near(bound.test_risk,
                risk * kappa * kappa * (1 + 64 * std::pow(m, 4) / (sigma_squared * sigma_squared)));
    EXPECT_TRUE(bound.premise);
  }
  EXPECT_TRUE(all.printed_follows);
  expect_near(all.in_support.kappa, 1);
  expect_near(all.in_support.covered, 1);
  expect_near(o.in_support, risk);
  expect_near(o.clipped.m, 5.1);
  expect_near(o.clipped.limit, 12.492397688194206);  // sqrt(6) * 5.1
  EXPECT_EQ(o.clipped.changed, 0u);
  expect_near(o.clipped.test_risk, 309.4924564195809);  // (7 + 2 sqrt(6)) * 5.1^2, less than o.full's
}

TEST(Theorem, the_premise_holds_up_to_a_risk_of_sigma_squared_over_four_kappa) {
  const double limit = std::sqrt(1.0 / 12), effective_limit = std::sqrt(4.0 / 12);
  for (double share : {0.99, 1.01}) {
    EXPECT_EQ(corners(share * limit).quantities().printed.premise, share < 1);
    EXPECT_EQ(corners(share * limit).first().full.premise, share < 1);
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
  const TheoremQuantities all_before = p.quantities();
  const OutputTheorem& before = all_before.outputs[0];
  for (size_t r = 0; r < 500; ++r)
    for (size_t i = 0; i < 4; ++i) {
      p.f(r, i) *= 2;
      p.g(r, i) /= 2;
    }
  const TheoremQuantities all_after = p.quantities();
  const OutputTheorem& after = all_after.outputs[0];
  for (size_t i = 0; i < 4; ++i) expect_near(after.singular_values[i], before.singular_values[i]);
  EXPECT_EQ(after.rank, before.rank);
  expect_near(after.m, before.m);
  expect_near(after.sigma_f, 4 * before.sigma_f);
  expect_near(after.sigma_g, before.sigma_g / 4);
  expect_near(after.full.sigma_squared, before.full.sigma_squared);
  expect_near(after.effective.sigma_squared, before.effective.sigma_squared);
  EXPECT_EQ(after.in_support, before.in_support);
  expect_near(after.supremum, before.supremum);
  EXPECT_EQ(after.clipped.test_risk, before.clipped.test_risk);
  expect_near(all_after.printed.m, all_before.printed.m);
  EXPECT_NE(all_after.printed.sigma_squared, all_before.printed.sigma_squared);
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
  const TheoremQuantities q = two_outputs().quantities();
  ASSERT_EQ(q.outputs.size(), 2u);
  expect_near(q.outputs[0].singular_values[0], 30);
  expect_near(q.outputs[0].risk, 1);
  expect_near(q.outputs[1].singular_values[0], 3);
  expect_near(q.outputs[1].risk, 0.01);
  expect_near(q.outputs[0].supremum, 51);
  expect_near(q.outputs[1].supremum, 5.1);
}

// f is 10 times as large in the first output: risks 1 and 0.01, answers up to 51 and 5.1, least eigenvalues
// of E[f f^T] 100 and 1, of E[g g^T] 1.
TEST(Theorem, printed_adds_up_risks_and_takes_the_greatest_answer_and_least_eigenvalue_of_all_outputs) {
  const TheoremQuantities q = two_outputs().quantities();
  EXPECT_EQ(q.printed.p, 2u);
  expect_near(q.printed.risk, 1.01);
  expect_near(q.printed.m, 51);
  expect_near(q.printed.sigma_squared, 1);
  expect_near(q.printed.test_risk, 1.01 * 9 * (1 + 64 * std::pow(51.0, 4)));
  EXPECT_FALSE(q.printed.premise);  // 1.01 is above 1/12, though the second output's own risk is not
  EXPECT_TRUE(q.outputs[1].full.premise);
  EXPECT_TRUE(q.printed_follows);
}

// The definitions, read off all combinations of sampled rows.
TEST(Theorem, printed_takes_answers_from_every_combination_of_the_blocks) {
  Rng rng(8, Stream::domain);
  for (int trial = 0; trial < 5; ++trial) {
    Pairs p = mixed(60, 3, 2, rng);
    const size_t wild = rng.below(60);
    p.target(wild, 0) = trial % 2 ? 1000 : 0;
    const TheoremQuantities q = p.quantities();
    // Two cells a side, all four seen: every row is in a block.
    ASSERT_EQ(q.covered, 1);
    double known = 0, greatest = 0;
    for (size_t a = 0; a < 60; ++a) {
      known = std::max(known, std::abs(p.target(a, 0)));
      for (size_t b = 0; b < 60; ++b) {
        double h = 0;
        for (size_t i = 0; i < 3; ++i) h += p.f(a, i) * p.g(b, i);
        greatest = std::max(greatest, std::abs(h));
      }
    }
    expect_near(q.outputs[0].supremum, std::max(known, greatest));
    expect_near(q.outputs[0].clipped.m, known);
    EXPECT_EQ(known > greatest, trial % 2 == 1);
    EXPECT_GE(q.outputs[0].supremum, q.outputs[0].m);
  }
}

TEST(Theorem, printed_is_never_less_than_the_outputs_full_bounds_together_where_it_follows_from_them) {
  Rng rng(9, Stream::domain);
  int follows = 0, premises = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Pairs p = trial % 2 ? corners(rng.uniform(0, 0.3)) : two_outputs();
    const double scale = std::exp(rng.uniform(-1.5, 1.5)), noise = rng.uniform(0, 0.1);
    for (size_t r = 0; r < p.f.rows(); ++r) {
      for (double& x : p.f.row(r)) x *= scale;
      for (double& x : p.target.row(r)) x = x * scale + noise * rng.normal();
    }
    const TheoremQuantities q = p.quantities();
    if (!q.printed_follows) continue;
    ++follows;
    premises += q.printed.premise;
    double together = 0;
    for (const OutputTheorem& output : q.outputs) {
      together += output.full.test_risk;
      EXPECT_LE(q.printed.premise, output.full.premise);
      EXPECT_GE(q.printed.m, output.m);
    }
    EXPECT_GE(q.printed.test_risk, together * (1 - tolerance));
  }
  EXPECT_GT(follows, 10);
  EXPECT_GT(premises, 3);
}

// Risks are symmetric, so roles are swapped here: f and g are the true embeddings, 0.1 everywhere, and the
// targets are what a fitted product of rank 1 predicts. Of what was seen it is off in one combination alone,
// and so it is off much more in the last corner.
TEST(Theorem, printed_can_be_false_where_no_eigenvalue_reaches_one_and_says_so) {
  const double c = 0.1, first = c * c / 100, last = c * c * c * c / first;
  Pairs p{Matrix<double>(3, 1, c),  Matrix<double>(3, 1, c), Matrix<double>(3, 1, c * c),
          Matrix<double>(3, 1),     Matrix<double>(3, 1),    Matrix<double>(1, 1, 1.0),
          Matrix<double>(1, 1, 1.0)};
  p.target(0, 0) = first;
  p.difference(1, 0) = p.anchor(2, 0) = 1;
  const TheoremQuantities q = p.quantities();
  const double test_risk = (c * c - last) * (c * c - last);
  expect_near(q.kappa, 3);
  expect_near(q.printed.sigma_squared, c * c);
  expect_near(q.printed.m, c * c);
  EXPECT_TRUE(q.printed.premise);
  EXPECT_GT(test_risk, 1000 * q.printed.test_risk);
  EXPECT_FALSE(q.printed_follows);
  EXPECT_FALSE(q.outputs[0].full.premise);
}

TEST(Theorem, the_bound_in_support_is_the_plain_ratio_times_the_risk_and_infinite_for_new_combinations) {
  const double error = 0.1, risk = error * error;
  Pairs p = corners(error);
  p.test_difference = Matrix<double>(4, 2, 1.0);
  p.test_anchor = Matrix<double>(4, 2, 1.0);
  TheoremQuantities q = p.quantities();
  expect_near(q.in_support.kappa, 4);  // the test in one of four equal cells
  EXPECT_EQ(q.in_support.covered, 1);
  EXPECT_EQ(q.outputs[0].in_support, q.in_support.kappa * q.outputs[0].risk);
  expect_near(q.outputs[0].in_support, 4 * risk);
  p.test_anchor(2, 1) = 1.5;
  EXPECT_TRUE(std::isinf(p.quantities().outputs[0].in_support));

  Pairs corner = never_both_large(400, 100, 0);
  q = corner.quantities();
  EXPECT_TRUE(std::isinf(q.in_support.kappa));
  EXPECT_TRUE(std::isfinite(q.kappa));
  EXPECT_EQ(q.outputs[0].risk, 0);
  EXPECT_TRUE(std::isinf(q.outputs[0].in_support));  // not the product of infinity and 0
  corner.test_difference = corner.test_anchor = {};
  q = corner.quantities();
  EXPECT_GE(q.in_support.kappa, 1);
  EXPECT_TRUE(std::isfinite(q.in_support.kappa));
  EXPECT_GT(q.in_support.covered, 0.5);
  EXPECT_LT(q.in_support.covered, 1);
  EXPECT_EQ(q.outputs[0].in_support, 0);
}

TEST(Theorem, the_bound_in_support_holds_for_tests_that_weigh_seen_cells_otherwise) {
  Rng rng(10, Stream::domain);
  for (int trial = 0; trial < 20; ++trial) {
    Pairs p = corners(0);
    for (size_t r = 0; r < 16; ++r) p.target(r, 0) += rng.normal() * (p.anchor(r, 1) > 0 ? 3 : 1);
    // Tests at training pairs: whole cells, some more often than others.
    const size_t cells_twice = rng.below(4);
    std::vector<double> d, x;
    double risk = 0;
    size_t tests = 0;
    for (size_t r = 0; r < 16; ++r) {
      const size_t cell = (p.difference(r, 0) > 0 ? 1 : 0) + (p.anchor(r, 0) > 0 ? 2 : 0);
      for (size_t copy = 0; copy < (cell == cells_twice ? 3 : 1); ++copy, ++tests) {
        d.insert(d.end(), p.difference.row(r).begin(), p.difference.row(r).end());
        x.insert(x.end(), p.anchor.row(r).begin(), p.anchor.row(r).end());
        const double e = product(p, r) - p.target(r, 0);
        risk += e * e;
      }
    }
    p.test_difference = Matrix<double>(tests, 2, std::move(d));
    p.test_anchor = Matrix<double>(tests, 2, std::move(x));
    const TheoremQuantities q = p.quantities();
    expect_near(q.in_support.kappa, 2);  // 3 of 6 against 1 of 4
    EXPECT_LE(risk / static_cast<double>(tests), q.outputs[0].in_support);
  }
}

TEST(Theorem, clipping_counts_the_training_predictions_beyond_its_limit) {
  Pairs p = corners(0);
  EXPECT_EQ(p.first().clipped.changed, 0u);
  for (size_t r : {3, 9}) p.f(r, 0) *= 10;  // 30 +- 2; the limit is sqrt(6) * 5 = 12.2
  p.f(5, 0) *= 4;                           // 12 +- 2
  const ClippedBound clipped = p.first().clipped;
  expect_near(clipped.limit, std::sqrt(6.0) * 5);
  EXPECT_EQ(clipped.changed, std::abs(product(p, 5)) > clipped.limit ? 3u : 2u);
  p.test_difference = Matrix<double>(1, 2, 9.0);
  p.test_anchor = Matrix<double>(1, 2, 1.0);
  EXPECT_TRUE(std::isinf(p.first().clipped.test_risk));  // never seen
}

// A product of 1 everywhere; one answer of 160 is 5. sigma and M of the blocks are 1, so that theorem 2 would
// say 58.5, but the risk of 0.1 is above 1/12.
TEST(Theorem, the_clipped_bound_does_not_take_a_bound_whose_premise_fails) {
  Pairs p{Matrix<double>(160, 1, 1.0), Matrix<double>(160, 1, 1.0), Matrix<double>(160, 1, 1.0),
          Matrix<double>(160, 1), Matrix<double>(160, 1)};
  for (size_t r = 0; r < 160; ++r) {
    p.difference(r, 0) = r & 1 ? 1 : 0;
    p.anchor(r, 0) = r >> 1 & 1 ? 1 : 0;
  }
  p.target(7, 0) = 5;
  const OutputTheorem o = p.first();
  EXPECT_FALSE(o.full.premise);
  expect_near(o.full.test_risk, 58.5);
  expect_near(o.clipped.test_risk, std::pow(1 + std::sqrt(6.0), 2) * 25);
}

// What appendix B.4.1 remarks, over all it can be asked about: kappa from 1 and sigma up to M.
TEST(Theorem, the_bound_without_its_premise_is_more_than_any_error_of_clipped_predictions) {
  const double worst = std::pow(1 + std::sqrt(6.0), 2);
  double least = 1e9;
  for (double kappa : {1.0, 1.5, 3.0, 10.0})
    for (double sigma_squared = 1; sigma_squared > 1e-6; sigma_squared /= 1.1) {  // M is 1
      const double risk = sigma_squared / (4 * kappa);
      const double bound = risk * kappa * kappa * (1 + 64 / (sigma_squared * sigma_squared));
      EXPECT_GT(bound, worst);
      least = std::min(least, bound);
    }
  expect_near(least, 16.25);
  EXPECT_GT(worst, 6);  // so the remark's own 6 M^2 does not show it
}

// Products of known rank fitted ill, well and exactly to truths of the same rank.
TEST(Theorem, the_clipped_bound_holds_whatever_the_training_risk) {
  int premises = 0, trivial = 0, clipped_any = 0;
  for (double off : {1e-6, 1e-5, 1e-4, 1e-2, 1.0, 100.0}) {
    const Pairs p = never_both_large(2000, 500, off);
    const OutputTheorem o = p.first();
    double risk = 0;
    for (size_t r = 0; r < p.test_difference.rows(); ++r) {
      const double d = p.test_difference(r, 0), x = p.test_anchor(r, 0);
      const double h = near_product(d, x, off);
      const double answer = std::clamp(h, -o.clipped.limit, o.clipped.limit);
      clipped_any += answer != h;
      risk += std::pow(answer - true_product(d, x), 2) / static_cast<double>(p.test_difference.rows());
      ASSERT_LE(std::abs(true_product(d, x)), o.clipped.m);
    }
    EXPECT_LE(risk, o.clipped.test_risk) << off;
    const double most = std::pow(1 + std::sqrt(6.0), 2) * o.clipped.m * o.clipped.m;
    EXPECT_LE(o.clipped.test_risk, most * (1 + tolerance));
    premises += o.full.premise;
    trivial += o.clipped.test_risk > most * (1 - tolerance);
    if (o.full.premise) {
      EXPECT_LE(o.clipped.test_risk, o.full.test_risk);
    }
  }
  EXPECT_GT(premises, 0);
  EXPECT_GT(trivial, 0);
  EXPECT_LT(trivial, 6);
  EXPECT_GT(clipped_any, 0);
}

TEST(Theorem, the_bound_holds_for_the_corner_that_training_never_saw) {
  const double off = 1e-4;
  const size_t tests = 1000;
  const Pairs p = never_both_large(4000, tests, off);
  double risk = 0;
  for (size_t r = 0; r < tests; ++r) {
    const double d = p.test_difference(r, 0), x = p.test_anchor(r, 0);
    risk += std::pow(near_product(d, x, off) - true_product(d, x), 2) / static_cast<double>(tests);
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
