#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace kedge {

Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::group(const std::string& name) const { return Option(option_->group(name)); }
Option Option::required() const { return Option(option_->required()); }
Option Option::check(const Check& check) const { return Option(option_->check(check)); }
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::comma_separated() const { return Option(option_->delimiter(',')->allow_extra_args(false)); }

Command Command::add_subcommand(const std::string& name, const std::string& about) const {
  return Command(app_->add_subcommand(name, about));
}

void Command::footer(const std::string& text) const { app_->footer(text); }

template <class To>
Option Command::add_option(const std::string& names, To& to, const std::string& about) const {
  return Option(app_->add_option(names, to, about));
}

Option Command::add_flag(const std::string& names, bool& to, const std::string& about) const {
  return Option(app_->add_flag(names, to, about));
}

void Command::callback(const std::function<void()>& run) const { app_->callback(run); }

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
