#include "kedge/report/emphasis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kedge {
namespace {

double luminance(std::string_view color) {
  double sum = 0;
  constexpr std::array<double, 3> weights = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < weights.size(); ++i) {
    const double v = std::stoi(std::string(color.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    sum += weights[i] * (v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view a, std::string_view b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

TEST(Emphasis, every_colour_reads_on_light_and_on_dark_ground) {
  constexpr double readable = 4.5;
  size_t colors = 0;
  for (Ground ground : {Ground::light, Ground::dark})
    for (Emphasis emphasis : all_emphases) {
      const std::string_view color = color_of(emphasis, ground);
      if (color.empty()) continue;
      ++colors;
      EXPECT_GE(contrast(color, ground_color(ground)), readable) << class_name(emphasis) << " " << color;
    }
  EXPECT_EQ(colors, 10u);
}

TEST(Emphasis, no_two_look_alike) {
  std::set<std::string_view> classes, codes, light, dark;
  for (Emphasis emphasis : all_emphases) {
    classes.insert(class_name(emphasis));
    codes.insert(ansi_code(emphasis));
    light.insert(color_of(emphasis, Ground::light));
    dark.insert(color_of(emphasis, Ground::dark));
  }
  EXPECT_EQ(classes.size(), all_emphases.size());
  EXPECT_EQ(codes.size(), all_emphases.size());
  EXPECT_EQ(light.size(), 6u) << "none and strong have the colour of text";
  EXPECT_EQ(dark.size(), 6u);
}

TEST(Emphasis, styles_give_each_class_a_variable_for_both_grounds) {
  const std::string css = emphasis_styles(".here");
  for (const char* part :
       {".here{--muted:", ";--bad:#b8321f", "dark){.here{", ".here .caution{color:var(--caution)}"})
    EXPECT_NE(css.find(part), std::string::npos) << part << "\n" << css;
}

}  // namespace
}  // namespace kedge
