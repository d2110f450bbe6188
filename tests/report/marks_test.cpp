#include "kedge/report/marks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "count.h"
#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "kedge/report/curve.h"
#include "well_formed.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// Ten pixels a unit, y upwards from 100.
PlotFrame plain_frame() {
  PlotFrame frame{.left = 0, .top = 0, .right = 100, .bottom = 100, .x = {}, .y = {}};
  frame.x.low = frame.y.low = 0;
  frame.x.high = frame.y.high = 10;
  return frame;
}

ValueScale scale_of(const Series& series) { return ValueScale({.series = {series}}, 300); }

TEST(Marks, series_of_one_name_are_listed_once_and_share_their_colour) {
  Chart chart;
  for (int i = 0; i < 20; ++i)
    chart.series.push_back({.name = i < 10 ? "expert" : "ours", .x = {0, 1}, .y = {0, 1}});
  chart.series.push_back({.x = {0}, .y = {0}});
  chart.series.push_back({.name = "expert", .x = {0}, .y = {0}});
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, ">expert</text>"), 1u);
  EXPECT_EQ(count(svg, ">ours</text>"), 1u);
  EXPECT_EQ(count(svg, "<g class=\"c0\">"), 12u) << "eleven curves and one picture in the legend";
  EXPECT_EQ(count(svg, "<g class=\"c1\">"), 11u);
  EXPECT_EQ(count(svg, "<g class=\"c2\">"), 1u) << "a curve without a name has a place of its own";
}

TEST(Marks, one_unit_has_one_length_on_equal_axes) {
  for (auto [width, height] : {std::pair{640, 360}, {300, 600}, {900, 200}}) {
    Chart chart{.x_label = "x",
                .series = {{.x = {-0.3, 0.3}, .y = {0.5, 0.7}}},
                .width = width,
                .height = height,
                .boxes = {{.x_low = -0.4, .x_high = 0.1, .y_low = 0.4, .y_high = 0.9}},
                .equal_axes = true};
    const PlotFrame frame = make_frame(chart, {.top = 30, .foot = 46});
    EXPECT_NEAR(frame.px(1) - frame.px(0), frame.py(0) - frame.py(1), 1e-6);
    EXPECT_LE(frame.bottom + 46, height + 1e-9);
    for (double x : {-0.4, 0.3}) {
      EXPECT_GE(frame.px(x), frame.left);
      EXPECT_LE(frame.px(x), frame.right);
    }
    for (double y : {0.4, 0.9}) {
      EXPECT_GE(frame.py(y), frame.top);
      EXPECT_LE(frame.py(y), frame.bottom);
    }
    chart.equal_axes = false;
    const PlotFrame free = make_frame(chart, {.top = 30, .foot = 46});
    EXPECT_GT(std::abs((free.px(1) - free.px(0)) / (free.py(0) - free.py(1)) - 1), 0.01);
  }
}

