#include "kedge/report/parity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "well_formed.h"

namespace kedge {
namespace {

Chart points(std::vector<double> x, std::vector<double> y) {
  return {.series = {{.name = "p", .x = std::move(x), .y = std::move(y), .style = SeriesStyle::points}}};
}

TEST(Parity, has_the_same_axes_around_all_points_and_a_line_where_both_are_equal) {
  const Chart chart = parity_chart(points({-1, 2}, {5, 0}), ParityOf::values, "equal");
  ASSERT_TRUE(chart.x_range);
  EXPECT_EQ(chart.x_range, chart.y_range);
  EXPECT_LT(chart.x_range->first, -1);
  EXPECT_GT(chart.x_range->second, 5);
  EXPECT_EQ(chart.series.at(0).name, "equal");
  EXPECT_EQ(chart.series[0].x, chart.series[0].y);
  EXPECT_EQ(fault_in(to_svg(chart)), "");
}

TEST(Parity, of_sizes_begins_at_0_or_is_logarithmic_where_they_differ_much) {
  const Chart even = parity_chart(points({1, 2}, {3, 4}), ParityOf::sizes, "equal");
  EXPECT_EQ(even.x_range->first, 0);
  EXPECT_EQ(even.x_steps, ScaleSteps::even);
  const Chart wide = parity_chart(points({0.01, 2, 0}, {3, 4, 1}), ParityOf::sizes, "equal");
  EXPECT_EQ(wide.x_steps, ScaleSteps::logarithmic);
  EXPECT_EQ(wide.y_steps, ScaleSteps::logarithmic);
  EXPECT_GT(wide.x_range->first, 0);
  EXPECT_LE(wide.x_range->first, 0.01);
}

TEST(Parity, without_two_numbers_still_renders) {
  EXPECT_EQ(fault_in(to_svg(parity_chart(points({}, {}), ParityOf::sizes, "equal"))), "");
  EXPECT_EQ(fault_in(to_svg(parity_chart(points({1, NAN}, {1, 2}), ParityOf::values, "equal"))), "");
}

}  // namespace
}  // namespace kedge
