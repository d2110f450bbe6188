#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "kedge/core/format.h"
#include "kedge/core/nearest_name.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

bool is_flag(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string without_dashes(const std::string& flag) {
  return flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
}

std::string before(const std::string& text, std::string_view mark) { return text.substr(0, text.find(mark)); }

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  return names;
}

/// A command as users call it, and the words that say what is wrong with its own.
class Usage {
 public:
  Usage(const CLI::App& app, const CLI::App& command)
      : app_(app), command_(command), call_(command.get_name()) {}

  std::string see() const {
    return &app_ == &command_ ? "see kedge --help" : fmt::format("see kedge {} --help", call_);
  }

  std::string unknown_flag(const std::string& word) const {
    const std::string flag = before(word, "="), name = without_dashes(flag);
    const std::string known = nearest_name(name, flags_of(command_));
    if (!known.empty()) return fmt::format("there is no {}; did you mean --{}?", flag, known);
    for (const CLI::App* other : commands_of(app_)) {
      const std::vector<std::string> flags = flags_of(*other);
      if (std::find(flags.begin(), flags.end(), name) != flags.end())
        return fmt::format("{} has no {}, a flag of kedge {}; {}", call_, flag, other->get_name(), see());
    }
    return fmt::format("{} has no {}; {}", call_, flag, see());
  }

  std::string missing(const std::string& name) const {
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (!option) return fmt::format("{} needs {}; {}", call_, name, see());
    const std::string type = option->get_type_name(), about = option->get_description();
    return fmt::format("{} needs {}{}: {}; found none; {}", call_, name, type.empty() ? "" : " " + type,
                       about.substr(0, std::min(about.find(';'), about.find(" ("))), see());
  }

  /// CLI11 has one error for an option without a value, with too many, and for a flag with one.
  std::string mismatch(const std::string& what) const {
    const std::string name = before(what, ":");
    if (what.ends_with("missing")) return fmt::format("{} needs a value; found none; {}", name, see());
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (option && option->get_items_expected_max() > 0)
      return fmt::format("{} is given more than once; give it once", name);
    return fmt::format("--{} takes no value; leave out what stands after '='",
                       without_dashes(before(what, " ")));
  }

  std::string extra(const std::string& word) const {
    std::vector<std::string> arguments;
    for (const CLI::Option* option : command_.get_options())
      if (option->get_positional()) arguments.push_back(option->get_name(true));
    return fmt::format(
        "{} takes {}; found {} as well; put commas between the names of a list, or {}", call_,
        arguments.empty() ? "no argument" : fmt::format("{} only", fmt::join(arguments, " and ")),
        shown(word), see());
  }

  /// A text of ours, from a check of one option or of several.
  std::string refused(std::string what) const {
    if (const size_t at = what.find(": needs "); at != what.npos) what.erase(at, 1);
    return what.ends_with('?') ? what : fmt::format("{}; {}", what, see());
  }

 private:
  const CLI::App& app_;
  const CLI::App& command_;
  std::string call_;
};

std::string no_command(const CLI::App& app, const char* first) {
  if (!first) return "a command is needed; see kedge --help";
  if (is_flag(first)) return Usage(app, app).unknown_flag(first);
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("there is no command {}; {}", shown(first),
                     did_you_mean(first, names, "see kedge --help"));
}

}  // namespace

std::string usage_fault(const CLI::App& app, const CLI::ParseError& error, const char* first) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return no_command(app, first);
  const Usage usage(app, *chosen.front());
  const std::string what = error.what();
  // Not by its name: that of unexpected words is the command's.
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const std::vector<std::string> extras = app.remaining(true);
  const auto unknown = std::find_if(extras.begin(), extras.end(), is_flag);
  // A flag that is mistyped is often the one that is missing.
  if ((kind == CLI::ExitCodes::RequiredError || kind == CLI::ExitCodes::ExtrasError) &&
      unknown != extras.end())
    return usage.unknown_flag(*unknown);
  if (kind == CLI::ExitCodes::RequiredError) return usage.missing(before(what, " is required"));
  if (kind == CLI::ExitCodes::ArgumentMismatch) return usage.mismatch(what);
  if (kind == CLI::ExitCodes::ExtrasError && !extras.empty()) return usage.extra(extras.front());
  if (kind == CLI::ExitCodes::ExcludesError) {
    const std::string name = before(what, " excludes ");
    return fmt::format(
        "{} and {} do not go together; give one of them", name,
        what.substr(std::min(what.size(), name.size() + std::string_view(" excludes ").size())));
  }
  return usage.refused(what);
}

}  // namespace kedge
