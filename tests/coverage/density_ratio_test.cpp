#include "kedge/coverage/density_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;

Matrix<double> cells(size_t rows, size_t cols, std::vector<double> masses) {
  return {rows, cols, std::move(masses)};
}

// The definition, read off: both lines of the assumption for these D, E and kappa.
void expect_witnessed(const Matrix<double>& train, const Matrix<double>& test, const DensityRatio& ratio) {
  double train_sum = 0, test_sum = 0;
  for (double x : train.values()) train_sum += x;
  for (double x : test.values()) test_sum += x;
  const auto& d = ratio.differences;
  const auto& e = ratio.anchors;
  for (int i : {0, 1}) {
    double of_d = 0, of_e = 0;
    for (double x : d[static_cast<size_t>(i)]) of_d += x;
    for (double x : e[static_cast<size_t>(i)]) of_e += x;
    EXPECT_NEAR(of_d, 1, tolerance);
    EXPECT_NEAR(of_e, 1, tolerance);
  }
  for (size_t a = 0; a < train.rows(); ++a) {
    for (size_t b = 0; b < train.cols(); ++b) {
      const double known = d[0][a] * e[0][b] + d[0][a] * e[1][b] + d[1][a] * e[0][b];
      EXPECT_LE(known, ratio.kappa * train(a, b) / train_sum + tolerance);
      EXPECT_LE(test(a, b) / test_sum, ratio.kappa * (known + d[1][a] * e[1][b]) + tolerance);
    }
  }
}

TEST(DensityRatio, of_the_missing_corner_of_a_matrix_is_that_of_its_three_known_blocks) {
  const Matrix<double> train = cells(2, 2, {2, 1, 1, 0}), test = cells(2, 2, {0, 0, 0, 1});
  const DensityRatio ratio = density_ratio(train, test, 0);
  EXPECT_DOUBLE_EQ(ratio.kappa, 4);  // D1, D2, E1, E2 are one cell each: 1 against a quarter
  EXPECT_EQ(ratio.new_together, 1);
  EXPECT_EQ(ratio.differences[0], (std::vector<double>{1, 0}));
  EXPECT_EQ(ratio.differences[1], (std::vector<double>{0, 1}));
  expect_witnessed(train, test, ratio);
}

TEST(DensityRatio, of_an_independent_training_set_is_three_when_nothing_is_new) {
  const Matrix<double> train = cells(2, 3, {1, 2, 3, 2, 4, 6});
  const DensityRatio ratio = density_ratio(train, train, 0);
  EXPECT_NEAR(ratio.kappa, 3, tolerance);  // three blocks, each the training distribution itself
  EXPECT_EQ(ratio.new_together, 0);
}

TEST(DensityRatio, is_infinite_without_a_row_or_column_that_training_saw_whole) {
  const Matrix<double> diagonal = cells(2, 2, {1, 0, 0, 1});
  const DensityRatio ratio = density_ratio(diagonal, cells(2, 2, {0, 1, 0, 0}), 0);
  EXPECT_TRUE(std::isinf(ratio.kappa));
  EXPECT_EQ(ratio.new_together, 1);
  EXPECT_EQ(ratio.differences[0], (std::vector<double>{0.5, 0.5}));
  EXPECT_TRUE(std::isinf(density_ratio(cells(2, 2, {1, 1, 1, 1}), Matrix<double>(2, 2), 1).kappa));
}

TEST(DensityRatio, is_infinite_when_some_of_the_test_was_never_seen_but_says_how_much) {
  const Matrix<double> train = cells(2, 2, {2, 1, 1, 0});
  const DensityRatio ratio = density_ratio(train, cells(2, 2, {3, 0, 0, 1}), 0.2);
  EXPECT_TRUE(std::isinf(ratio.kappa));
  EXPECT_EQ(ratio.unseen, 0.2);
  EXPECT_DOUBLE_EQ(ratio.new_together, 0.2);
}

TEST(DensityRatio, satisfies_the_assumption_wherever_it_is_finite) {
  Rng rng(4, Stream::domain);
  int finite = 0, with_new = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const size_t rows = 1 + rng.below(6), cols = 1 + rng.below(6);
    Matrix<double> train(rows, cols), test(rows, cols);
    train(0, 0) = test(rng.below(rows), rng.below(cols)) = 1;
    for (size_t a = 0; a < rows; ++a) {
      for (size_t b = 0; b < cols; ++b) {
        if (rng.uniform() < 0.85) train(a, b) += rng.uniform();
        if (rng.uniform() < 0.3) test(a, b) += rng.uniform();
      }
    }
    const DensityRatio ratio = density_ratio(train, test, 0);
    if (std::isinf(ratio.kappa)) continue;
    ++finite;
    with_new += ratio.new_together > 0;
    EXPECT_GE(ratio.kappa, 3 - tolerance);
    expect_witnessed(train, test, ratio);
  }
  EXPECT_GT(finite, 150);
  EXPECT_GT(with_new, 30);
}

