#include "cli/training_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/core/shown.h"
#include "kedge/predictor/columns.h"
#include "kedge/space/same_unit.h"
#include "kedge/table/column_text.h"
#include "kedge/table/row_weights.h"

namespace kedge {
namespace {

/// Each column that a flag names, with its role. Throws Error when two flags claim one column.
class Roles {
 public:
  void claim(Role role, const std::string& flag, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto [taken, is_new] = flag_of_.emplace(name, flag);
      if (!is_new)
        throw Error("options", fmt::format("a column has one part; found {} in {} and in {}; name it once",
                                           shown(name), taken->second, flag));
      names_[role].push_back(name);
    }
  }
  std::vector<std::string> names(Role role) const {
    const auto found = names_.find(role);
    return found == names_.end() ? std::vector<std::string>{} : found->second;
  }

  std::vector<std::string> all_but_ignored() const {
    std::vector<std::string> all;
    for (const auto& [role, names] : names_)
      if (role != Role::ignored) all.insert(all.end(), names.begin(), names.end());
    return all;
  }

  void assign_to(Table& table) const {
    for (const auto& [role, names] : names_)
      if (role != Role::ignored) table.assign(role, names);
  }

 private:
  std::map<std::string, std::string> flag_of_;
  std::map<Role, std::vector<std::string>> names_;
};

std::vector<std::string> if_given(const std::string& name) {
  return name.empty() ? std::vector<std::string>{} : std::vector<std::string>{name};
}

Roles roles_of(const FitFlags& flags) {
  Roles roles;
  roles.claim(Role::output, "--target", split_names(flags.targets, "--target"));
  roles.claim(Role::input, "--inputs", split_names(flags.inputs, "--inputs"));
  roles.claim(Role::ignored, "--ignore", split_names(flags.ignore, "--ignore"));
  roles.claim(Role::label, "--label", if_given(flags.label));
  roles.claim(Role::time, "--time", if_given(flags.time));
  roles.claim(Role::episode, "--episode", if_given(flags.episode));
  roles.claim(Role::weight, "--row-weights", if_given(flags.row_weights));
  return roles;
}

/// Leaves out the rows that do not count, before anything is learned of them. Example pairs name rows of the
/// whole file; with them a fit refuses row weights.
void keep_counted_rows(const FitFlags& flags, Table& table) {
  if (!flags.pair_weights.empty()) return;
  std::optional<Table> counted = counted_rows(table);
  if (!counted) return;
  const size_t all = table.rows();
  table = std::move(*counted);
  if (table.rows() < all && !flags.quiet)
    say(fmt::format("left out {} of {} rows, which have the weight 0", all - table.rows(), all));
}

/// What the library would find later, or without knowing the file's name.
void check_columns(const Table& table, const FitOptions& options) {
  for (const std::string& name : options.context) table.column(name);
  std::string flag = "--space";
  try {
    const Spaces spaces = Spaces::parse(options.space, table.names(Role::input), table.names(Role::output));
    flag = "--same-unit";
    SameUnit::parse(options.same_unit, table.names(Role::input), table.names(Role::output), spaces);
  } catch (const Error& error) {
    throw Error("options", fmt::format("{}, {}: {}", table.source(), flag, message_of(error)));
  }
}

/// What was made of the file that its reader may not expect.
void tell(const FitFlags& flags, const LearnedIntake& learned) {
  const Intake& intake = learned.intake;
  say_format(learned.table.source(), intake.format);
  if (learned.dropped > 0)
    say(fmt::format("dropped {} of {} rows, which have missing cells", learned.dropped,
                    learned.dropped + learned.table.rows()));
  if (const std::string text = summary(intake); !text.empty())
    say("inputs that are no plain numbers: " + text);
  const auto date = std::find_if(intake.columns.begin(), intake.columns.end(),
                                 [](const IntakeColumn& column) { return column.kind == IntakeKind::date; });
  if (date != intake.columns.end() && flags.cycles.empty())
    say(fmt::format("{} counts days; if weeks or years repeat, take --cycles {}", date->name,
                    quoted(escape_name(date->name) + "=week+year")));
}

}  // namespace

TrainingTable read_training_table(const FitFlags& flags) {
  const Roles roles = roles_of(flags);
  const IntakeOptions intake{.categories = split_names(flags.categories, "--categories"),
                             .cycles = flags.cycles,
                             .missing = *value_named<Missing>(flags.missing)};
  CsvOptions csv{.text = roles.names(Role::label), .only = {}, .skip = roles.names(Role::ignored)};
  for (const std::string& name : roles.names(Role::episode)) csv.text.push_back(name);
  csv.text.insert(csv.text.end(), intake.categories.begin(), intake.categories.end());
  if (!roles.names(Role::input).empty()) csv.only = roles.all_but_ignored();
  OpenTable read = read_open_table(flags.train, csv, signs_of(flags.format));
  std::vector<std::string> all;
  for (const Column& column : read.table.columns()) all.push_back(column.name);
  read.table.assign(Role::input, all);
  roles.assign_to(read.table);
  keep_counted_rows(flags, read.table);
  LearnedIntake learned = learn_intake(std::move(read.table), intake);
  learned.intake.format = read.format;
  if (!flags.quiet) tell(flags, learned);
  return {std::move(learned.table), std::move(learned.intake), learned.dropped};
}

TrainingTable with_options(TrainingTable read, FitOptions& options) {
  add_columns(read.intake, options);
  check_columns(read.table, options);
  const std::vector<std::string> constants = drop_constants(read.table, options);
  if (constants.empty()) return read;
  read.intake.constants = constants;
  read.intake.keep_only(read.table.names(Role::input));
  return read;
}

TrainingTable training_table(const FitFlags& flags, FitOptions& options) {
  TrainingTable training = with_options(read_training_table(flags), options);
  if (const std::vector<std::string>& constants = training.intake.constants;
      !constants.empty() && !flags.quiet)
    say(fmt::format("left out, for it never changes: {}", fmt::join(constants, ", ")));
  return training;
}

}  // namespace kedge