TEST(Marks, equal_axes_take_flat_and_single_points) {
  for (const Series& series : {Series{}, Series{.x = {1}, .y = {2}}, Series{.x = {0, 5}, .y = {3, 3}},
                               Series{.x = {2, 2}, .y = {0, 9}}, Series{.x = {0, 1e300}, .y = {0, -1e300}}}) {
    const std::string svg = to_svg({.series = {series}, .equal_axes = true});
    EXPECT_EQ(fault_in(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(Marks, boxes_are_in_view_and_in_the_legend_once) {
  Chart chart{.series = {{.x = {0, 1}, .y = {0, 1}}},
              .boxes = {{-5, -4, 2, 3, "goals <train>", BoxStyle::shade},
                        {-1, 0, 2, 2, "flat", BoxStyle::dashes},
                        {-4, -3, 2, 3, "goals <train>", BoxStyle::shade},
                        {-inf, inf, -inf, inf, "", BoxStyle::outline},
                        {nan, 1, 0, 1, "", BoxStyle::outline}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, ">goals &lt;train&gt;</text>"), 1u);
  EXPECT_EQ(count(svg, "fill-opacity=\".09\""), 3u) << "two boxes and one picture in the legend";
  EXPECT_EQ(count(svg, "stroke-dasharray=\"4 3.5\""), 2u);
  EXPECT_EQ(count(svg, "fill-opacity=\"0\" stroke-width=\"1.3\"/>"), 1u) << "nan is no side of a box";
  EXPECT_LE(make_frame(chart, {}).x.low, -5);
  EXPECT_GE(make_frame(chart, {}).y.high, 3);
  EXPECT_EQ(to_svg({.boxes = {{0, 1, 0, 1}}}).find("no data"), std::string::npos);
}

TEST(Marks, a_goal_is_a_cross_and_a_path_has_a_ring_first_and_a_dot_last) {
  const Series goals{.x = {1, nan, 2}, .y = {1, 1, 2}, .style = SeriesStyle::crosses};
  const std::string crosses = draw_curve(goals, 0, plain_frame(), scale_of(goals));
  EXPECT_EQ(count(crosses, "m-3.5-3.5l7 7m0-7l-7 7"), 2u);
  EXPECT_NE(crosses.find("M10 90m"), std::string::npos);
  const std::string ends = draw_ends({.x = {nan, 1, 2, 5}, .y = {1, 2, 3, 4}}, plain_frame());
  EXPECT_EQ(count(ends, "<path"), 2u);
  EXPECT_LT(ends.find("M10 80m"), ends.find("M50 60h0"));
  EXPECT_EQ(draw_ends({.x = {nan}, .y = {1}}, plain_frame()), "");
}

TEST(Marks, points_have_the_colour_of_their_value_and_a_cross_without_one) {
  const Series series{.x = {1, 2, 3, 4, nan},
                      .y = {1, 1, 1, 1, 1},
                      .style = SeriesStyle::points,
                      .values = {0, 1, nan, 0, 1}};
  const std::string drawn = draw_valued_points(series, plain_frame(), scale_of(series));
  const std::string low = ramp_color(place_of_level(0)), high = ramp_color(place_of_level(ramp_levels - 1));
  EXPECT_NE(drawn.find("<path d=\"M10 90h0M40 90h0\" stroke=\"" + low + "\"/>"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("<path d=\"M20 90h0\" stroke=\"" + high + "\"/>"), std::string::npos);
  EXPECT_EQ(count(drawn, "M30 90m-3.5"), 1u);
  EXPECT_LT(drawn.find(low), drawn.find(high)) << "the highest on top";
}

TEST(Marks, a_line_with_a_value_is_drawn_in_its_colour) {
  const Chart chart{.series = {{.x = {0, 1}, .y = {0, 1}, .style = SeriesStyle::thin, .values = {60}},
                               {.x = {0, 1}, .y = {1, 0}, .style = SeriesStyle::thin, .values = {130}}},
                    .colors = {.label = "mass"}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, "<g color=\"" + ramp_color(place_of_level(0)) + "\">"), 1u);
  EXPECT_EQ(count(svg, "<g color=\"" + ramp_color(place_of_level(ramp_levels - 1)) + "\">"), 1u);
  EXPECT_NE(svg.find(">mass</text>"), std::string::npos);
  EXPECT_NE(svg.find(">80</text>"), std::string::npos) << "numbers stand at the bar";
}

TEST(Marks, a_dot_runs_along_the_path_at_equal_times_and_rests_at_the_end) {
  const Series series{.x = {0, 1, 4, nan, 10}, .y = {0, 0, 0, 0, 0}, .animate = 2};
  const std::string drawn = draw_motion(series, plain_frame());
  EXPECT_EQ(fault_in(drawn), "");
  EXPECT_EQ(between(drawn, "values=\"", "\""), "0 100;10 100;40 100;40 100;100 100;100 100");
  EXPECT_EQ(between(drawn, "dur=\"", "s\""), "2.50") << "five steps, of which four take two seconds";
  EXPECT_NE(drawn.find("repeatCount=\"indefinite\""), std::string::npos);
  EXPECT_EQ(
      between(draw_motion({.x = {nan, 1}, .y = {0, 0}, .animate = 2}, plain_frame()), "values=\"", "\""),
      "10 100;10 100");
  EXPECT_EQ(draw_motion({.x = {nan}, .y = {0}, .animate = 2}, plain_frame()), "");
}

TEST(Marks, motion_is_bounded_and_ends_where_the_path_ends) {
  Series series{.animate = 4};
  for (int i = 0; i < 100000; ++i) {
    series.x.push_back(10 * std::sin(i * 1e-4));
    series.y.push_back(i * 1e-4);
  }
  const std::string drawn = draw_motion(series, plain_frame());
  EXPECT_LT(drawn.size(), 3000u);
  std::istringstream values(between(drawn, "values=\"", "\""));
  std::string last;
  while (std::getline(values, last, ';')) {
  }
  const PlotFrame frame = plain_frame();
  EXPECT_EQ(last, pixel_text(frame.px(series.x.back())) + " " + pixel_text(frame.py(series.y.back())));
}

TEST(Marks, who_wants_less_motion_sees_paths_only) {
  Chart chart{.series = {{.x = {0, 1}, .y = {0, 1}, .animate = 1}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, "<animateTransform"), 1u);
  EXPECT_NE(svg.find("@media(prefers-reduced-motion:reduce){.kedge-chart .moving{display:none}}"),
            std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  chart.series[0].animate = 0;
  EXPECT_EQ(to_svg(chart).find("moving"), std::string::npos);
}

TEST(Marks, huge_paths_and_maps_stay_small) {
  Rng rng(1, Stream::noise);
  Series path{.name = "path"}, map{.style = SeriesStyle::points};
  for (int i = 0; i < 100000; ++i) {
    path.x.push_back(rng.normal());
    path.y.push_back(rng.normal());
    map.x.push_back(rng.uniform(0, 1));
    map.y.push_back(rng.uniform(0, 1));
    map.values.push_back(rng.uniform(0, 1));
  }
  EXPECT_LT(to_svg({.series = {path}, .equal_axes = true}).size(), 60000u);
  EXPECT_LT(to_svg({.series = {map}, .equal_axes = true}).size(), 1000000u);
  Chart still{.series = {{.x = path.x, .y = path.y, .ends = true, .animate = 3}}};
  EXPECT_LT(to_svg(still).size(), 60000u);
}

TEST(Marks, what_is_cut_off_in_x_is_clipped) {
  Chart chart{.series = {{.x = {0, 10}, .y = {0, 1}}}, .x_range = {{2, 3}}};
  EXPECT_NE(to_svg(chart).find("<clipPath"), std::string::npos);
  EXPECT_EQ(make_frame(chart, {}).x.low, 2);
  EXPECT_EQ(make_frame(chart, {}).x.high, 3);
}

TEST(Marks, refuse_values_that_do_not_fit) {
  EXPECT_THROW(to_svg({.series = {{.x = {1, 2}, .y = {1, 2}, .values = {1, 2}}}}), Error) << "a line has one";
  EXPECT_THROW(
      to_svg({.series = {{.x = {1, 2, 3}, .y = {1, 2, 3}, .style = SeriesStyle::points, .values = {1, 2}}}}),
      Error);
  EXPECT_THROW(to_svg({.series = {{.x = {1}, .y = {1}, .style = SeriesStyle::cells}}}), Error);
  EXPECT_THROW(to_svg({.series = {{.x = {1}, .y = {1}, .animate = -1}}}), Error);
  EXPECT_THROW(to_svg({.series = {{.x = {1}, .y = {1}, .animate = inf}}}), Error);
  EXPECT_THROW(to_svg({.x_range = {{1, 1}}}), Error);
  EXPECT_THROW(to_svg({.colors = {.steps = ScaleSteps::logarithmic, .range = {{0, 1}}}}), Error);
  EXPECT_NO_THROW(to_svg({.colors = {.range = {{0, 1}}}}));
}

}  // namespace
}  // namespace kedge
