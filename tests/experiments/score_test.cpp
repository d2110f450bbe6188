#include "kedge/experiments/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kedge/core/error.h"

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

TEST(Score, nothing_and_shapes_that_differ_have_no_score) {
  const Matrix<double> two(2, 1), three(3, 1), none;
  EXPECT_THROW(rmse(two.view(), three.view()), Error);
  EXPECT_THROW(rmse(none.view(), none.view()), Error);
  EXPECT_THROW(mean(std::vector<double>{}), Error);
  EXPECT_THROW(deviation(std::vector<double>{}), Error);
}

}  // namespace
}  // namespace kedge
