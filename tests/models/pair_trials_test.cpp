#include "kedge/models/pair_trials.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;

/// Rows on a line, and all their pairs; the terms of a pair mark its query (1) and its anchor (-1).
struct Line {
  Matrix<float> features, outputs;
  PairDesign design;

  explicit Line(size_t rows) : features(rows, 1), outputs(rows, 1) {
    for (size_t r = 0; r < rows; ++r) features(r, 0) = outputs(r, 0) = static_cast<float>(r);
    design.pairs = PairSampler(rows, SelfPairs::exclude).all_pairs(rows * rows);
    design.terms = Matrix<double>(design.pairs.size(), rows);
    design.changes = Matrix<double>(design.pairs.size(), 1);
    for (size_t p = 0; p < design.pairs.size(); ++p) {
      const auto [query, anchor] = design.pairs[p];
      design.terms(p, query) = 1;
      design.terms(p, anchor) = -1;
      design.changes(p, 0) = static_cast<double>(query) - static_cast<double>(anchor);
    }
  }

  PairTrials trials() const { return {{{}, features, outputs, {}}, design, {}}; }
};

/// The rows that a trial held out, by the question that asks for them.
std::vector<size_t> asked(const PairTrial& trial) {
  std::vector<size_t> rows;
  for (size_t q = 0; q < trial.terms.rows(); ++q)
    for (size_t r = 0; r < trial.terms.cols(); ++r)
      if (trial.terms(q, r) > 0) rows.push_back(r);
  return rows;
}

TEST(PairTrials, no_fitted_pair_has_a_row_that_judges) {
  const PairTrials trials = Line(20).trials();
  ASSERT_EQ(trials.inside.size(), 5u);
  ASSERT_EQ(trials.outside.size(), 6u);
  for (const std::vector<PairTrial>* some : {&trials.inside, &trials.outside}) {
    for (const PairTrial& trial : *some) {
      const std::vector<size_t> out = asked(trial);
      ASSERT_EQ(out.size(), trial.terms.rows());
      size_t fitted = 0;
      for (size_t r = 0; r < 20; ++r) fitted += trial.fitted.gram(r, r) > 0;
      for (size_t r : out) EXPECT_EQ(trial.fitted.gram(r, r), 0);
      EXPECT_EQ(fitted + out.size(), 20u);
    }
  }
}

TEST(PairTrials, the_outermost_rows_are_held_out_around_and_at_both_ends) {
  const PairTrials trials = Line(20).trials();
  const std::vector<std::vector<size_t>> expected = {
      {0, 1, 18, 19},           {0, 1, 2, 3},
      {16, 17, 18, 19},         {0, 1, 2, 3, 16, 17, 18, 19},
      {0, 1, 2, 3, 4, 5, 6, 7}, {12, 13, 14, 15, 16, 17, 18, 19}};
  for (size_t t = 0; t < expected.size(); ++t) EXPECT_EQ(asked(trials.outside[t]), expected[t]) << t;
}

TEST(PairTrials, a_question_is_the_mean_over_the_anchors_that_are_left) {
  const PairTrials trials = Line(10).trials();
  const PairTrial& low = trials.outside[1];
  ASSERT_EQ(asked(low), (std::vector<size_t>{0, 1}));
  // Rows 2 ... 9 have the mean 5.5.
  EXPECT_NEAR(low.changes(0, 0), 0 - 5.5, tolerance);
  EXPECT_NEAR(low.changes(1, 0), 1 - 5.5, tolerance);
  for (size_t r = 2; r < 10; ++r) EXPECT_NEAR(low.terms(0, r), -1.0 / 8, tolerance);
}

TEST(PairTrials, moments_are_means_over_pairs) {
  const Line line(3);
  const PairMoments moments(line.design.terms, line.design.changes);
  // Of six pairs each row is in four, and each two rows are in two.
  for (size_t a = 0; a < 3; ++a)
    for (size_t b = 0; b < 3; ++b) EXPECT_NEAR(moments.gram(a, b), a == b ? 4.0 / 6 : -2.0 / 6, tolerance);
  EXPECT_NEAR(moments.changes(2, 0), 2 * (1 + 2) / 6.0, tolerance);
}

TEST(PairTrials, weights_count_in_moments_in_the_mean_over_anchors_and_in_judging) {
  Line line(10);
  // Rows count 1, but row 9 counts 4.
  for (const Pair& pair : line.design.pairs)
    line.design.weights.push_back(pair.query == 9 || pair.anchor == 9 ? 4 : 1);
  line.design.row_weights = {1, 5, 1, 1, 1, 1, 1, 1, 1, 4};
  const PairTrial low = line.trials().outside[1];
  ASSERT_EQ(asked(low), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(low.weights, (std::vector<double>{1, 5}));
  // Rows 2 ... 8 and four times row 9.
  EXPECT_NEAR(low.changes(0, 0), -(2 + 3 + 4 + 5 + 6 + 7 + 8 + 4 * 9) / 11.0, tolerance);
  EXPECT_NEAR(low.terms(0, 9), -4.0 / 11, tolerance);
  // Of the fitted pairs 42 are without row 9, and 14 with it count 4 each.
  EXPECT_NEAR(low.fitted.gram(9, 9), 56.0 / 98, tolerance);
  EXPECT_NEAR(low.fitted.gram(2, 3), -2.0 / 98, tolerance);
}

TEST(PairTrials, two_rows_leave_nothing_to_try) {
  EXPECT_TRUE(Line(2).trials().inside.empty());
  EXPECT_TRUE(Line(2).trials().outside.empty());
}

}  // namespace
}  // namespace kedge
