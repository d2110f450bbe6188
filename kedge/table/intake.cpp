#include "kedge/table/intake.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/table/csv.h"
#include "kedge/table/csv_rows.h"
#include "kedge/table/missing.h"

namespace kedge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Quotes of one stroke: notes go into cells of CSV files, where double ones are doubled.
std::string cell_note(const std::string& column, const std::string& cell, const std::string& what) {
  std::string text = shown(cell);
  text.front() = text.back() = '\'';
  return fmt::format("{} is {}: {}", one_line(column), text, what);
}

std::string missing_note(const IntakeColumn& column) { return one_line(column.name) + " is missing"; }

/// Queries may write dates in another form, where it can be read in one way only.
double date_of(std::string_view text, DateForm form) {
  for (DateForm other : {form, DateForm::year_first, DateForm::day_first_dots})
    if (const auto days = parse_date(text, other)) return *days;
  return nan;
}

/// Expands the columns of one table and collects what is wrong with its rows.
class Expansion {
 public:
  Expansion(const Table& raw, const std::vector<OddCell>& odd) : raw_(raw) {
    for (const OddCell& cell : odd) odd_[cell.column].push_back(&cell);
  }

  void add(const IntakeColumn& column) {
    const Column& cells = raw_.column(column.name);
    if (column.kind == IntakeKind::category)
      add_category(column, cells);
    else
      add_numbers(column, cells);
  }

  /// Notes what is wrong with a column that stays as it is.
  void check(const Column& cells) {
    const auto is_nan = [](double value) { return std::isnan(value); };
    if (std::any_of(cells.values.begin(), cells.values.end(), is_nan))
      add_numbers({.name = cells.name}, cells);
  }

  std::vector<Column> columns;
  std::vector<std::string> notes;

 private:
  void note(size_t row, const std::string& text) {
    notes.resize(raw_.rows());
    notes[row] += (notes[row].empty() ? "" : "; ") + text;
  }

  /// For each row the place of its word in the category; none where there is a note.
  void add_category(const IntakeColumn& column, const Column& cells) {
    const size_t none = column.words.size(), first = columns.size();
    const auto place_of = [&](const std::string& word) {
      const std::string& sought = is_missing(word) ? Intake::missing_word : word;
      const auto found = std::lower_bound(column.words.begin(), column.words.end(), sought);
      return found != column.words.end() && *found == sought
                 ? static_cast<size_t>(found - column.words.begin())
                 : none;
    };
    for (const std::string& name : column.expanded())
      columns.push_back(
          {.name = name, .role = Role::input, .values = std::vector<double>(raw_.rows()), .words = {}});
    std::vector<size_t> places;
    for (const std::string& word : cells.words) places.push_back(place_of(word));
    for (size_t r = 0; r < raw_.rows(); ++r) {
      const double value = cells.values[r];
      const std::string word = cells.words.empty() ? shortest(value) : "";
      const size_t place = cells.words.empty() ? place_of(word) : places[static_cast<size_t>(value)];
      if (place < none) {
        columns[first + place].values[r] = 1;
        continue;
      }
      for (size_t k = 0; k < none; ++k) columns[first + k].values[r] = nan;
      const std::string& found = cells.words.empty() ? word : cells.words[static_cast<size_t>(value)];
      note(r, is_missing(found) ? missing_note(column)
                                : cell_note(column.name, found, "a word that was not in training"));
    }
  }

  /// The numbers of a column, NaN where there are none; a note where the cell is no date or no number.
  std::vector<double> numbers_of(const IntakeColumn& column, const Column& cells, std::vector<bool>& is_odd) {
    if (cells.words.empty()) {
      if (const auto odd = odd_.find(column.name); odd != odd_.end())
        for (const OddCell* cell : odd->second) {
          is_odd[cell->row] = true;
          note(cell->row, cell_note(column.name, cell->text, "no number"));
        }
      return cells.values;
    }
    std::vector<double> of_words, numbers(cells.values.size());
    for (const std::string& word : cells.words) of_words.push_back(date_of(word, column.form));
    for (size_t r = 0; r < numbers.size(); ++r) {
      const auto word = static_cast<size_t>(cells.values[r]);
      numbers[r] = of_words[word];
      is_odd[r] = std::isnan(numbers[r]) && !is_missing(cells.words[word]);
      if (is_odd[r]) note(r, cell_note(column.name, cells.words[word], "no date"));
    }
    return numbers;
  }

