#include "cli/hints.h"

#include <numbers>

#include "cli/input.h"
#include "cli/output.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/trials/column_hints.h"

namespace kedge {
namespace {

std::string advice(const ColumnHint& hint) {
  const auto as_angle = [&](double unit) {
    const Space angle({{.kind = GroupKind::angle, .columns = {0}, .unit = unit}});
    return "if it is an angle, fit it with --space " + quoted(angle.text({hint.column}));
  };
  switch (hint.look) {
    case ColumnLook::turn_in_degrees:
      return as_angle(std::numbers::pi / 180);
    case ColumnLook::turn_in_radians:
      return as_angle(1);
    case ColumnLook::row_number:
    case ColumnLook::repeats:
      return "leave it out with --ignore " + quoted(hint.column);
  }
  return "";
}

}  // namespace

void print_hints(const Table& table, const std::string& space, const Intake& intake) {
  NameIndex made;  // of words, dates and gaps
  for (const IntakeColumn& column : intake.columns)
    if (!column.is_plain())
      for (const std::string& name : column.expanded()) made.add(name, 0);
  for (const ColumnHint& hint :
       column_hints(table, Spaces::parse(space, table.names(Role::input), table.names(Role::output)).inputs))
    if (!made.has(hint.column)) say(fmt::format("hint: {}; {}", to_text(hint), advice(hint)));
}

void print_hints(const Predictor& predictor) {
  const Space& space = predictor.encoder().space();
  const Matrix<double>& points = predictor.training_points();
  std::vector<Column> columns;
  const auto add = [&](const std::string& name, Role role) {
    columns.push_back(
        {.name = name, .role = role, .values = std::vector<double>(points.rows()), .words = {}});
  };
  for (const std::string& name : predictor.inputs()) add(name, Role::input);
  for (const std::string& name : predictor.outputs()) add(name, Role::output);
  const size_t inputs = predictor.inputs().size();
  std::vector<double> row(inputs);
  for (size_t r = 0; r < points.rows(); ++r) {
    space.to_row(points.row(r), row);
    for (size_t c = 0; c < inputs; ++c) columns[c].values[r] = row[c];
    for (size_t k = 0; k < predictor.outputs().size(); ++k)
      columns[inputs + k].values[r] = predictor.training_outputs()(r, k);
  }
  Table table("model");
  for (Column& column : columns) table.add(std::move(column));
  print_hints(table, predictor.options().space, predictor.intake());
}

}  // namespace kedge
