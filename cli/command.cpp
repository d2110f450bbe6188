#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <sstream>
#include <type_traits>
#include <vector>

#include "cli/checks.h"

namespace kedge {
namespace {

/// The words of "on|off|FILE" that stand for themselves.
std::vector<std::string> words_of(const std::string& type) {
  std::vector<std::string> words;
  std::istringstream parts(type);
  for (std::string word; type.find('|') != type.npos && std::getline(parts, word, '|');)
    if (!word.empty() && word[0] >= 'a' && word[0] <= 'z') words.push_back(word);
  return words;
}

OptionText text_of(const CLI::Option& option, const KnownValues& known) {
  OptionText text{.names = {},
                  .argument = option.get_positional() ? option.get_name(true) : "",
                  .type = option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
                  .about = option.get_description(),
                  .group = option.get_group(),
                  .is_required = option.get_required(),
                  .is_list = option.get_items_expected_max() > 1,
                  .values = words_of(option.get_type_name())};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (const auto found = known.find(&option); found != known.end())
    text.values.insert(text.values.end(), found->second.begin(), found->second.end());
  return text;
}

CommandText text_of(const CLI::App& app, const KnownValues& known) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) text.options.push_back(text_of(*option, known));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) text.commands.push_back(text_of(*command, known));
  return text;
}

}  // namespace

Option Option::type_name(const std::string& name) const { return with(option_->type_name(name)); }
Option Option::group(const std::string& name) const { return with(option_->group(name)); }
Option Option::required() const { return with(option_->required()); }
Option Option::check(const Check& check) const { return with(option_->check(check)); }
Option Option::excludes(const Option& other) const { return with(option_->excludes(other.option_)); }
Option Option::comma_separated() const { return with(option_->delimiter(',')->allow_extra_args(false)); }

Option Option::repeated() const { return with(option_->allow_extra_args(false)); }

Option Option::suggests(const std::vector<std::string>& values) const {
  (*known_)[option_] = values;
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& about) const {
  return {app_->add_subcommand(name, about), known_};
}

void Command::footer(const std::string& text) const { app_->footer(text); }

template <class To>
Option Command::add_option(const std::string& names, To& to, const std::string& about) const {
  CLI::Option* option = app_->add_option(names, to, about);
  if constexpr (std::is_same_v<To, double> || std::is_same_v<To, std::optional<double>>)
    option->check(number);
  return {option, known_};
}

Option Command::add_flag(const std::string& names, bool& to, const std::string& about) const {
  return {app_->add_flag(names, to, about)->disable_flag_override(), known_};
}

void Command::callback(const std::function<void()>& run) const { app_->callback(run); }

void Command::hide() const { app_->group(""); }

CommandText Command::text() const { return text_of(*app_, *known_); }

void wrong_usage(const std::string& what) { throw CLI::ValidationError(what); }

#define KEDGE_OPTION(...) \
  template Option Command::add_option(const std::string&, __VA_ARGS__&, const std::string&) const
KEDGE_OPTION(std::string);
KEDGE_OPTION(int);
KEDGE_OPTION(uint64_t);
KEDGE_OPTION(double);
KEDGE_OPTION(std::optional<int>);
KEDGE_OPTION(std::optional<uint64_t>);
KEDGE_OPTION(std::optional<double>);
KEDGE_OPTION(std::vector<std::string>);
KEDGE_OPTION(std::vector<int>);
#undef KEDGE_OPTION

}  // namespace kedge
