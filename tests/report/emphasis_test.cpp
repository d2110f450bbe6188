#include "kedge/report/emphasis.h"

#include <gtest/gtest.h>

#include <set>

#include "luminance.h"

namespace kedge {
namespace {

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
