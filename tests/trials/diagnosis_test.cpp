#include "kedge/trials/diagnosis.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/predictor/fitted.h"

namespace kedge {
namespace {

Table queries(size_t rows) {
  const Matrix<double> values = query_rows(rows);
  Table table("queries.csv");
  const std::vector<std::string> names = {"x", "angle", "size"};
  for (size_t c = 0; c < names.size(); ++c) {
    std::vector<double> cells;
    for (size_t r = 0; r < rows; ++r) cells.push_back(values(r, c));
    table.add(column(names[c], Role::input, cells));
  }
  return table;
}

TEST(Diagnosis, counts_every_query_once_and_averages_within_a_verdict) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}).predictor;
  const Diagnosis d = diagnose(predictor, queries(80));
  ASSERT_EQ(d.verdicts.size(), all_verdicts.size());
  size_t total = 0;
  for (const VerdictSummary& summary : d.verdicts) {
    total += summary.count;
    double sum = 0;
    for (size_t r = 0; r < 80; ++r)
      if (d.predictions.verdict[r] == summary.verdict) sum += d.predictions.support_distance[r];
    constexpr double rounding = 1e-12;
    if (summary.count > 0)
      EXPECT_NEAR(summary.support_distance, sum / static_cast<double>(summary.count), rounding);
    else
      EXPECT_TRUE(std::isnan(summary.support_distance));
  }
  EXPECT_EQ(total, 80u);
  EXPECT_FALSE(d.errors.has_value());
}

TEST(Diagnosis, tells_which_columns_are_out_of_range_but_not_angles) {
  const Predictor predictor = fit({training_table(), quick_options("bilinear")}).predictor;
  const Table table = queries(80);
  const Diagnosis d = diagnose(predictor, table);
  ASSERT_EQ(d.columns.size(), 3u);
  size_t outside = 0;
  for (double x : table.column("x").values)
    outside += x < d.columns[0].training_low || x > d.columns[0].training_high;
  EXPECT_GT(outside, 0u);
  EXPECT_EQ(d.columns[0].outside, outside);
  double furthest = 0;
  for (double x : table.column("x").values)
    furthest = std::max({furthest, d.columns[0].training_low - x, x - d.columns[0].training_high});
  constexpr double rounding = 1e-12;
  EXPECT_NEAR(std::abs(d.columns[0].furthest), furthest, rounding);
  EXPECT_NEAR(d.columns[0].furthest_relative,
              furthest / (d.columns[0].training_high - d.columns[0].training_low), rounding);
  EXPECT_EQ(d.columns[1].furthest, 0);
  EXPECT_EQ(d.columns[1].outside, 0u);
  EXPECT_EQ(d.training_map.rows(), predictor.training_rows());
  EXPECT_EQ(d.query_map.rows(), 80u);
  EXPECT_EQ(d.query_map.cols(), 2u);
}

TEST(Diagnosis, sets_true_errors_beside_expected_ones_where_the_truth_is_known) {
  const Predictor predictor = fit({training_table(), quick_options("ridge")}).predictor;
  const Table truth = training_table();
  const Diagnosis d = diagnose(predictor, truth);
  ASSERT_TRUE(d.errors.has_value());
  const double y = d.predictions.y(3, 0) - truth.column("y").values[3];
  const double z = d.predictions.y(3, 1) - truth.column("z").values[3];
  EXPECT_DOUBLE_EQ((*d.errors)[3], std::sqrt(y * y + z * z));
}

}  // namespace
}  // namespace kedge
