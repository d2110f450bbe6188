#include "kedge/report/edge_marks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "count.h"
#include "kedge/core/error.h"
#include "well_formed.h"

namespace kedge {
namespace {

PlotFrame frame_of(const Chart& chart) { return make_frame(chart, {.top = 20, .foot = 30, .right = 10}); }

Chart points(std::vector<double> x, std::vector<double> y) {
  return {.series = {{.name = "p", .x = std::move(x), .y = std::move(y), .style = SeriesStyle::points}}};
}

TEST(EdgeMarks, a_point_outside_of_the_range_is_an_arrow_and_no_dot) {
  Chart chart = points({0.5, 0.5, 5, -5}, {0.5, 7, 0.5, 0.5});
  chart.x_range = chart.y_range = {{0, 1}};
  const std::string marks = draw_edge_marks(chart.series[0], frame_of(chart));
  EXPECT_EQ(count(marks, "M"), 3u) << marks;
  EXPECT_EQ(count(to_svg(chart), "h0\" class=\"round points\""), 2u) << "one dot, and the one of the legend";
}

TEST(EdgeMarks, point_outwards_from_the_edge_where_the_point_left) {
  Chart chart = points({0.5}, {7});
  chart.x_range = chart.y_range = {{0, 1}};
  const PlotFrame frame = frame_of(chart);
  const std::string marks = draw_edge_marks(chart.series[0], frame);
  const std::string begin = "M" + pixel_text(frame.px(0.5) - 3.5) + " " + pixel_text(frame.top + 4.5);
  EXPECT_NE(marks.find(begin + "l3.5 -3.5l3.5 3.5"), std::string::npos) << marks << "\n" << begin;
}

TEST(EdgeMarks, the_zero_of_a_logarithmic_axis_hides_no_point) {
  Chart chart = points({1, 10, 0, 100}, {1, 0, -3, 10});
  chart.x_steps = chart.y_steps = ScaleSteps::logarithmic;
  const std::string marks = draw_edge_marks(chart.series[0], frame_of(chart));
  EXPECT_EQ(count(marks, "M"), 2u) << marks;
  EXPECT_EQ(fault_in(to_svg(chart)), "");
}

TEST(EdgeMarks, are_left_out_where_every_point_is_in_view_and_of_lines) {
  Chart chart = points({1, 2}, {3, 4});
  EXPECT_EQ(draw_edge_marks(chart.series[0], frame_of(chart)), "");
  EXPECT_FALSE(has_arrows({.style = SeriesStyle::line}));
}

TEST(LogAxes, equal_ratios_are_equal_distances) {
  Chart chart{.series = {{.x = {1, 10, 100}, .y = {0.01, 0.1, 1}}},
              .x_steps = ScaleSteps::logarithmic,
              .y_steps = ScaleSteps::logarithmic};
  const PlotFrame frame = frame_of(chart);
  EXPECT_NEAR(frame.px(10) - frame.px(1), frame.px(100) - frame.px(10), 1e-9);
  EXPECT_NEAR(frame.py(0.1) - frame.py(0.01), frame.py(1) - frame.py(0.1), 1e-9);
  EXPECT_LT(frame.py(1), frame.py(0.1));
}

TEST(LogAxes, need_ranges_above_0_and_no_equal_axes) {
  EXPECT_THROW(to_svg({.x_range = {{0, 1}}, .x_steps = ScaleSteps::logarithmic}), Error);
  EXPECT_THROW(to_svg({.equal_axes = true, .y_steps = ScaleSteps::logarithmic}), Error);
  EXPECT_NO_THROW(to_svg({.y_range = {{0.1, 1}}, .y_steps = ScaleSteps::logarithmic}));
  EXPECT_NO_THROW(to_svg(Chart{.y_steps = ScaleSteps::logarithmic})) << "without data";
}

TEST(Series, of_an_emphasis_has_its_class_and_the_image_its_colours) {
  Chart chart = points({1}, {1});
  EXPECT_EQ(to_svg(chart).find("--bad"), std::string::npos);
  chart.series[0].emphasis = Emphasis::bad;
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, "<g class=\"bad\">"), 2u) << "curve and legend";
  EXPECT_NE(svg.find("--bad:"), std::string::npos);
  EXPECT_NE(chart_styles().find("--bad:"), std::string::npos);
}

}  // namespace
}  // namespace kedge
