#pragma once

// Intake: how the columns of a file become the columns of numbers that a model reads. Learned once from the
// training table, kept with the model, and applied to every table of queries:
//
//   raw column           becomes
//   numbers              itself; with a cycle of 24 also hour.24, an angle in radians
//   dates                days since 1970-01-01; with cycles also date.week, date.year, angles in radians
//   words of a category  district=north, district=south, ...: 1 for the word of the row, 0 for the others
//   some cells missing,  numbers and dates get the median, and x.missing is 1 there; a category gets the word
//   to be imputed        "missing"
//
// Laws: an intake without columns changes no number. Applied to its training table it gives what learning
// gave. A row that cannot be taken in (a word that training did not have, a cell that is no number) has NaN
// there and a note that says why; the other rows are as they would be without it.

#include <optional>
#include <string>
#include <vector>

#include "kedge/table/csv_format.h"
#include "kedge/table/date.h"
#include "kedge/table/odd_cell.h"
#include "kedge/table/table.h"

namespace kedge {

/// What repeats in a column: part of the calendar, or a period in the units of the column.
struct Cycle {
  std::string name;
  std::optional<CalendarCycle> calendar = {};
  double period = 0;

  /// The place of a value in the cycle as an angle in radians.
  double angle(double value) const;
  bool operator==(const Cycle&) const = default;
};

enum class IntakeKind { number, category, date };

constexpr auto names_of(IntakeKind) {
  return std::to_array<Named<IntakeKind>>(
      {{IntakeKind::number, "number"}, {IntakeKind::category, "category"}, {IntakeKind::date, "date"}});
}

/// One raw column.
struct IntakeColumn {
  std::string name;
  IntakeKind kind = IntakeKind::number;
  std::vector<std::string> words = {};  ///< of a category, sorted
  DateForm form = DateForm::year_first;
  std::vector<Cycle> cycles = {};
  std::optional<double> fill = {};  ///< stands for missing cells, where training had some

  /// Names of the columns that it becomes.
  std::vector<std::string> expanded() const;
  std::string flag() const { return name + ".missing"; }
  bool is_plain() const { return kind == IntakeKind::number && cycles.empty() && !fill; }
  bool operator==(const IntakeColumn&) const = default;
};

/// A table of numbers, with a note for each row that has none; no notes at all where every row is fine.
struct TakenIn {
  Table table;
  std::vector<std::string> notes = {};
};

struct Intake {
  CsvFormat format = {};                    ///< of the training file
  std::vector<IntakeColumn> columns = {};   ///< every input, in order; none where all are plain numbers
  std::vector<std::string> constants = {};  ///< inputs that never changed in training and were left out

  static constexpr const char* missing_word = "missing";

  bool is_empty() const { return *this == Intake{}; }

  /// The raw column that an expanded one comes from; itself where nothing was expanded.
  std::string source_of(const std::string& expanded) const;
  /// The raw columns that these come from, each once.
  std::vector<std::string> sources(const std::vector<std::string>& expanded) const;
  /// Raw columns whose cells are words, as a reader has to know.
  std::vector<std::string> text_columns() const;
  /// Expanded columns that are angles, and sets of those that belong to one category.
  std::vector<std::string> angles() const;
  std::vector<std::vector<std::string>> categories() const;

  /// Forgets the columns that none of these come from.
  void keep_only(const std::vector<std::string>& expanded);

  /// Expands the input columns of a table; others stay. `odd` are cells of numbers that were none, which
  /// stand as NaN. Throws Error when a column is missing.
  TakenIn apply(Table raw, const std::vector<OddCell>& odd = {}) const;

  bool operator==(const Intake&) const = default;
};

std::string to_json(const Intake& intake);
/// Throws Error on damaged text.
Intake intake_from_json(const std::string& text);

/// What to do about missing cells of a training table.
enum class Missing { refuse, drop, impute };

constexpr auto names_of(Missing) {
  return std::to_array<Named<Missing>>(
      {{Missing::refuse, "refuse"}, {Missing::drop, "drop"}, {Missing::impute, "impute"}});
}

struct IntakeOptions {
  std::vector<std::string> categories = {};  ///< columns that are categories, whatever they hold
  std::string cycles = {};                   ///< "date=week+year,hour=24"
  Missing missing = Missing::refuse;
};

struct LearnedIntake {
  Table table;  ///< expanded
  Intake intake;
  size_t dropped = 0;  ///< rows with missing cells
};

/// Learns the intake of a training table whose columns have their roles: text columns among the inputs become
/// dates or categories. A column is a category by itself when it has at most 20 different words, or one for
/// every hundred rows, and two rows a word. Throws Error.
LearnedIntake learn_intake(Table raw, const IntakeOptions& options);

}  // namespace kedge
