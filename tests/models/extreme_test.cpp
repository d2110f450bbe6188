#include "kedge/models/extreme.h"

#include <gtest/gtest.h>

#include "kedge/models/models.h"

namespace kedge {
namespace {

std::vector<float> solve(const Matrix<float>& features, const Matrix<float>& outputs) {
  const Shape shape{static_cast<int>(features.cols()), static_cast<int>(outputs.cols()), {}};
  return solve_extreme(find_model("extreme").program(shape, {}), features, outputs);
}

// Ten rows at 0 ... 9: the outermost fifth is rows 0 and 9.
Matrix<float> line() {
  Matrix<float> x(10, 1);
  for (size_t r = 0; r < 10; ++r) x(r, 0) = static_cast<float>(r);
  return x;
}

TEST(Extreme, takes_the_end_of_the_outputs_that_the_outermost_rows_are_nearer_to) {
  Matrix<float> y(10, 3);
  for (size_t r = 0; r < 10; ++r) {
    const float d = static_cast<float>(r) - 4.5f;
    y(r, 0) = d * d;      // high at both ends
    y(r, 1) = -d * d;     // low at both ends
    y(r, 2) = 2 * d + 7;  // as far from either end: the largest
  }
  EXPECT_EQ(solve(line(), y), (std::vector<float>{0, 0, 0, 20.25f, -20.25f, 16}));
}

TEST(Extreme, may_be_an_output_of_an_inner_row) {
  Matrix<float> y(10, 1, 1.0f);
  y(4, 0) = 3;
  y(5, 0) = -10;
  EXPECT_EQ(solve(line(), y), (std::vector<float>{0, 3}));
}

TEST(Extreme, of_a_constant_is_the_constant) {
  EXPECT_EQ(solve(line(), Matrix<float>(10, 1, 5.0f)), (std::vector<float>{0, 5}));
}

}  // namespace
}  // namespace kedge