TEST(DensityRatio, what_is_in_reach_has_a_finite_ratio_and_is_the_most_that_one_row_and_column_span) {
  const Matrix<double> train = cells(3, 3,
                                     {0, 1, 1,  //
                                      1, 1, 1,  //
                                      1, 1, 0});
  const CoveredCells all = widest_block(train);
  EXPECT_NEAR(all.share, 1, tolerance);
  EXPECT_TRUE(std::isfinite(density_ratio(train, all.test, 0).kappa));
  EXPECT_GT(density_ratio(train, all.test, 0).new_together, 0);

  const Matrix<double> apart = cells(3, 3,
                                     {2, 2, 0,  //
                                      2, 2, 0,  //
                                      0, 0, 1});
  const CoveredCells part = widest_block(apart);
  EXPECT_NEAR(part.share, 64.0 / 81, tolerance);
  EXPECT_EQ(part.test(2, 2), 0);
  EXPECT_EQ(part.test(0, 2), 0);
  const DensityRatio ratio = density_ratio(apart, part.test, 0);
  EXPECT_TRUE(std::isfinite(ratio.kappa));
  EXPECT_EQ(ratio.new_together, 0);
}

TEST(DensityRatio, is_finite_within_reach_for_any_training_set) {
  Rng rng(5, Stream::domain);
  for (int trial = 0; trial < 300; ++trial) {
    Matrix<double> train(1 + rng.below(8), 1 + rng.below(8));
    train(0, 0) = 1;
    for (size_t a = 0; a < train.rows(); ++a)
      for (size_t b = 0; b < train.cols(); ++b) train(a, b) += rng.uniform() < 0.4 ? rng.uniform() : 0;
    const CoveredCells covered = widest_block(train);
    const DensityRatio ratio = density_ratio(train, covered.test, 0);
    EXPECT_TRUE(std::isfinite(ratio.kappa)) << trial;
  }
}

// The definition speaks of events; every set of cells is one.
double greatest_ratio_of_events(const Matrix<double>& train, const Matrix<double>& test) {
  double train_sum = 0, test_sum = 0;
  for (double x : train.values()) train_sum += x;
  for (double x : test.values()) test_sum += x;
  double greatest = 0;
  for (size_t event = 1; event < size_t{1} << train.values().size(); ++event) {
    double of_train = 0, of_test = 0;
    for (size_t i = 0; i < train.values().size(); ++i)
      if (event >> i & 1) {
        of_train += train.values()[i] / train_sum;
        of_test += test.values()[i] / test_sum;
      }
    if (of_test > 0) greatest = std::max(greatest, of_test / of_train);
  }
  return greatest;
}

TEST(PlainDensityRatio, is_the_greatest_ratio_of_any_event) {
  Rng rng(6, Stream::domain);
  int finite = 0, infinite = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Matrix<double> train(1 + rng.below(3), 1 + rng.below(3)), test(train.rows(), train.cols());
    train(0, 0) = test(0, 0) = 1;
    for (size_t a = 0; a < train.rows(); ++a)
      for (size_t b = 0; b < train.cols(); ++b) {
        if (rng.uniform() < 0.8) train(a, b) += rng.uniform();
        if (rng.uniform() < 0.5) test(a, b) += rng.uniform();
      }
    const double expected = greatest_ratio_of_events(train, test),
                 found = plain_density_ratio(train, test, 0);
    if (std::isinf(expected)) {
      ++infinite;
      EXPECT_TRUE(std::isinf(found));
      EXPECT_GT(density_ratio(train, test, 0).new_together, 0);
    } else {
      ++finite;
      EXPECT_NEAR(found, expected, tolerance * expected);
      EXPECT_GE(found, 1 - tolerance);
      EXPECT_EQ(density_ratio(train, test, 0).new_together, 0);
    }
  }
  EXPECT_GT(finite, 50);
  EXPECT_GT(infinite, 30);
}

TEST(PlainDensityRatio, is_one_for_equal_distributions_and_infinite_when_some_of_the_test_is_in_no_cell) {
  const Matrix<double> train = cells(2, 2, {2, 1, 1, 0});
  EXPECT_DOUBLE_EQ(plain_density_ratio(train, cells(2, 2, {4, 2, 2, 0}), 0), 1);
  EXPECT_DOUBLE_EQ(plain_density_ratio(train, cells(2, 2, {1, 1, 0, 0}), 0), 2);
  EXPECT_TRUE(std::isinf(plain_density_ratio(train, train, 0.1)));
  EXPECT_TRUE(std::isinf(plain_density_ratio(train, Matrix<double>(2, 2), 1)));
}

TEST(PlainDensityRatio, is_finite_for_what_was_seen_together) {
  const Matrix<double> train = cells(2, 2, {2, 1, 1, 0});
  const CoveredCells seen = seen_together(train);
  EXPECT_DOUBLE_EQ(seen.share, 15.0 / 16);  // marginals 3/4, 1/4 on both sides
  EXPECT_EQ(seen.test(1, 1), 0);
  EXPECT_DOUBLE_EQ(seen.test(0, 0), 9.0 / 16);
  EXPECT_DOUBLE_EQ(plain_density_ratio(train, seen.test, 0), 1.2);  // 9/15 against 2/4

  const Matrix<double> independent = cells(2, 3, {1, 2, 3, 2, 4, 6});
  const CoveredCells all = seen_together(independent);
  EXPECT_NEAR(all.share, 1, tolerance);
  EXPECT_NEAR(plain_density_ratio(independent, all.test, 0), 1, tolerance);
}

}  // namespace
}  // namespace kedge
