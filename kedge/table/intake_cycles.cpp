#include <algorithm>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/column_text.h"
#include "kedge/table/intake_parts.h"
#include "kedge/table/number.h"

namespace kedge {
namespace {

[[noreturn]] void refuse_cycles(const std::string& item) {
  throw Error("options",
              fmt::format("cycles need items 'column=period' with commas between, a period being day, week, "
                          "month or year of dates or a positive number; found {}; write for example "
                          "'date=week+year,hour=24'",
                          shown(item)),
              "cycles");
}

Cycle parse_cycle(const std::string& text, IntakeKind kind, const std::string& item) {
  Cycle cycle{.name = unescape_name(text)};
  cycle.calendar = value_named<CalendarCycle>(cycle.name);
  if (cycle.calendar && kind == IntakeKind::date) return cycle;
  const bool is_number = parse_number(cycle.name, cycle.period) == NumberFault::none;
  if (cycle.calendar || !is_number || !std::isfinite(cycle.period) || cycle.period <= 0) refuse_cycles(item);
  return cycle;
}

}  // namespace

void add_cycles(std::vector<IntakeColumn>& columns, const std::string& text) {
  if (text.empty()) return;
  for (const std::string& item : split_text(text, ',')) {
    const std::vector<std::string> sides = split_text(item, '=');
    if (sides.size() != 2) refuse_cycles(item);
    const std::string name = unescape_name(sides[0]);
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const IntakeColumn& c) { return c.name == name; });
    if (column == columns.end() || column->kind == IntakeKind::category)
      throw Error("options",
                  fmt::format("cycles need input columns of dates or numbers; found {} in {}; check the name",
                              shown(name), shown(item)),
                  "cycles");
    for (const std::string& period : split_text(sides[1], '+')) {
      column->cycles.push_back(parse_cycle(period, column->kind, item));
      for (size_t c = 0; c + 1 < column->cycles.size(); ++c)
        if (column->cycles[c].name == column->cycles.back().name) refuse_cycles(item);
    }
  }
}

}  // namespace kedge
