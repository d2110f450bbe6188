#include "kedge/experiments/relative_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kedge {
namespace {

FitScores scores(double in, double oos) {
  FitScores one;
  one.in = {in};
  one.oos = {oos};
  one.in_deviation = one.oos_deviation = 1;
  return one;
}

TEST(RelativeErrors, cells_hold_the_mean_and_the_deviation_over_seeds_and_what_diverged) {
  RelativeErrors errors;
  errors.add(scores(1, 2));
  errors.add(scores(3, 6));
  FitScores diverged;
  diverged.failed = 1;
  errors.add(diverged);
  Result result{};
  add_cells({"row", "column", "default", "", {}, {}}, errors, result);
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(result.cells[0].split, "oos");
  EXPECT_NEAR(result.cells[0].ours.mean, 4, 1e-12);
  EXPECT_NEAR(result.cells[0].ours.sd, std::sqrt(8.0), 1e-12);
  EXPECT_EQ(result.cells[0].failed, 1u);
  EXPECT_EQ(result.cells[1].split, "in");
  EXPECT_NEAR(result.cells[1].ours.mean, 2, 1e-12);
  EXPECT_EQ(result.cells[1].ours.n, 2u);
}

}  // namespace
}  // namespace kedge
