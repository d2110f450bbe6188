#include "kedge/space/same_unit.h"

#include <set>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"
#include "kedge/table/column_text.h"

namespace kedge {
namespace {

std::vector<GroupKind> kinds_of(const Space& space) {
  std::vector<GroupKind> kinds(static_cast<size_t>(space.columns()));
  for (const Group& group : space.groups())
    for (int column : group.columns) kinds[static_cast<size_t>(column)] = group.kind;
  return kinds;
}

Error two_units(const std::string& item) {
  return Error("same unit",
               fmt::format("a logarithm shares no unit with a plain number; found both in {}; write two sets "
                           "with ',' between",
                           shown(item)));
}

}  // namespace

SameUnit SameUnit::parse(const std::string& text, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, const Spaces& spaces) {
  SameUnit sets;
  if (text.empty()) return sets;
  const NameIndex input_places(inputs), output_places(outputs);
  const std::vector<GroupKind> kinds = kinds_of(spaces.inputs);
  std::set<std::string> seen;
  for (const std::string& item : split_text(text, ',')) {
    std::vector<size_t> from_inputs, from_outputs;
    for (const std::string& escaped : split_text(item, '+')) {
      const std::string name = unescape_name(escaped);
      if (!seen.insert(name).second)
        throw Error("same unit", fmt::format("each column has one unit; found {} twice in {}; name it once",
                                             shown(name), shown(text)));
      if (const auto input = input_places.find(name)) {
        const GroupKind kind = kinds[*input];
        if (kind != GroupKind::vector && kind != GroupKind::log)
          throw Error("same unit",
                      fmt::format("plain or log columns are needed; {} is an angle or part of a rotation, "
                                  "which have scales of their own; leave it out",
                                  shown(name)));
        if (!from_inputs.empty() && kind != kinds[from_inputs[0]]) throw two_units(item);
        from_inputs.push_back(*input);
      } else if (const auto output = output_places.find(name)) {
        if (!from_outputs.empty() && spaces.outputs.is_log(*output) != spaces.outputs.is_log(from_outputs[0]))
          throw two_units(item);
        from_outputs.push_back(*output);
      } else {
        std::vector<std::string> columns = inputs;
        columns.insert(columns.end(), outputs.begin(), outputs.end());
        throw Error(
            "same unit",
            fmt::format("the names of input or output columns are needed; found {} in {}; {}", shown(name),
                        shown(item), did_you_mean(name, columns, "the columns are " + shown_list(columns))));
      }
    }
    if (from_inputs.size() + from_outputs.size() < 2)
      throw Error("same unit",
                  fmt::format("two or more columns joined by '+' are needed; found {}; write for "
                              "example 'x+y+z'",
                              shown(item)));
    if (!from_inputs.empty() && !from_outputs.empty())
      throw Error("same unit",
                  fmt::format("inputs are scaled with inputs, outputs with outputs; found both in "
                              "{}; write two sets with ',' between",
                              shown(item)));
    if (from_inputs.empty())
      sets.outputs.push_back(std::move(from_outputs));
    else
      sets.inputs.push_back(std::move(from_inputs));
  }
  return sets;
}

}  // namespace kedge
