#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "kedge/core/error.h"
#include "kedge/core/json.h"
#include "kedge/table/intake.h"

namespace kedge {
namespace {

Json cycle_json(const Cycle& cycle) {
  Json json{{"name", cycle.name}};
  if (cycle.calendar)
    json["calendar"] = *cycle.calendar;
  else
    json["period"] = cycle.period;
  return json;
}

Cycle cycle_from(const Json& json) {
  Cycle cycle{.name = exactly<std::string>(json.at("name"), "name")};
  if (const Json* calendar = json.find("calendar"))
    cycle.calendar = exactly<CalendarCycle>(*calendar, "calendar");
  else
    cycle.period = exactly<double>(json.at("period"), "period");
  if (!cycle.calendar && !(cycle.period > 0 && std::isfinite(cycle.period)))
    throw JsonError("a period needs to be a positive number");
  return cycle;
}

Json column_json(const IntakeColumn& column) {
  Json json{{"name", column.name}, {"kind", column.kind}};
  if (column.kind == IntakeKind::category) json["words"] = column.words;
  if (column.kind == IntakeKind::date) json["form"] = column.form;
  for (const Cycle& cycle : column.cycles) json["cycles"].push_back(cycle_json(cycle));
  if (column.fill) json["fill"] = *column.fill;
  return json;
}

IntakeColumn column_from(const Json& json) {
  IntakeColumn column{.name = exactly<std::string>(json.at("name"), "name"),
                      .kind = exactly<IntakeKind>(json.at("kind"), "kind")};
  if (column.kind == IntakeKind::category) {
    column.words = exactly<std::vector<std::string>>(json.at("words"), "words");
    const bool is_sorted = std::is_sorted(column.words.begin(), column.words.end());
    if (column.words.empty() || !is_sorted) throw JsonError("a category needs sorted words");
    return column;
  }
  if (column.kind == IntakeKind::date) column.form = exactly<DateForm>(json.at("form"), "form");
  if (const Json* cycles = json.find("cycles"))
    for (const Json& cycle : cycles->as_list("cycles")) column.cycles.push_back(cycle_from(cycle));
  if (const Json* fill = json.find("fill")) {
    column.fill = exactly<double>(*fill, "fill");
    if (!std::isfinite(*column.fill)) throw JsonError("what stands for missing cells needs to be finite");
  }
  return column;
}

}  // namespace

std::string to_json(const Intake& intake) {
  Json json{{"separator", intake.format.separator},
            {"decimal", intake.format.decimal},
            {"header", intake.format.header},
            {"columns", Json::array()},
            {"constants", intake.constants}};
  for (const IntakeColumn& column : intake.columns) json["columns"].push_back(column_json(column));
  return json.dump();
}

Intake intake_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  Intake intake;
  intake.format = {.separator = exactly<Separator>(json.at("separator"), "separator"),
                   .decimal = exactly<Decimal>(json.at("decimal"), "decimal"),
                   .header = exactly<Header>(json.at("header"), "header")};
  std::unordered_set<std::string> names, raw;
  for (const Json& column : json.at("columns").as_list("columns")) {
    intake.columns.push_back(column_from(column));
    if (!raw.insert(intake.columns.back().name).second) throw JsonError("a column is taken in once");
    for (const std::string& name : intake.columns.back().expanded())
      if (!names.insert(name).second) throw JsonError("columns of an intake need names of their own");
  }
  intake.constants = exactly<std::vector<std::string>>(json.at("constants"), "constants");
  return intake;
}

}  // namespace kedge
