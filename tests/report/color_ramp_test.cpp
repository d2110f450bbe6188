#include "kedge/report/color_ramp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "count.h"
#include "luminance.h"
#include "well_formed.h"

namespace kedge {
namespace {

// CIE 1976 L*a*b* under D65.
std::array<double, 3> lab(const std::string& color) {
  const double r = channel(color, 1), g = channel(color, 3), b = channel(color, 5);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16 / 116.0; };
  const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(luminance(color)),
               z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(ColorRamp, grows_lighter_all_the_way_by_nearly_equal_steps) {
  constexpr int steps = 32;
  const double first = lab(ramp_color(0))[0], last = lab(ramp_color(1))[0];
  EXPECT_GT(last - first, 45) << "lightness alone tells the ends apart";
  const double even = (last - first) / steps;
  for (int i = 0; i < steps; ++i) {
    const auto from = lab(ramp_color(i / double(steps))), to = lab(ramp_color((i + 1) / double(steps)));
    EXPECT_GT(to[0] - from[0], 0.3 * even) << i;
    EXPECT_LT(to[0] - from[0], 2 * even) << i;
    // How far apart two neighbours look, hue included.
    const double apart = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    EXPECT_GT(apart, 3) << i;
    EXPECT_LT(apart, 12) << i;
  }
  EXPECT_EQ(ramp_color(-1), ramp_color(0));
  EXPECT_EQ(ramp_color(7), ramp_color(1));
}

TEST(ColorRamp, shows_on_white_and_on_nearly_black_and_carries_readable_numbers) {
  const double dark_ground = luminance("#14171b");
  for (double place = 0; place <= 1; place += 0.01) {
    const double shade = luminance(ramp_color(place));
    EXPECT_GT(contrast(shade, 1), 1.25) << place;
    EXPECT_GT(contrast(shade, dark_ground), 2) << place;
    const double ink = ink_on_ramp(place) == "#fff" ? 1 : 0;
    EXPECT_GT(contrast(shade, ink), 4.5) << place;
  }
}

Chart valued(const std::vector<double>& values, ScaleSteps steps) {
  Series series{.x = std::vector<double>(values.size(), 1),
                .y = std::vector<double>(values.size(), 2),
                .style = SeriesStyle::points,
                .values = values};
  return {.series = {series}, .colors = {.label = "error", .steps = steps}};
}

TEST(ValueScale, spans_the_values_evenly_or_by_ratios) {
  const ValueScale even(valued({0, 100, std::nan(""), INFINITY}, ScaleSteps::even), 300);
  EXPECT_EQ(even.level(0), 0);
  EXPECT_EQ(even.level(49.9), ramp_levels / 2 - 1);
  EXPECT_EQ(even.level(50.1), ramp_levels / 2);
  EXPECT_EQ(even.level(100), ramp_levels - 1);
  EXPECT_EQ(even.level(1e9), ramp_levels - 1);
  const ValueScale ratios(valued({0, 0.01, 1, -3}, ScaleSteps::logarithmic), 300);
  EXPECT_EQ(ratios.level(0.01), 0);
  EXPECT_EQ(ratios.level(0.0999), ramp_levels / 2 - 1);
  EXPECT_EQ(ratios.level(0.1001), ramp_levels / 2);
  EXPECT_EQ(ratios.level(1), ramp_levels - 1);
  EXPECT_EQ(ratios.level(0), 0) << "what has no logarithm takes the lowest colour";
  EXPECT_EQ(ratios.level(-3), 0);
}

TEST(ValueScale, of_a_given_range_does_not_look_at_the_values) {
  Chart chart = valued({5, 6}, ScaleSteps::even);
  chart.colors.range = {0, 10};
  const ValueScale scale(chart, 300);
  EXPECT_EQ(scale.level(5.1), ramp_levels / 2);
  EXPECT_EQ(scale.level(-1), 0);
}

TEST(ValueScale, of_one_value_or_none_is_still_drawn) {
  for (ScaleSteps steps : {ScaleSteps::even, ScaleSteps::logarithmic}) {
    for (const std::vector<double>& values :
         {std::vector<double>{3, 3}, {0}, {-2}, {std::nan("")}, {1e308, -1e308}, {1e-300, 1}}) {
      const std::string svg = to_svg(valued(values, steps));
      EXPECT_EQ(fault_in(svg), "");
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      EXPECT_NE(svg.find(">error</text>"), std::string::npos);
    }
  }
}

TEST(ValueScale, numbers_never_overlap_where_the_plot_is_less_high_than_planned) {
  const Chart chart = valued({0.0005, 0.2}, ScaleSteps::logarithmic);
  const ValueScale scale(chart, 300);
  const auto numbers = [&](double bottom) {
    // One more is the label above.
    return count(scale.draw(chart, 0, 0, bottom), "<text") - 1;
  };
  EXPECT_EQ(numbers(300), scale.ticks().values.size());
  EXPECT_GE(numbers(40), 2u);
  EXPECT_LE(numbers(40), 4u);
}

TEST(ValueScale, takes_room_only_in_a_chart_with_values) {
  const Chart chart{.series = {{.x = {1}, .y = {1}}}};
  const ValueScale scale(chart, 300);
  EXPECT_FALSE(scale.used());
  EXPECT_EQ(scale.room(), 0);
  EXPECT_EQ(scale.draw(chart, 0, 0, 100), "");
}

}  // namespace
}  // namespace kedge
