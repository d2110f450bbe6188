#include <algorithm>
#include <cmath>
#include <optional>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/name_index.h"
#include "kedge/core/shown.h"
#include "kedge/table/csv.h"
#include "kedge/table/intake.h"
#include "kedge/table/intake_parts.h"
#include "kedge/table/missing.h"

namespace kedge {
namespace {

constexpr size_t few_words = 20, rows_for_each_word = 100, fewest_rows_a_word = 2;

double median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + (upper - lower) / 2;
}

/// Where a word first stands.
std::string where_is(const Table& table, const Column& column, size_t word) {
  const auto found = std::find(column.values.begin(), column.values.end(), static_cast<double>(word));
  return table.where(static_cast<size_t>(found - column.values.begin()));
}

/// Words by their places in the column, less those that mean a missing cell.
std::vector<size_t> present_words(const Column& column) {
  std::vector<size_t> present;
  // A table of selected rows may have words that no row has.
  std::vector<bool> is_used(column.words.size());
  for (double word : column.values) is_used[static_cast<size_t>(word)] = true;
  for (size_t w = 0; w < column.words.size(); ++w)
    if (is_used[w] && !is_missing(column.words[w])) present.push_back(w);
  return present;
}

/// The form of a column of dates; nothing for a column of other words. Throws Error where some are dates and
/// some are not, or where 03/04/2024 could be March or April.
std::optional<DateForm> date_form(const Table& table, const Column& column,
                                  const std::vector<size_t>& present) {
  std::optional<DateForm> best;
  size_t most = 0, equals = 0;
  for (const auto& [form, name] : names_of(DateForm{})) {
    const auto count =
        static_cast<size_t>(std::count_if(present.begin(), present.end(), [&, f = form](size_t w) {
          return parse_date(column.words[w], f).has_value();
        }));
    if (count > most) {
      best = form;
      most = count;
      equals = 0;
    } else if (count == most && count > 0) {
      ++equals;
    }
  }
  if (!best || 2 * most < present.size()) return std::nullopt;
  const auto bad = std::find_if(present.begin(), present.end(),
                                [&](size_t w) { return !parse_date(column.words[w], *best); });
  if (bad != present.end())
    throw Error("intake",
                fmt::format("{}, column {}: needed a date as in the other rows; found {}; correct the cell, "
                            "or leave the column out",
                            where_is(table, column, *bad), shown(column.name), shown(column.words[*bad])),
                "ignore");
  if (equals > 0)
    throw Error(
        "intake",
        fmt::format("{}, column {}: needed dates that can be read in one way; found {} and no row "
                    "that says whether the day or the month is first; write 2024-03-01, or leave "
                    "the column out",
                    where_is(table, column, present[0]), shown(column.name), shown(column.words[present[0]])),
        "ignore");
  return best;
}

void require_few(const Table& table, const Column& column, const std::vector<size_t>& present) {
  const size_t most = std::max(few_words, table.rows() / rows_for_each_word), words = present.size();
  if (words <= most && fewest_rows_a_word * words <= table.rows()) return;
  throw Error(
      "intake",
      fmt::format("{}, column {}: needed numbers, dates or few words; found {} different words in {} "
                  "rows, {} first; leave the column out, or insist that it is a category",
                  table.source(), shown(column.name), words, table.rows(), shown(column.words[present[0]])),
      "ignore,categories");
}

/// A column of numbers as words, for codes that are categories.
Column as_words(const Column& numbers) {
  Column column{.name = numbers.name, .role = numbers.role, .values = {}, .words = {}};
  NameIndex places;
  for (double value : numbers.values) {
    const std::string word = shortest(value);
    if (places.add(word, column.words.size())) column.words.push_back(word);
    column.values.push_back(static_cast<double>(*places.find(word)));
  }
  return column;
}

/// Whether cells are missing. Throws Error when all are.
bool has_missing(const Table& table, const Column& column) {
  if (!may_have_missing(column)) return false;
  const RowTest is_gone = missing_test(column);
  size_t count = 0;
  for (size_t r = 0; r < table.rows(); ++r) count += is_gone(r);
  if (count < table.rows()) return count > 0;
  throw Error("intake",
              fmt::format("{}, column {}: needed some values; found all {} cells missing; leave the column "
                          "out",
                          table.source(), shown(column.name), table.rows()),
              "ignore");
}

IntakeColumn learned_category(const Table& table, const Column& column) {
  IntakeColumn learned{.name = column.name, .kind = IntakeKind::category};
  const bool adds_missing = has_missing(table, column);
  for (size_t w : present_words(column)) learned.words.push_back(column.words[w]);
  if (adds_missing) learned.words.emplace_back(Intake::missing_word);
  std::sort(learned.words.begin(), learned.words.end());
  learned.words.erase(std::unique(learned.words.begin(), learned.words.end()), learned.words.end());
  return learned;
}

IntakeColumn learned_column(const Table& table, const Column& column) {
  IntakeColumn learned{.name = column.name};
  const bool needs_fill = has_missing(table, column);
  std::vector<double> numbers;
  if (!column.words.empty()) {
    const std::vector<size_t> present = present_words(column);
    const std::optional<DateForm> form = date_form(table, column, present);
    if (!form) {
      require_few(table, column, present);
      return learned_category(table, column);
    }
    learned.kind = IntakeKind::date;
    learned.form = *form;
    if (needs_fill)
      for (double word : column.values)
        numbers.push_back(parse_date(column.words[static_cast<size_t>(word)], *form).value_or(std::nan("")));
  } else if (needs_fill) {
    numbers = column.values;
  }
  if (needs_fill) learned.fill = median(std::move(numbers));
  return learned;
}

void require_numbers(const Table& table) {
  for (const Column& column : table.columns())
    if (column.role == Role::output && !column.words.empty())
      throw Error("intake",
                  fmt::format("{}, column {}: needed numbers to predict; found words, {} first; name another "
                              "target",
                              table.where(0), shown(column.name), shown(column.words[0])),
                  "target");
}

}  // namespace

LearnedIntake learn_intake(Table raw, const IntakeOptions& options) {
  require_numbers(raw);
  const std::vector<std::string> inputs = raw.names(Role::input);
  const NameIndex inputs_by_name(inputs), categories(options.categories);
  for (const std::string& name : options.categories)
    if (!inputs_by_name.has(name))
      throw Error("options",
                  fmt::format("categories need input columns of {}; found {}; the inputs are {}",
                              raw.source(), shown(name), shown_list(inputs)),
                  "categories");
  const size_t rows = raw.rows();
  raw = with_whole_rows(std::move(raw), options.missing);
  LearnedIntake learned{.table = {}, .intake = {}, .dropped = rows - raw.rows()};
  std::vector<IntakeColumn>& columns = learned.intake.columns;
  for (const std::string& name : inputs) {
    const Column& column = raw.column(name);
    if (!categories.has(name))
      columns.push_back(learned_column(raw, column));
    else
      columns.push_back(learned_category(raw, column.words.empty() ? as_words(column) : column));
  }
  add_cycles(columns, options.cycles);
  if (std::all_of(columns.begin(), columns.end(),
                  [](const IntakeColumn& column) { return column.is_plain(); })) {
    columns.clear();
    learned.table = std::move(raw);
  } else {
    learned.table = learned.intake.apply(std::move(raw)).table;
  }
  return learned;
}

}  // namespace kedge
