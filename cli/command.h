#pragma once

// Command: a subcommand with its options, its help and what it runs. A thin face of CLI11, whose header takes
// longer to compile than any of our files: only command.cpp, usage.cpp and main.cpp include it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kedge {

/// What is wrong with a value; empty when nothing is.
using Check = std::function<std::string(const std::string& value)>;

/// Values that options are known to take.
using KnownValues = std::map<const CLI::Option*, std::vector<std::string>>;

/// An option, flag or argument of a command; each function says more of it.
class Option {
 public:
  Option(CLI::Option* option, std::shared_ptr<KnownValues> known)
      : option_(option), known_(std::move(known)) {}

  Option type_name(const std::string& name) const;
  Option group(const std::string& name) const;
  Option required() const;
  Option check(const Check& check) const;
  Option excludes(const Option& other) const;
  /// One word holds all values, with commas between.
  Option comma_separated() const;
  /// May be given several times, with one value each.
  Option repeated() const;
  /// Values that a shell may complete a word to; others may be right too. Those that the type names, as in
  /// "on|off", need not be told.
  Option suggests(const std::vector<std::string>& values) const;

 private:
  Option with(CLI::Option* option) const { return {option, known_}; }

  CLI::Option* option_;
  std::shared_ptr<KnownValues> known_;
};

/// What is known of an option, flag or argument, for texts other than the help.
struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for an argument
  std::string argument;            ///< name of an argument, as "TRAIN"
  std::string type;                ///< of the value, as "FILE" or "on|off"; empty for flags and arguments
  std::string about, group;
  bool is_required = false;
  bool is_list = false;             ///< an argument that may be given several times
  std::vector<std::string> values;  ///< that it is known to take
};

struct CommandText {
  std::string name, about, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app), known_(std::make_shared<KnownValues>()) {}

  Command add_subcommand(const std::string& name, const std::string& about) const;
  void footer(const std::string& text) const;
  /// `to` gets the value when there is one: a string, a number, an optional number, or a vector of these.
  template <class To>
  Option add_option(const std::string& names, To& to, const std::string& about) const;
  Option add_flag(const std::string& names, bool& to, const std::string& about) const;
  /// What the command does once all options have their values.
  void callback(const std::function<void()>& run) const;
  /// Leaves the command out of help and of text().
  void hide() const;

  /// The command and those below it, as they are declared by now.
  CommandText text() const;

 private:
  Command(CLI::App* app, std::shared_ptr<KnownValues> known) : app_(app), known_(std::move(known)) {}

  CLI::App* app_;
  std::shared_ptr<KnownValues> known_;
};

/// For a callback that finds options which do not go together.
[[noreturn]] void wrong_usage(const std::string& what);

}  // namespace kedge
