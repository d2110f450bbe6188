#pragma once

// Command: a subcommand with its options, its help and what it runs. A thin face of CLI11, whose header takes
// longer to compile than any of our files: only command.cpp and main.cpp include it.

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kedge {

/// What is wrong with a value; empty when nothing is.
using Check = std::function<std::string(const std::string& value)>;

/// An option, flag or argument of a command; each function says more of it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option type_name(const std::string& name) const;
  Option group(const std::string& name) const;
  Option required() const;
  Option check(const Check& check) const;
  Option excludes(Option other) const;
  /// One word holds all values, with commas between.
  Option comma_separated() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& about) const;
  void footer(const std::string& text) const;
  /// `to` gets the value when there is one: a string, a number, an optional number, or a vector of these.
  template <class To>
  Option add_option(const std::string& names, To& to, const std::string& about) const;
  Option add_flag(const std::string& names, bool& to, const std::string& about) const;
  /// What the command does once all options have their values.
  void callback(const std::function<void()>& run) const;

 private:
  CLI::App* app_;
};

/// For a callback that finds options which do not go together.
[[noreturn]] void wrong_usage(const std::string& what);

}  // namespace kedge