  void add_numbers(const IntakeColumn& column, const Column& cells) {
    std::vector<bool> is_odd(raw_.rows());
    std::vector<double> numbers = numbers_of(column, cells, is_odd), flags(column.fill ? raw_.rows() : 0);
    for (size_t r = 0; r < numbers.size(); ++r) {
      if (!std::isnan(numbers[r]) || is_odd[r]) continue;
      if (!column.fill) {
        note(r, missing_note(column));
        continue;
      }
      numbers[r] = *column.fill;
      flags[r] = 1;
    }
    const auto add_input = [&](std::string name, std::vector<double> values) {
      columns.push_back(
          {.name = std::move(name), .role = Role::input, .values = std::move(values), .words = {}});
    };
    for (const Cycle& cycle : column.cycles) {
      std::vector<double> angles;
      for (double number : numbers) angles.push_back(cycle.angle(number));
      add_input(column.name + "." + cycle.name, std::move(angles));
    }
    if (column.fill) add_input(column.flag(), std::move(flags));
    // The column itself goes before what comes of it.
    const auto extra = static_cast<std::ptrdiff_t>(column.cycles.size() + (column.fill ? 1 : 0));
    columns.insert(columns.end() - extra,
                   {.name = column.name, .role = Role::input, .values = std::move(numbers), .words = {}});
  }

  const Table& raw_;
  std::unordered_map<std::string, std::vector<const OddCell*>> odd_;
};

}  // namespace

double Cycle::angle(double value) const {
  if (!std::isfinite(value)) return nan;
  const double turns = calendar ? place_in(*calendar, value) : value / period - std::floor(value / period);
  return 2 * std::numbers::pi * turns;
}

std::vector<std::string> IntakeColumn::expanded() const {
  std::vector<std::string> names;
  for (const std::string& word : words) names.push_back(name + "=" + word);
  if (kind == IntakeKind::category) return names;
  names.push_back(name);
  for (const Cycle& cycle : cycles) names.push_back(name + "." + cycle.name);
  if (fill) names.push_back(flag());
  return names;
}

std::string Intake::source_of(const std::string& expanded) const {
  for (const IntakeColumn& column : columns)
    for (const std::string& name : column.expanded())
      if (name == expanded) return column.name;
  return expanded;
}

std::vector<std::string> Intake::sources(const std::vector<std::string>& expanded) const {
  if (columns.empty()) return expanded;
  std::vector<std::string> names;
  for (const IntakeColumn& column : columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> Intake::text_columns() const {
  std::vector<std::string> names;
  for (const IntakeColumn& column : columns)
    if (column.kind != IntakeKind::number) names.push_back(column.name);
  return names;
}

std::vector<std::string> Intake::angles() const {
  std::vector<std::string> names;
  for (const IntakeColumn& column : columns)
    for (const Cycle& cycle : column.cycles) names.push_back(column.name + "." + cycle.name);
  return names;
}

std::vector<std::vector<std::string>> Intake::categories() const {
  std::vector<std::vector<std::string>> sets;
  for (const IntakeColumn& column : columns)
    if (column.kind == IntakeKind::category) sets.push_back(column.expanded());
  return sets;
}

void Intake::keep_only(const std::vector<std::string>& expanded) {
  std::erase_if(columns, [&](const IntakeColumn& column) {
    const std::vector<std::string> names = column.expanded();
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::find(expanded.begin(), expanded.end(), name) != expanded.end();
    });
  });
}

TakenIn Intake::apply(Table raw, const std::vector<OddCell>& odd) const {
  Expansion expansion(raw, odd);
  if (columns.empty()) {
    for (const Column& column : raw.columns())
      if (column.role == Role::input && column.words.empty()) expansion.check(column);
    return {std::move(raw), std::move(expansion.notes)};
  }
  for (const IntakeColumn& column : columns) expansion.add(column);
  for (const Column& column : raw.columns())
    if (column.role != Role::input) expansion.columns.push_back(column);
  return {raw.with_columns(std::move(expansion.columns)), std::move(expansion.notes)};
}

}  // namespace kedge
