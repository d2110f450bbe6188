#include "kedge/table/standardizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/rng.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

constexpr double rounding = 1e-12;

/// Column c of the answer: offset + size * z with standard normal z.
Matrix<double> column_of(size_t rows, double offset, double size, uint64_t seed) {
  Rng rng(seed, Stream::noise);
  Matrix<double> result(rows, 1);
  for (size_t r = 0; r < rows; ++r) result(r, 0) = offset + size * rng.normal();
  return result;
}

/// Mean and population deviation in long double, with the mean known to more digits than the column has.
std::pair<long double, long double> moments(const Matrix<double>& column) {
  long double sum = 0, squares = 0;
  for (const double value : column.values()) sum += value;
  const long double mean = sum / static_cast<long double>(column.rows());
  for (const double value : column.values()) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<long double>(column.rows()))};
}

TEST(Standardizer, finds_mean_and_population_deviation_of_a_small_table) {
  const Matrix<double> rows(4, 2, {2, -1, 4, -1, 4, 1, 6, 1});
  const Standardizer s = Standardizer::fit(rows);
  EXPECT_EQ(s.mean, (std::vector<double>{4, 0}));
  EXPECT_NEAR(s.scale[0], std::sqrt(2.0), rounding);
  EXPECT_EQ(s.scale[1], 1);
}

TEST(Standardizer, agrees_with_long_double_whatever_the_offset_and_the_size) {
  for (const auto& [offset, size] : std::vector<std::pair<double, double>>{{0, 1},
                                                                           {1.7e9, 1e-3},
                                                                           {1.7e9, 3600},
                                                                           {-1e12, 1},
                                                                           {0, 1e-200},
                                                                           {0, 1e200},
                                                                           {1e-300, 1e-305},
                                                                           {5e15, 100}}) {
    const Matrix<double> column = column_of(5000, offset, size, 31);
    const auto [mean, deviation] = moments(column);
    const Standardizer s = Standardizer::fit(column);
    EXPECT_NEAR(s.mean[0], static_cast<double>(mean), 4e-16 * std::abs(offset) + rounding * size) << offset;
    EXPECT_NEAR(s.scale[0] / static_cast<double>(deviation), 1, 1e-9) << offset << " " << size;
  }
}

TEST(Standardizer, a_constant_column_has_scale_one_and_becomes_zero) {
  for (const double value : {0.0, 0.1, 1.7e9, -1e300, 5e-324}) {
    const Standardizer s = Standardizer::fit(Matrix<double>(1000, 1, value));
    EXPECT_EQ(s.mean[0], value);
    EXPECT_EQ(s.scale[0], 1);
  }
}

TEST(Standardizer, a_column_constant_up_to_rounding_has_scale_one) {
  const Standardizer s = Standardizer::fit(Matrix<double>(4, 1, {0.3, 0.1 + 0.2, 0.3, 0.3}));
  EXPECT_EQ(s.scale[0], 1);
}

TEST(Standardizer, columns_together_share_the_root_mean_square_of_their_deviations) {
  // Deviations 3, 0, 4 and 1.
  const Matrix<double> rows(2, 4, {0, 5, 0, 0, 6, 5, 8, 2});
  const std::vector<std::vector<size_t>> sets = {{2, 0, 1}};
  const Standardizer s = Standardizer::fit(rows, sets);
  for (size_t c : {0u, 1u, 2u}) EXPECT_NEAR(s.scale[c], 5 / std::sqrt(3.0), rounding);
  EXPECT_EQ(s.scale[3], 1);
  EXPECT_EQ(s.mean, (std::vector<double>{3, 5, 4, 1}));
}

TEST(Standardizer, columns_together_that_are_all_constant_have_scale_one) {
  const std::vector<std::vector<size_t>> sets = {{0, 1}};
  EXPECT_EQ(Standardizer::fit(Matrix<double>(9, 2, 7), sets).scale, (std::vector<double>{1, 1}));
}

TEST(Standardizer, a_whole_weight_counts_like_as_many_rows) {
  const Matrix<double> rows(4, 2, {2, -1e9, 4, 3, 5, 1e9, 6, 7});
  const std::vector<double> weights = {3, 1, 2, 5};
  Matrix<double> copies(11, 2);
  size_t at = 0;
  for (size_t r = 0; r < 4; ++r)
    for (double n = 0; n < weights[r]; ++n, ++at)
      for (size_t c = 0; c < 2; ++c) copies(at, c) = rows(r, c);
  const std::vector<std::vector<size_t>> apart, together = {{0, 1}};
  for (const auto& sets : {apart, together}) {
    const Standardizer expected = Standardizer::fit(copies, sets);
    for (double factor : {1.0, 1e-12}) {
      std::vector<double> scaled = weights;
      for (double& weight : scaled) weight *= factor;
      const Standardizer found = Standardizer::fit(rows, sets, scaled);
      for (size_t c = 0; c < 2; ++c) {
        EXPECT_NEAR(found.mean[c], expected.mean[c], rounding * expected.scale[c]);
        EXPECT_NEAR(found.scale[c] / expected.scale[c], 1, rounding);
      }
    }
  }
}

TEST(Standardizer, a_constant_column_has_scale_one_whatever_the_weights) {
  const std::vector<double> weights = {0.1, 0.7, 0.3};
  const Standardizer s = Standardizer::fit(Matrix<double>(3, 1, 0.1), {}, weights);
  EXPECT_EQ(s.mean[0], 0.1);
  EXPECT_EQ(s.scale[0], 1);
}

TEST(Standardizer, one_row_gives_its_own_mean_and_scale_one) {
  const Standardizer s = Standardizer::fit(Matrix<double>(1, 2, {3, -4}));
  EXPECT_EQ(s, (Standardizer{.mean = {3, -4}, .scale = {1, 1}}));
}

TEST(Standardizer, undo_and_redo_are_inverse) {
  const Standardizer s = Standardizer::fit(column_of(100, 40, 7, 32));
  Rng rng(33, Stream::noise);
  for (int i = 0; i < 1000; ++i) {
    const double value = rng.uniform(-200, 200);
    EXPECT_NEAR(s.undo(0, s.redo(0, value)), value, rounding * 200);
    EXPECT_NEAR(s.redo(0, s.undo(0, value)), value, rounding * 200);
  }
}

TEST(Standardizer, apply_rounds_once_and_keeps_seconds_of_a_timestamp_apart) {
  const Matrix<double> rows(3, 1, {1.7e9, 1.7e9 + 1, 1.7e9 + 2});
  const Standardizer s = Standardizer::fit(rows);
  float out = 0;
  s.apply(rows.row(2), {&out, 1});
  EXPECT_FLOAT_EQ(out, static_cast<float>(std::sqrt(1.5)));
}

TEST(Standardizer, identity_changes_nothing) {
  const Standardizer s = Standardizer::identity(3);
  std::vector<float> out(3);
  s.apply(std::vector<double>{1, -2, 0.5}, out);
  EXPECT_EQ(out, (std::vector<float>{1, -2, 0.5}));
  EXPECT_EQ(s.undo(1, 7), 7);
  EXPECT_EQ(s.columns(), 3u);
}

TEST(Standardizer, refuses_a_table_without_rows) {
  EXPECT_NE(error_text([] { Standardizer::fit(Matrix<double>(0, 2)); }).find("at least one row"),
            std::string::npos);
}

}  // namespace
}  // namespace kedge
