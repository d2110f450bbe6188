#include "kedge/trials/grid.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

constexpr const char* nothing = "none";

/// Settings of a fit that are no axis, and why.
const std::vector<std::pair<std::string, std::string>>& other_settings() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"seed", "every combination is tried with the same seeds; say how many"},
      {"budget", "a budget goes by the clock; try steps"},
      {"beyond", "it says how all combinations are judged; say it once for all of them"},
      {"replicas", "a rehearsal trains one network; say it of the fit that follows"},
      {"calibration", "a rehearsal has no expected errors; say it of the fit that follows"},
      {"weights", "pairs with weights are not rehearsed; leave them out"},
      {"context", "it says what columns are; say it once for all combinations"},
      {"label", "it says what a column is; say it once for all combinations"},
      {"time", "it says what a column is; say it once for all combinations"}};
  return all;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_commas(const std::string& name) { return is_one_of(name, {"space", "same-unit", "outward"}); }

bool may_be_nothing(const std::string& name) {
  return has_commas(name) || is_one_of(name, {"base", "inside-anchors"});
}

Error fault(const std::string& what) { return Error("options", what, "grid"); }

std::string name_of(const std::string& text) {
  std::string name = text;
  std::replace(name.begin(), name.end(), '_', '-');
  if (is_one_of(name, grid_names())) return name;
  for (const auto& [other, why] : other_settings())
    if (other == name) throw fault(fmt::format("a grid cannot try {}: {}", name, why));
  throw fault(fmt::format(
      "a grid needs the name of a setting; found {}; {}", shown(text),
      did_you_mean(text, grid_names(), fmt::format("take one of {}", fmt::join(grid_names(), ", ")))));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

GridAxis parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw fault(fmt::format("a grid needs a name and its values, as width=32,64; found {}; write it so",
                            shown(text)));
  GridAxis axis{name_of(text.substr(0, equals)), {}};
  const char separator = has_commas(axis.name) ? ';' : ',';
  axis.values = split(text.substr(equals + 1), separator);
  std::vector<std::string> meanings;  // 1e-3 is 0.001
  for (const std::string& value : axis.values) {
    if (value.empty())
      throw fault(fmt::format("a grid needs a value between two '{}'; found none in {}; {}", separator,
                              shown(text),
                              may_be_nothing(axis.name) ? "write none for nothing" : "write it"));
    if (axis.name == "model" && value == auto_model)
      throw fault("a grid needs models by their names; found auto; name those to try");
    meanings.push_back(text_of(with({}, {{axis.name, value}}), setting_of(axis.name)));
    const auto same = std::find(meanings.begin(), meanings.end() - 1, meanings.back());
    if (same != meanings.end() - 1)
      throw fault(fmt::format("a grid tries each value once; found {} and {} for {}; leave one out",
                              shown(axis.values[static_cast<size_t>(same - meanings.begin())]), shown(value),
                              axis.name));
  }
  return axis;
}

}  // namespace

const std::vector<std::string>& grid_names() {
  static const std::vector<std::string> names = {
      "width",         "embedding",      "layers",      "fourier", "steps",  "epochs", "batch",    "loss",
      "learning-rate", "weight-decay",   "schedule",    "model",   "preset", "base",   "share",    "anchors",
      "pool",          "inside-anchors", "anchor-rows", "outward", "pairs",  "space",  "same-unit"};
  return names;
}

std::string setting_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<GridAxis> parse_grid(const std::vector<std::string>& texts) {
  std::vector<GridAxis> axes;
  size_t count = 1;
  for (const std::string& text : texts) {
    GridAxis axis = parse_axis(text);
    for (const GridAxis& earlier : axes)
      if (earlier.name == axis.name)
        throw fault(fmt::format("a grid has each name once; found {} twice; write all values of it together",
                                axis.name));
    count *= axis.values.size();
    if (count > most_combinations)
      throw fault(fmt::format("a grid has at most {} combinations; found {} and more; try fewer values",
                              most_combinations, count));
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<Combination> combinations(const std::vector<GridAxis>& axes) {
  std::vector<Combination> all(1);
  for (const GridAxis& axis : axes) {
    std::vector<Combination> longer;
    for (const Combination& begun : all)
      for (const std::string& value : axis.values) {
        longer.push_back(begun);
        longer.back().emplace_back(axis.name, value);
      }
    all = std::move(longer);
  }
  return all;
}

FitSettings with(FitSettings settings, const Combination& combination) {
  for (const auto& [name, value] : combination)
    set_by_name(settings, setting_of(name), value == nothing && may_be_nothing(name) ? "" : value);
  return settings;
}

std::string to_text(const Combination& combination) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : combination) parts.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace kedge
