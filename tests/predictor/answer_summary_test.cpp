#include "kedge/predictor/answer_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

TEST(AnswerSummary, is_mean_and_deviation_in_the_units_of_the_table) {
  const OutputScaling scaling{{{10, 0}, {2, 1}}};
  const Matrix<float> answers(2, 2, std::vector<float>{1, 3, 3, 7});
  std::vector<double> mean = {9, 9}, squares = {9, 9};
  const double spread = summarize({answers}, 0, 2, {scaling, mean, squares});
  EXPECT_EQ(mean, (std::vector<double>{14, 5}));
  EXPECT_EQ(spread, std::sqrt(4.0 + 4.0));
  EXPECT_EQ(summarize({answers}, 1, 1, {scaling, mean, squares}), 0);
  EXPECT_EQ(mean, (std::vector<double>{16, 7}));
}

TEST(AnswerSummary, is_a_geometric_mean_on_a_log_scale) {
  const OutputScaling scaling{{{1, 0}, {2, 1}}, OutputSpace({true, false})};
  const Matrix<float> answers(2, 2, std::vector<float>{1, 5, 2, 5});  // logarithms 3 and 5
  std::vector<double> mean(2), squares(2);
  const double spread = summarize({answers}, 0, 2, {scaling, mean, squares});
  EXPECT_DOUBLE_EQ(mean[0], std::exp(4.0));
  EXPECT_EQ(mean[1], 5);
  EXPECT_DOUBLE_EQ(spread, std::exp(4.0));
}

TEST(AnswerSummary, does_not_depend_on_how_the_answers_are_cut) {
  constexpr size_t rows = 50;
  const OutputScaling scaling{{{1, -2, 3}, {0.1, 7, 1e-3}}};
  Matrix<float> answers(rows, 3);
  Rng rng(1, Stream::noise);
  for (size_t r = 0; r < rows; ++r)
    for (float& number : answers.row(r)) number = static_cast<float>(rng.uniform(-1, 1));
  std::vector<double> whole(3), mean(3), squares(3);
  const double spread = summarize({answers}, 0, rows, {scaling, whole, squares});
  for (size_t size : {1, 7, 49}) {
    AnswerSummary summary(scaling, mean, squares);
    const auto each_part = [&](const auto& add) {
      for (size_t first = 0; first < rows; first += size)
        add(rows_of(answers, first, std::min(size, rows - first)));
    };
    each_part([&](MatrixView<const float> part) { summary.add_to_mean(part); });
    summary.finish_mean();
    each_part([&](MatrixView<const float> part) { summary.add_to_spread(part); });
    EXPECT_EQ(summary.finish(), spread);
    EXPECT_EQ(mean, whole);
  }
}

}  // namespace
}  // namespace kedge
