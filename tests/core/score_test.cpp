#include "kedge/core/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(Score, the_rmse_is_the_root_of_the_mean_squared_distance_of_rows) {
  const Matrix<double> truth(2, 2, std::vector<double>{0, 0, 1, 1});
  const Matrix<double> predicted(2, 2, std::vector<double>{3, 4, 1, 1});
  EXPECT_DOUBLE_EQ(rmse(predicted.view(), truth.view()), std::sqrt(25.0 / 2));
  EXPECT_EQ(rmse(truth.view(), truth.view()), 0);
}

TEST(Score, a_prediction_that_is_not_a_number_does_not_score_well) {
  const Matrix<double> truth(1, 1, 0.0), predicted(1, 1, std::nan(""));
  EXPECT_TRUE(std::isnan(rmse(predicted.view(), truth.view())));
}

TEST(Score, mean_and_deviation_are_those_of_a_sample) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(deviation(values), std::sqrt(32.0 / 7));
  EXPECT_EQ(deviation(std::vector<double>{3.5}), 0);
}

TEST(Score, r_squared_is_1_of_the_truth_and_0_of_its_mean) {
  const Matrix<double> truth(2, 1, std::vector<double>{0, 4});
  EXPECT_EQ(r_squared(std::vector<double>{0, 0}, truth.view()), 1);
  EXPECT_EQ(r_squared(std::vector<double>{2, 2}, truth.view()), 0);
  EXPECT_TRUE(std::isnan(r_squared(std::vector<double>{1, 1}, Matrix<double>(2, 1, 3.0).view())));
  EXPECT_THROW(r_squared(std::vector<double>{1}, truth.view()), Error);
}

TEST(Score, nothing_and_shapes_that_differ_have_no_score) {
  const Matrix<double> two(2, 1), three(3, 1), none;
  EXPECT_THROW(rmse(two.view(), three.view()), Error);
  EXPECT_THROW(rmse(none.view(), none.view()), Error);
  EXPECT_THROW(mean(std::vector<double>{}), Error);
  EXPECT_THROW(deviation(std::vector<double>{}), Error);
}

// As it is defined: ranks by counting, then Pearson's correlation.
double brute_force_rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto rank = [](const std::vector<double>& values, size_t i) {
    double below = 0, equal = 0;
    for (double value : values) {
      below += value < values[i];
      equal += value == values[i];
    }
    return below + (equal + 1) / 2;
  };
  std::vector<double> p, q;
  for (size_t i = 0; i < a.size(); ++i) {
    p.push_back(rank(a, i));
    q.push_back(rank(b, i));
  }
  const double p_mean = mean(p), q_mean = mean(q);
  double both = 0;
  for (size_t i = 0; i < p.size(); ++i) both += (p[i] - p_mean) * (q[i] - q_mean);
  return both / (deviation(p) * deviation(q) * static_cast<double>(p.size() - 1));
}

TEST(RankCorrelation, is_that_of_the_ranks_ties_included) {
  Rng rng(7, Stream::domain);
  for (size_t size : {2, 3, 10, 57}) {
    for (uint64_t values : {3, 1000}) {
      std::vector<double> a, b;
      for (size_t i = 0; i < size; ++i) {
        a.push_back(static_cast<double>(rng.below(values)));
        b.push_back(static_cast<double>(rng.below(values)) + 0.3 * a.back());
      }
      a.front() = -1;
      b.back() = 2000;
      EXPECT_NEAR(rank_correlation(a, b), brute_force_rank_correlation(a, b), 1e-12);
    }
  }
}

TEST(RankCorrelation, sees_the_order_alone) {
  const std::vector<double> a = {1, 2, 3, 4}, cubes = {1, 8, 27, 64}, falling = {5, 4, 1, -100};
  EXPECT_DOUBLE_EQ(rank_correlation(a, cubes), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(a, falling), -1);
  EXPECT_TRUE(std::isnan(rank_correlation(a, std::vector<double>(4, 2.0))));
}

TEST(RankCorrelation, refuses_lists_of_other_lengths) {
  EXPECT_THROW(rank_correlation(std::vector<double>{1, 2}, std::vector<double>{1}), Error);
  EXPECT_THROW(rank_correlation({}, {}), Error);
}

TEST(Score, auroc_is_the_share_of_pairs_in_the_right_order) {
  Rng rng(8, Stream::domain);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> score;
    std::vector<bool> bad;
    for (int i = 0; i < 30; ++i) {
      score.push_back(static_cast<double>(rng.below(10)));
      bad.push_back(rng.below(2) == 1);
    }
    double right = 0, pairs = 0;
    for (size_t i = 0; i < score.size(); ++i) {
      for (size_t j = 0; j < score.size(); ++j) {
        if (!bad[i] || bad[j]) continue;
        ++pairs;
        right += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
      }
    }
    constexpr double rounding = 1e-12;
    if (pairs > 0) {
      EXPECT_NEAR(auroc(score, bad), right / pairs, rounding);
    }
  }
  EXPECT_TRUE(std::isnan(auroc(std::vector<double>{1, 2}, {true, true})));
  EXPECT_THROW(auroc(std::vector<double>{1}, {true, false}), Error);
  EXPECT_THROW(auroc(std::vector<double>{1, std::nan("")}, {true, false}), Error);
}

TEST(TopShare, is_the_part_of_the_true_top_tenth_that_the_predicted_one_has) {
  std::vector<double> truth(40), reversed(40), half(40);
  for (size_t i = 0; i < 40; ++i) {
    truth[i] = static_cast<double>(i);
    reversed[i] = -truth[i];
    half[i] = i == 39 || i == 38 ? 0 : truth[i];
  }
  EXPECT_EQ(top_share(truth, truth), 1);
  EXPECT_EQ(top_share(reversed, truth), 0);
  EXPECT_EQ(top_share(half, truth), 0.5);
  EXPECT_EQ(top_share(std::vector<double>(40, 7.0), truth), 0.1) << "a constant finds what chance does";
  EXPECT_EQ(top_share(std::vector{1.0, 2.0}, std::vector{3.0, 4.0}), 1) << "at least one";
  EXPECT_THROW(top_share(truth, std::vector{1.0}), Error);
}

}  // namespace
}  // namespace kedge
