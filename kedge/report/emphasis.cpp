#include "kedge/report/emphasis.h"

#include "kedge/core/format.h"

namespace kedge {
namespace {

struct Look {
  std::string_view name, ansi, light, dark;
};

// By value of Emphasis. Green, blue, amber and red differ in lightness too, for colour-blind readers.
constexpr std::array<Look, all_emphases.size()> looks = {{{"", "", "", ""},
                                                          {"strong", "1", "", ""},
                                                          {"muted", "2", "#5f6873", "#949fab"},
                                                          {"good", "32", "#157a45", "#4fc98d"},
                                                          {"fine", "34", "#2a5fc4", "#7fb2ff"},
                                                          {"caution", "33", "#96600a", "#f0b445"},
                                                          {"bad", "31", "#b8321f", "#ff8a70"}}};

const Look& look_of(Emphasis emphasis) { return looks[static_cast<size_t>(emphasis)]; }

std::string variables(std::string_view selector, Ground ground) {
  std::string text;
  for (Emphasis emphasis : all_emphases)
    if (const std::string_view color = color_of(emphasis, ground); !color.empty())
      text += fmt::format("{}--{}:{}", text.empty() ? "" : ";", class_name(emphasis), color);
  return fmt::format("{}{{{}}}", selector, text);
}

}  // namespace

std::string_view ground_color(Ground ground) { return ground == Ground::light ? "#ffffff" : "#14171b"; }

std::string_view color_of(Emphasis emphasis, Ground ground) {
  return ground == Ground::light ? look_of(emphasis).light : look_of(emphasis).dark;
}

std::string_view class_name(Emphasis emphasis) { return look_of(emphasis).name; }

std::string_view ansi_code(Emphasis emphasis) { return look_of(emphasis).ansi; }

std::string emphasis_styles(std::string_view selector) {
  std::string css = fmt::format("{}@media(prefers-color-scheme:dark){{{}}}",
                                variables(selector, Ground::light), variables(selector, Ground::dark));
  for (Emphasis emphasis : all_emphases)
    if (!color_of(emphasis, Ground::light).empty())
      css += fmt::format("{0} .{1}{{color:var(--{1})}}", selector, class_name(emphasis));
  return css;
}

}  // namespace kedge
