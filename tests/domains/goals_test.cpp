#include "kedge/domains/goals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "kedge/core/error.h"

namespace kedge {
namespace {

const std::array<double, 3> low = {-1, 2, 0.01}, high = {0, 5, 0.01};

TEST(Goals, csv_gives_its_rows_without_the_header) {
  EXPECT_EQ(goals_from_csv("a,b\n1,2.5\n-3,4e-3\n"),
            Matrix<double>(2, 2, std::vector<double>{1, 2.5, -3, 4e-3}));
}

TEST(Goals, text_that_is_no_csv_is_an_error) { EXPECT_THROW(goals_from_csv("a,b\n1\n"), Error); }

TEST(Goals, those_of_a_box_lie_in_it_and_fill_it) {
  const Matrix<double> goals = box_goals(low, high, 1000, Split::train, 3);
  for (size_t c = 0; c < 3; ++c) {
    double least = goals(0, c), most = goals(0, c);
    for (size_t g = 0; g < goals.rows(); ++g) {
      least = std::min(least, goals(g, c));
      most = std::max(most, goals(g, c));
    }
    const double side = high[c] - low[c];
    EXPECT_GE(least, low[c]);
    EXPECT_LE(most, high[c]);
    EXPECT_LE(least, low[c] + 0.02 * side);
    EXPECT_GE(most, high[c] - 0.02 * side);
  }
}

TEST(Goals, the_first_ones_do_not_depend_on_the_count) {
  const Matrix<double> few = box_goals(low, high, 3, Split::oos, 3);
  const Matrix<double> many = box_goals(low, high, 30, Split::oos, 3);
  EXPECT_TRUE(std::equal(few.values().begin(), few.values().end(), many.values().begin()));
}

TEST(Goals, seeds_and_splits_share_none) {
  std::set<double> first_numbers;
  for (Split split : {Split::train, Split::in, Split::oos})
    for (uint64_t seed : {3, 4}) {
      const Matrix<double> goals = box_goals(low, high, 100, split, seed);
      for (size_t g = 0; g < goals.rows(); ++g) first_numbers.insert(goals(g, 0));
    }
  EXPECT_EQ(first_numbers.size(), 600u);
}

}  // namespace
}  // namespace kedge
