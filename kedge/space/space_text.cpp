// How a space is written: "theta=angle,phi=degrees,size=log,qw+qx+qy+qz=rotation".

#include <algorithm>
#include <array>
#include <string_view>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"
#include "kedge/space/groups.h"
#include "kedge/space/space.h"
#include "kedge/table/column_text.h"

namespace kedge {
namespace {

struct Kind {
  std::string_view name;
  GroupKind kind;
  size_t columns;
  double unit;
};

constexpr std::array<Kind, 5> kinds = {{
    {"vector", GroupKind::vector, 1, 1},
    {"log", GroupKind::log, 1, 1},
    {"angle", GroupKind::angle, 1, 1},
    {"degrees", GroupKind::angle, 1, radians_per_degree},
    {"rotation", GroupKind::rotation, 4, 1},
}};

const Kind& find_kind(const std::string& name, const std::string& item) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const Kind& k : kinds) names.emplace_back(k.name);
  throw Error(
      "space",
      fmt::format("a kind of group is needed after '='; found {} in {}; {}", shown(name), shown(item),
                  did_you_mean(name, names, fmt::format("the kinds are {}", fmt::join(names, ", ")))));
}

int find_column(const std::string& name, const std::string& item, const std::vector<std::string>& columns,
                const NameIndex& places) {
  if (const auto place = places.find(name)) return static_cast<int>(*place);
  throw Error("space", fmt::format("the name of an input column is needed; found {} in {}; {}", shown(name),
                                   shown(item),
                                   did_you_mean(name, columns, "the columns are " + shown_list(columns))));
}

Group parse_group(const std::string& item, const std::vector<std::string>& columns, const NameIndex& places) {
  const std::vector<std::string> sides = split_text(item, '=');
  if (sides.size() != 2)
    throw Error("space",
                fmt::format("items 'column=kind' separated by ',' are needed; found {}; write for example "
                            "'theta=angle,size=log'",
                            shown(item)));
  const Kind& kind = find_kind(sides[1], item);
  const std::vector<std::string> names = split_text(sides[0], '+');
  if (names.size() != kind.columns && kind.columns == 1)
    throw Error("space", fmt::format("{} takes one column; found {} in {}; write one item per column",
                                     kind.name, names.size(), shown(item)));
  if (names.size() != kind.columns)
    throw Error(
        "space",
        fmt::format(
            "{} takes {} columns joined by '+'; found {} in {}; name the quaternion's columns as w+x+y+z",
            kind.name, kind.columns, names.size(), shown(item)));
  Group group{.kind = kind.kind, .columns = {}, .unit = kind.unit};
  for (const std::string& name : names)
    group.columns.push_back(find_column(unescape_name(name), item, columns, places));
  return group;
}

}  // namespace

Space Space::parse(const std::string& text, const std::vector<std::string>& columns) {
  std::vector<Group> groups;
  std::vector<bool> named(columns.size());
  if (!text.empty()) {
    const NameIndex places(columns);
    for (const std::string& item : split_text(text, ',')) {
      groups.push_back(parse_group(item, columns, places));
      for (int c : groups.back().columns) {
        const auto column = static_cast<size_t>(c);
        if (named[column])
          throw Error("space",
                      fmt::format("each column belongs to one group; found {} twice in {}; name it once",
                                  shown(columns[column]), shown(text)));
        named[column] = true;
      }
    }
  }
  for (size_t c = 0; c < columns.size(); ++c)
    if (!named[c]) groups.push_back({.kind = GroupKind::vector, .columns = {static_cast<int>(c)}});
  return Space(std::move(groups));
}

std::string Space::text(const std::vector<std::string>& columns) const {
  if (columns.size() != static_cast<size_t>(columns_))
    throw Error("space",
                fmt::format("the names of {} columns are needed; found {}; give one name per input column",
                            columns_, columns.size()));
  std::vector<std::string> items;
  for (const Group& group : groups_) {
    if (group.kind == GroupKind::vector) continue;
    std::vector<std::string> names;
    for (int c : group.columns) names.push_back(escape_name(columns[static_cast<size_t>(c)]));
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) {
      return k.kind == group.kind && k.unit == group.unit;
    });
    items.push_back(fmt::format("{}={}", fmt::join(names, "+"), kind->name));
  }
  return fmt::format("{}", fmt::join(items, ","));
}

}  // namespace kedge
