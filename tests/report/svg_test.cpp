#include "kedge/report/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "count.h"
#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "well_formed.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// The path data of the curves: those that carry a round cap, which grid and axes do not.
std::vector<std::string> curve_paths(const std::string& svg) {
  std::vector<std::string> paths;
  for (size_t at = svg.find("<path d=\""); at != std::string::npos; at = svg.find("<path d=\"", at + 1)) {
    const std::string tag = svg.substr(at, svg.find("/>", at) - at);
    if (tag.find("round") == std::string::npos) continue;
    paths.push_back(tag.substr(9, tag.find('"', 9) - 9));
  }
  return paths;
}

Chart two_curves() {
  return {.title = "Sawtooth",
          .x_label = "x",
          .y_label = "y",
          .series = {{.name = "truth", .x = {0, 1, 2}, .y = {0, 1, 0}, .color = "currentColor"},
                     {.name = "guess",
                      .x = {0, 1, 2},
                      .y = {0.1, 1.2, 0.3},
                      .y_low = {0, 1, 0},
                      .y_high = {0.2, 1.4, 0.6},
                      .style = SeriesStyle::dashes}},
          .bands = {{0.5, 1.5, "training range"}}};
}

TEST(Svg, is_well_formed_and_says_what_it_shows) {
  Chart chart = two_curves();
  chart.y_range = {{-1, 1}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_NE(svg.find("role=\"img\" aria-label=\"Sawtooth: y over x; truth, guess, training range\""),
            std::string::npos);
  EXPECT_NE(svg.find("<title>Sawtooth</title>"), std::string::npos);
  EXPECT_EQ(svg, to_svg(chart)) << "the same chart gives the same text";
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(Svg, escapes_every_text_of_the_caller) {
  const std::string nasty = "<b a=\"1\">&'\xFF";
  Chart chart{.title = nasty,
              .x_label = nasty,
              .y_label = nasty,
              .series = {{.name = nasty, .x = {0, 1}, .y = {0, 1}, .color = nasty}},
              .bands = {{0, 1, nasty}},
              .y_range = {{0, 1}}};
  const std::string svg = to_svg(chart, nasty);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(svg.find("<b"), std::string::npos);
  EXPECT_EQ(fault_in(legend_html(chart)), "");
}

TEST(Svg, clips_to_the_y_range_with_an_id_of_its_own) {
  Chart one = two_curves();
  EXPECT_EQ(to_svg(one).find("clip"), std::string::npos) << "nothing to cut off without a y_range";
  one.y_range = {{-1, 1}};
  Chart two = one;
  two.series[0].y[1] = 0.5;
  EXPECT_EQ(fault_in("<p>" + to_svg(one) + to_svg(two) + "</p>"), "");
  EXPECT_NE(fault_in("<p>" + to_svg(one) + to_svg(one) + "</p>"), "") << "the checker sees repeated ids";
  EXPECT_EQ(fault_in("<p>" + to_svg(one, "a") + to_svg(one, "b") + "</p>"), "");
  EXPECT_NE(to_svg(one, "a").find("<clipPath id=\"a\">"), std::string::npos);
  EXPECT_NE(to_svg(one, "a").find("clip-path=\"url(#a)\""), std::string::npos);
}

TEST(Svg, bands_of_one_name_are_listed_once) {
  const Chart chart{.series = {{.x = {0, 9}, .y = {0, 1}}},
                    .bands = {{0, 1, "outer"}, {5, 6, "outer"}, {1, 5, "inner"}}};
  EXPECT_EQ(count(to_svg(chart), ">outer</text>"), 1u);
  EXPECT_EQ(count(to_svg(chart), ">inner</text>"), 1u);
}

TEST(Svg, a_value_that_is_not_finite_breaks_the_line_and_a_lone_point_is_a_dot) {
  Chart chart{.series = {{.x = {0, 1, 2, 3, 4, 5, 6}, .y = {0, 1, nan, 3, inf, 5, 6}}}};
  const std::vector<std::string> paths = curve_paths(to_svg(chart));
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(count(paths[0], "M"), 3u) << paths[0];
  EXPECT_EQ(count(paths[0], "l"), 2u) << paths[0];
  EXPECT_EQ(count(paths[0], "h0"), 1u) << paths[0];
  EXPECT_EQ(paths[0].find("n"), std::string::npos) << "no nan and no inf in a path";
}

TEST(Svg, a_line_is_written_step_by_step_and_ends_where_it_should) {
  Series line;
  for (int i = 0; i <= 300; ++i) {
    line.x.push_back(i);
    line.y.push_back(std::sin(0.37 * i));
  }
  const Series end{.x = {line.x.back()}, .y = {line.y.back()}};
  const std::vector<std::string> paths = curve_paths(to_svg({.series = {line, end}}));
  ASSERT_EQ(paths.size(), 2u);
  std::vector<double> numbers;  // a minus begins a number, and so does a blank
  for (size_t at = 0; at < paths[0].size();) {
    size_t length = 0;
    if (paths[0][at] == 'M' || paths[0][at] == 'l') ++at;
    numbers.push_back(std::stod(paths[0].substr(at), &length));
    at += length;
  }
  ASSERT_EQ(numbers.size() % 2, 0u);
  double x = 0, y = 0;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    x += numbers[i];
    y += numbers[i + 1];
  }
  size_t length = 0;
  EXPECT_NEAR(x, std::stod(paths[1].substr(1), &length), 0.01);
  EXPECT_NEAR(y, std::stod(paths[1].substr(1 + length)), 0.01);
}

TEST(Svg, a_huge_series_stays_small_and_keeps_its_spike) {
  Rng rng(1, Stream::noise);
  Series line{.name = "walk"}, dots{.name = "rows", .style = SeriesStyle::points};
  for (int i = 0; i < 100000; ++i) {
    line.x.push_back(i);
    line.y.push_back(rng.normal());
    dots.x.push_back(rng.uniform(0, 1e5));
    dots.y.push_back(rng.normal());
  }
  line.y[43210] = 20;
  Chart chart{.series = {line}};
  const std::string svg = to_svg(chart);
  EXPECT_LT(svg.size(), 60000u);
  Chart flat = chart;
  flat.series[0].y[43210] = 0;
  flat.y_range = {{-5, 20}};
  chart.y_range = flat.y_range;
  EXPECT_NE(curve_paths(to_svg(chart)), curve_paths(to_svg(flat))) << "one sample of 100000 still shows";
  EXPECT_LT(to_svg({.series = {dots}}).size(), 500000u);
}

TEST(Svg, draws_empty_constant_and_extreme_data) {
  EXPECT_NE(to_svg({}).find("no data"), std::string::npos);
  for (const Series& series :
       {Series{}, Series{.x = {1}, .y = {2}}, Series{.x = {1, 2, 3}, .y = {5, 5, 5}},
        Series{.x = {3, 3}, .y = {1, 2}}, Series{.x = {nan, 1}, .y = {1, nan}},
        Series{.x = {0, 1e308}, .y = {-1e308, 1e308}}, Series{.x = {-inf, 1}, .y = {1, 0}}}) {
    for (SeriesStyle style : {SeriesStyle::line, SeriesStyle::points}) {
      Chart chart{.series = {series}, .bands = {{-inf, inf, "all"}, {nan, 1, "none"}}};
      chart.series[0].style = style;
      const std::string svg = to_svg(chart);
      EXPECT_EQ(fault_in(svg), "");
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
    }
  }
}

TEST(Svg, colours_follow_the_place_in_the_chart_unless_given) {
  Chart chart{
      .series = {{.x = {0}, .y = {0}}, {.x = {0}, .y = {0}, .color = "#123456"}, {.x = {0}, .y = {0}}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, "<g class=\"c0\">"), 1u);
  EXPECT_EQ(count(svg, "<g class=\"c1\">"), 0u);
  EXPECT_EQ(count(svg, "<g color=\"#123456\">"), 1u);
  EXPECT_EQ(count(svg, "<g class=\"c2\">"), 1u);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Svg, names_stand_above_the_plot_and_only_where_asked) {
  Chart chart = two_curves();
  EXPECT_NE(to_svg(chart).find(">guess</text>"), std::string::npos);
  chart.legend = Legend::none;
  EXPECT_EQ(to_svg(chart).find(">guess</text>"), std::string::npos);
  EXPECT_NE(legend_html(chart).find("guess"), std::string::npos);
  EXPECT_EQ(legend_html({}), "");

  Chart crowded{.width = 160, .height = 120};
  for (int i = 0; i < 30; ++i) {
    crowded.series.push_back({.name = std::to_string(i) + " is a rather long name that no legend can hold",
                              .x = {0, 1},
                              .y = {0, 1}});
  }
  const std::string svg = to_svg(crowded);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, "…</text>"), 30u) << "names too long are cut, not drawn over the edge";
}

TEST(Svg, refuses_what_cannot_be_drawn) {
  EXPECT_THROW(to_svg({.series = {{.x = {1, 2}, .y = {1}}}}), Error);
  EXPECT_THROW(to_svg({.series = {{.x = {1, 2}, .y = {1, 2}, .y_low = {1, 2}}}}), Error);
  EXPECT_THROW(to_svg({.y_range = {{1, 1}}}), Error);
  EXPECT_THROW(to_svg({.y_range = {{0, nan}}}), Error);
  EXPECT_THROW(to_svg({.width = 100}), Error);
}

}  // namespace
}  // namespace kedge
