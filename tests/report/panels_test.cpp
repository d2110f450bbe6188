#include "kedge/report/panels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "count.h"
#include "kedge/core/error.h"
#include "kedge/report/color_ramp.h"
#include "kedge/report/page.h"
#include "well_formed.h"

namespace kedge {
namespace {

TEST(TimePanels, share_their_axes_and_their_colours) {
  const std::vector<Chart> charts =
      time_panels({.panels = {{"expert", {{0, 1, 2}, {0, -1}}, {60, 130}}, {"ours", {{5}}, {100}}},
                   .curve_label = "action",
                   .step = 0.1,
                   .colors = {.label = "mass"}});
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].series[0].x, (std::vector<double>{0, 0.1, 0.2}));
  EXPECT_EQ(charts[0].series[1].values, (std::vector<double>{130}));
  EXPECT_EQ(charts[0].x_range, charts[1].x_range);
  EXPECT_EQ(charts[0].y_range, charts[1].y_range);
  EXPECT_LT(charts[0].y_range->first, -1);
  EXPECT_GT(charts[0].y_range->second, 5);
  EXPECT_EQ(charts[1].colors.range, std::pair(60.0, 130.0));
  EXPECT_EQ(fault_in(to_html(Page{.sections = {{"s", {Figure{charts, ""}}}}})), "");
}

TEST(TimePanels, of_constant_or_no_curves_are_drawn_and_uneven_ones_refused) {
  for (const TimePanel& panel : {TimePanel{}, TimePanel{"", {{1, 1}}, {3}}, TimePanel{"", {{}}, {3}},
                                 TimePanel{"", {{std::nan("")}}, {-1}}}) {
    for (ScaleSteps steps : {ScaleSteps::even, ScaleSteps::logarithmic})
      EXPECT_EQ(fault_in(to_svg(time_panels({.panels = {panel}, .colors = {.steps = steps}})[0])), "");
  }
  EXPECT_THROW(time_panels({.panels = {{"p", {{1, 2}}, {}}}}), Error);
}

HeatGrid grid() {
  return {.title = "Push",
          .row_label = "method",
          .column_label = "width",
          .rows = {"a <network>", "ours"},
          .columns = {"32", "64", "1024"},
          .values = Matrix<double>(2, 3, std::vector<double>{1, 0.28, 0.5, 0.0198, std::nan(""), 0.02}),
          .colors = {.label = "error", .steps = ScaleSteps::logarithmic}};
}

TEST(HeatGrid, prints_each_number_in_a_cell_of_its_colour) {
  const std::string svg = to_svg(heat_grid(grid()));
  EXPECT_EQ(fault_in(svg), "");
  const std::string high = ramp_color(place_of_level(ramp_levels - 1)), low = ramp_color(place_of_level(0));
  EXPECT_EQ(count(svg, "h12V"), size_t(ramp_levels)) << "the bar";
  EXPECT_EQ(count(svg, "fill=\"" + high + "\""), 2u) << "one cell and the end of the bar";
  EXPECT_EQ(count(svg, "fill=\"" + low + "\""), 3u);
  for (const char* number : {"1", "0.28", "0.5", "0.0198", "0.02"})
    EXPECT_NE(svg.find(std::string("\">") + number + "</text>"), std::string::npos) << number;
  EXPECT_EQ(count(svg, ">–</text>"), 1u) << "a number that is missing";
  EXPECT_NE(svg.find("style=\"fill:#fff\">0.0198<"), std::string::npos) << "light on dark";
  EXPECT_NE(svg.find("style=\"fill:#000\">1<"), std::string::npos) << "dark on light";
  for (const char* name : {"a &lt;network&gt;", "ours", "32", "64", "1024", "method", "width", "error"})
    EXPECT_NE(svg.find(std::string(">") + name + "</text>"), std::string::npos) << name;
}

TEST(HeatGrid, has_its_first_row_on_top) {
  const std::string svg = to_svg(heat_grid(grid()));
  const auto height_of = [&](const std::string& name) {
    const std::string before = svg.substr(0, svg.find(">" + name + "</text>"));
    return std::stod(before.substr(before.rfind("y=\"") + 3));
  };
  EXPECT_LT(height_of("a &lt;network&gt;"), height_of("ours"));
}

TEST(HeatGrid, leaves_out_numbers_that_do_not_fit_and_cuts_long_names) {
  HeatGrid many = grid();
  many.width = 300;
  many.rows = {"a name that is far too long for the side of a small chart"};
  many.columns.assign(40, "a column with a long name");
  many.values = Matrix<double>(1, 40, 1.234e-7);
  const std::string svg = to_svg(heat_grid(many));
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, "style=\"fill:"), 0u);
  EXPECT_NE(svg.find("…</text>"), std::string::npos);
  EXPECT_EQ(fault_in(to_svg(heat_grid({}))), "");
}

TEST(HeatGrid, refuses_names_that_do_not_fit_the_values) {
  HeatGrid wrong = grid();
  wrong.rows.pop_back();
  EXPECT_THROW(heat_grid(wrong), Error);
}

}  // namespace
}  // namespace kedge
