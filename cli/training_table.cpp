#include "cli/training_table.h"

#include <map>
#include <string>
#include <vector>

#include "cli/input.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/core/shown.h"
#include "kedge/space/same_unit.h"

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
  return roles;
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

}  // namespace

Table training_table(const FitFlags& flags, const FitOptions& options) {
  const Roles roles = roles_of(flags);
  CsvOptions csv{.text = roles.names(Role::label), .only = {}, .skip = roles.names(Role::ignored)};
  for (const std::string& name : roles.names(Role::episode)) csv.text.push_back(name);
  if (!roles.names(Role::input).empty()) csv.only = roles.all_but_ignored();
  Table table = read_table(flags.train, csv);
  roles.assign_to(table);
  check_columns(table, options);
  return table;
}

}  // namespace kedge
