#include "kedge/trials/column_hints.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

constexpr size_t fewest_rows = 20;
// An angle from all around spans nearly a turn, and has its share of rows at both ends.
constexpr double least_of_a_turn = 0.95, end_width = 0.1, least_share = 0.3;
constexpr double same_number = 1e-9;  // in deviations

using Values = std::vector<double>;

bool is_numeric(const Column& column) {
  return column.words.empty() &&
         std::all_of(column.values.begin(), column.values.end(), [](double x) { return std::isfinite(x); });
}

bool is_turn(const Values& values, double turn) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double span = *high - *low, slack = (1 - least_of_a_turn) * turn;
  if (span < least_of_a_turn * turn || span > turn) return false;
  if (std::abs(*low) > slack && std::abs(*low + turn / 2) > slack) return false;
  const auto dense = [&](double from, double to) {
    const auto count =
        std::count_if(values.begin(), values.end(), [&](double x) { return from <= x && x <= to; });
    return static_cast<double>(count) >= least_share * end_width * static_cast<double>(values.size());
  };
  return dense(*low, *low + end_width * span) && dense(*high - end_width * span, *high);
}

bool is_row_number(const Values& values) {
  const double step = values[1] - values[0];
  if (std::abs(step) != 1 || values[0] != std::floor(values[0])) return false;
  for (size_t r = 1; r < values.size(); ++r)
    if (values[r] - values[r - 1] != step) return false;
  return true;
}

/// Each column with mean 0, deviation 1 and its largest number above 0; empty where it does not vary.
Values standardized(const Values& values) {
  if (std::all_of(values.begin(), values.end(), [&](double x) { return x == values[0]; })) return {};
  const Standardizer scale = Standardizer::fit(Matrix<double>(values.size(), 1, values));
  Values out;
  for (double x : values) out.push_back((x - scale.mean[0]) / scale.scale[0]);
  const double largest =
      *std::max_element(out.begin(), out.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (largest < 0)
    for (double& x : out) x = -x;
  return out;
}

bool same(const Values& a, const Values& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                  [](double p, double q) { return std::abs(p - q) < same_number; });
}

/// What a column looks like by itself.
std::optional<ColumnLook> look_of(const Values& values, GroupKind kind, size_t inputs) {
  if (kind != GroupKind::vector) return std::nullopt;
  // A lone input that counts up is a grid.
  if (inputs > 1 && is_row_number(values)) return ColumnLook::row_number;
  if (is_turn(values, 360)) return ColumnLook::turn_in_degrees;
  if (is_turn(values, 2 * std::numbers::pi)) return ColumnLook::turn_in_radians;
  return std::nullopt;
}

}  // namespace

std::vector<ColumnHint> column_hints(const Table& table, const Space& space) {
  std::vector<ColumnHint> hints;
  const std::vector<std::string> inputs = table.names(Role::input);
  if (table.rows() < fewest_rows) return hints;
  std::vector<GroupKind> kinds(inputs.size());
  for (const Group& group : space.groups())
    for (int column : group.columns) kinds[static_cast<size_t>(column)] = group.kind;
  // Outputs first: to repeat one of them is worse than to repeat an input.
  struct Known {
    const Column& column;
    Values values;
  };
  std::vector<Known> known;
  for (const std::string& name : table.names(Role::output))
    if (const Column& column = table.column(name); is_numeric(column))
      known.push_back({column, standardized(column.values)});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Column& column = table.column(inputs[i]);
    if (!is_numeric(column)) continue;
    if (const auto look = look_of(column.values, kinds[i], inputs.size()))
      hints.push_back({*look, column.name});
    Values values = standardized(column.values);
    const auto repeated = std::find_if(known.begin(), known.end(),
                                       [&](const Known& other) { return same(values, other.values); });
    if (repeated != known.end())
      hints.push_back({ColumnLook::repeats, column.name, repeated->column.name, repeated->column.role});
    else
      known.push_back({column, std::move(values)});
  }
  return hints;
}

std::string to_text(const ColumnHint& hint) {
  const std::string name = shown(hint.column);
  switch (hint.look) {
    case ColumnLook::turn_in_degrees:
      return fmt::format("column {} spans 360 and looks like an angle in degrees that wraps", name);
    case ColumnLook::turn_in_radians:
      return fmt::format("column {} spans 2 pi and looks like an angle that wraps", name);
    case ColumnLook::row_number:
      return fmt::format("column {} goes up or down by one with every row, like a row number", name);
    case ColumnLook::repeats:
      return hint.other_role == Role::output
                 ? fmt::format("column {} is the target {} on another scale, so it gives the answer away",
                               name, shown(hint.other))
                 : fmt::format("column {} is column {} on another scale, so it says nothing new", name,
                               shown(hint.other));
  }
  return "";
}

}  // namespace kedge
