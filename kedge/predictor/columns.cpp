#include "kedge/predictor/columns.h"

#include <algorithm>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/space/output_space.h"
#include "kedge/table/column_text.h"

namespace kedge {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::vector<std::string> escaped;
  for (const std::string& name : names) escaped.push_back(escape_name(name));
  return fmt::format("{}", fmt::join(escaped, "+"));
}

void add_item(std::string& list, const std::string& item) { list += (list.empty() ? "" : ",") + item; }

/// The sets of same_unit without these columns; what is left of a set needs two.
std::string sets_without(const std::string& sets, const NameIndex& dropped) {
  std::string left;
  for (const std::string& item : split_text(sets, ',')) {
    std::vector<std::string> names;
    for (const std::string& name : split_text(item, '+'))
      if (!dropped.has(unescape_name(name))) names.push_back(unescape_name(name));
    if (names.size() > 1) add_item(left, joined(names));
  }
  return left;
}

/// The space of the inputs that are left.
std::string space_without(const Space& space, const std::vector<std::string>& inputs,
                          const NameIndex& dropped) {
  std::vector<std::string> left;
  std::vector<int> place(inputs.size(), -1);
  for (size_t c = 0; c < inputs.size(); ++c) {
    if (dropped.has(inputs[c])) continue;
    place[c] = static_cast<int>(left.size());
    left.push_back(inputs[c]);
  }
  std::vector<Group> groups;
  for (Group group : space.groups()) {
    if (place[static_cast<size_t>(group.columns[0])] < 0) continue;
    for (int& column : group.columns) column = place[static_cast<size_t>(column)];
    groups.push_back(std::move(group));
  }
  return Space(std::move(groups)).text(left);
}

std::string column_summary(const IntakeColumn& column) {
  if (column.kind == IntakeKind::category) return fmt::format("{} words", column.words.size());
  std::vector<std::string> parts;
  if (column.kind == IntakeKind::date) parts.emplace_back("dates");
  for (const Cycle& cycle : column.cycles) parts.push_back("cycle " + cycle.name);
  if (column.fill) parts.push_back(fmt::format("{} where missing", *column.fill));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void add_columns(const Intake& intake, FitOptions& options) {
  for (const std::string& name : intake.angles()) add_item(options.space, escape_name(name) + "=angle");
  if (options.inputs == Scaling::standard)
    for (const std::vector<std::string>& set : intake.categories())
      if (set.size() > 1) add_item(options.same_unit, joined(set));
  std::vector<std::string> context;
  for (const std::string& name : options.context) {
    const auto column = std::find_if(intake.columns.begin(), intake.columns.end(),
                                     [&](const IntakeColumn& c) { return c.name == name; });
    const auto names = column == intake.columns.end() ? std::vector{name} : column->expanded();
    context.insert(context.end(), names.begin(), names.end());
  }
  options.context = std::move(context);
}

std::vector<std::string> drop_constants(Table& table, FitOptions& options) {
  const std::vector<std::string> inputs = table.names(Role::input);
  // A single row is another fault, which the fit tells.
  if (inputs.empty() || table.rows() < 2) return {};
  const auto is_constant = [&](int column) {
    const auto& values = table.column(inputs[static_cast<size_t>(column)]).values;
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  };
  const std::vector<std::string> outputs = table.names(Role::output);
  const auto [space, output_space] = Spaces::parse(options.space, inputs, outputs);
  std::vector<std::string> names;
  for (const Group& group : space.groups())
    if (std::all_of(group.columns.begin(), group.columns.end(), is_constant))
      for (int column : group.columns) names.push_back(inputs[static_cast<size_t>(column)]);
  if (names.empty()) return names;
  if (names.size() == inputs.size())
    throw Error(
        "fit",
        fmt::format("{}: needed an input that changes; found the same values of {} in all {} rows; add "
                    "inputs or rows",
                    table.source(), shown_list(names), table.rows()));
  const NameIndex dropped(names);
  options.space = space_without(space, inputs, dropped);
  if (!output_space.is_plain()) add_item(options.space, output_space.text(outputs));
  if (!options.same_unit.empty()) options.same_unit = sets_without(options.same_unit, dropped);
  std::erase_if(options.context, [&](const std::string& name) { return dropped.has(name); });
  std::vector<Column> left;
  for (const Column& column : table.columns())
    if (column.role != Role::input || !dropped.has(column.name)) left.push_back(column);
  table = table.with_columns(std::move(left));
  return names;
}

std::string summary(const Intake& intake) {
  std::vector<std::string> parts;
  for (const IntakeColumn& column : intake.columns)
    if (!column.is_plain()) parts.push_back(fmt::format("{} ({})", column.name, column_summary(column)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace kedge
