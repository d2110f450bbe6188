#include "kedge/report/trajectories.h"

#include <gtest/gtest.h>

#include "count.h"
#include "kedge/core/error.h"
#include "well_formed.h"

namespace kedge {
namespace {

Matrix<double> to_goal(double x, double y, double z) {
  return Matrix<double>(3, 3, std::vector<double>{0, 0.4, 0.1, x / 2, 0.5, z / 2, x, y, z});
}

TrajectoryFrame push() {
  return {.title = "Push",
          .axes = {"x (m)", "y (m)", "z (m)"},
          .regions = {{"training", {0, 0.5, 0.01}, {0.3, 0.7, 0.02}, BoxStyle::shade},
                      {"beyond", {-0.3, 0.5, 0.01}, {0, 0.7, 0.02}, BoxStyle::dashes}},
          .goals = {{"goals", Matrix<double>(1, 3, std::vector<double>{-0.2, 0.6, 0.015})}}};
}

TEST(Trajectories, the_views_show_the_same_paths_from_two_sides) {
  const std::vector<TrajectorySet> sets = {{"expert", {to_goal(-0.2, 0.6, 0.01), to_goal(-0.1, 0.7, 0.01)}},
                                           {"ours", {to_goal(-0.21, 0.59, 0.01)}}};
  const Chart top = top_view(sets, push()), side = side_view(sets, push());
  ASSERT_EQ(top.series.size(), 4u);
  EXPECT_EQ(top.series[1].x, (std::vector<double>{0, -0.05, -0.1}));
  EXPECT_EQ(top.series[1].y, (std::vector<double>{0.4, 0.5, 0.7}));
  EXPECT_EQ(side.series[1].x, top.series[1].x);
  EXPECT_EQ(side.series[1].y, (std::vector<double>{0.1, 0.005, 0.01}));
  EXPECT_EQ(top.y_label, "y (m)");
  EXPECT_EQ(side.y_label, "z (m)");
  EXPECT_EQ(top.boxes[0].y_high, 0.7);
  EXPECT_EQ(side.boxes[0].y_high, 0.02);
  EXPECT_EQ(top.series[3].style, SeriesStyle::crosses);
  EXPECT_TRUE(top.equal_axes && side.equal_axes);
  for (const Chart& chart : {top, side}) {
    const std::string svg = to_svg(chart);
    EXPECT_EQ(fault_in(svg), "");
    for (const char* name : {"expert", "ours", "goals", "training", "beyond"})
      EXPECT_EQ(count(svg, std::string(">") + name + "</text>"), 1u) << name;
    EXPECT_EQ(svg.find("<animate"), std::string::npos);
  }
}

TEST(Trajectories, no_more_paths_are_shown_than_asked_and_a_dot_runs_along_each) {
  TrajectorySet set{"expert"};
  for (int i = 0; i < 30; ++i) set.paths.push_back(to_goal(0.01 * i, 0.6, 0.01));
  TrajectoryFrame frame = push();
  EXPECT_EQ(top_view({set}, frame).series.size(), 26u);
  frame.most_paths = 4;
  frame.seconds = 1.25;
  const std::string svg = to_svg(top_view({set}, frame));
  EXPECT_EQ(count(svg, "<animateTransform"), 4u);
  EXPECT_EQ(fault_in(svg), "");
}

TEST(Trajectories, a_frame_without_paths_is_a_picture_of_the_domain) {
  TrajectoryFrame frame = push();
  frame.goals[0].style = SeriesStyle::points;
  const Chart chart = top_view({}, frame);
  ASSERT_EQ(chart.series.size(), 1u);
  EXPECT_EQ(chart.boxes.size(), 2u);
  EXPECT_EQ(fault_in(to_svg(chart)), "");
  EXPECT_EQ(fault_in(to_svg(side_view({}, {}))), "");
}

TEST(Trajectories, a_map_has_an_error_at_each_goal) {
  TrajectoryFrame frame = push();
  frame.goals.clear();
  const Matrix<double> goals(2, 3, std::vector<double>{0.1, 0.6, 0.01, -0.1, 0.65, 0.01});
  const Chart chart = error_map({goals, {0.01, 0.3}}, frame);
  ASSERT_EQ(chart.series.size(), 1u);
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{0.1, -0.1}));
  EXPECT_EQ(chart.series[0].y, (std::vector<double>{0.6, 0.65}));
  EXPECT_EQ(chart.series[0].values, (std::vector<double>{0.01, 0.3}));
  const std::string svg = to_svg(chart);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_NE(svg.find(">error</text>"), std::string::npos);
  EXPECT_NE(svg.find(">0.1</text>"), std::string::npos);
  EXPECT_NE(svg.find(">training</text>"), std::string::npos);
  EXPECT_THROW(error_map({goals, {0.01}}, frame), Error);
}

TEST(Trajectories, places_without_three_columns_are_refused) {
  EXPECT_THROW(top_view({{"flat", {Matrix<double>(5, 2)}}}, {}), Error);
  TrajectoryFrame frame;
  frame.goals = {{"goals", Matrix<double>(1, 4)}};
  EXPECT_THROW(side_view({}, frame), Error);
}

TEST(Trajectories, a_set_without_paths_leaves_the_colours_of_the_others) {
  const Matrix<double> path(2, 3, {0, 0, 0, 1, 1, 1});
  const auto svg = [&](std::vector<Matrix<double>> first) {
    return to_svg(
        top_view({{.name = "first", .paths = std::move(first)}, {.name = "second", .paths = {path}}}, {}));
  };
  EXPECT_EQ(count(svg({path}), "<g class=\"c1\">"), 2u) << "the path and its picture in the legend";
  EXPECT_EQ(count(svg({}), "<g class=\"c1\">"), 2u);
}

}  // namespace
}  // namespace kedge
