#include "kedge/coverage/sampled_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kedge {
namespace {

constexpr double tolerance = 1e-12;

// Differences 0 and 1 with anchors 0 and 1 in three of four combinations: the first twice.
struct ThreeCombinations {
  Matrix<double> f{4, 1, 1.0}, difference{4, 1, {0, 0, 0, 1}}, anchor{4, 1, {0, 0, 1, 0}}, test{1, 1, 1.0};

  TheoremSample sample() const {
    return {.f = f, .g = f, .target = f, .difference = difference, .anchor = anchor};
  }
  TheoremSample sample_with_query() const {
    TheoremSample s = sample();
    s.test_difference = s.test_anchor = test;
    return s;
  }
};

TEST(SampledBlocks, rows_weigh_what_their_cells_do) {
  const ThreeCombinations pairs;
  const SampledBlocks blocks = sampled_blocks(pairs.sample_with_query());
  EXPECT_DOUBLE_EQ(blocks.ratio.kappa, 4);
  const double third = 1.0 / 3;
  const std::vector<double> known = {third, third, third, 0}, corner = {0, 0, 0, 1};
  EXPECT_EQ(blocks.differences[0], known);
  EXPECT_EQ(blocks.differences[1], corner);
  EXPECT_EQ(blocks.anchors[0], (std::vector<double>{third, third, 0, third}));
  EXPECT_EQ(blocks.anchors[1], (std::vector<double>{0, 0, 1, 0}));
}

TEST(SampledBlocks, weights_of_each_distribution_add_up_to_one) {
  const ThreeCombinations pairs;
  for (const TheoremSample& sample : {pairs.sample(), pairs.sample_with_query()}) {
    const SampledBlocks blocks = sampled_blocks(sample);
    for (const auto& side : {blocks.differences, blocks.anchors})
      for (const std::vector<double>& weights : side)
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, tolerance);
  }
}

TEST(SampledBlocks, without_queries_each_ratio_has_the_combinations_it_can_speak_of) {
  const ThreeCombinations pairs;
  const SampledBlocks blocks = sampled_blocks(pairs.sample());
  EXPECT_NEAR(blocks.covered, 1, tolerance);                     // the corner too
  EXPECT_NEAR(blocks.in_support.covered, 15.0 / 16, tolerance);  // all but the corner, marginals 3/4 and 1/4
  EXPECT_NEAR(blocks.in_support.kappa, 1.2, tolerance);          // 9/15 against 2/4
  const SampledBlocks queried = sampled_blocks(pairs.sample_with_query());
  EXPECT_EQ(queried.covered, 1);
  EXPECT_EQ(queried.in_support.covered, 1);
  EXPECT_TRUE(std::isinf(queried.in_support.kappa));
}

}  // namespace
}  // namespace kedge
