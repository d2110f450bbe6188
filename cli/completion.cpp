#include "cli/completion.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "kedge/core/format.h"

namespace kedge {
namespace {

/// Whether a value is a path: the types and arguments that name files or folders.
bool takes_path(const OptionText& option) {
  constexpr std::array<std::string_view, 8> paths = {"FILE",    "DIR",   "MODEL",   "POLICY",
                                                     "QUERIES", "TRAIN", "RESULTS", "DEMOS"};
  const std::string& type = option.names.empty() ? option.argument : option.type;
  return std::any_of(paths.begin(), paths.end(), [&](std::string_view path) {
    return type == path || type.ends_with("|" + std::string(path));
  });
}

bool takes_value(const OptionText& option) { return !option.type.empty(); }

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> flags_of(const CommandText& command) {
  std::vector<std::string> flags;
  for (const OptionText& option : command.options)
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  return flags;
}

std::vector<std::string> names_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return names;
}

/// The text with a backslash before each of these characters.
std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (char c : text) result += (special.find(c) == special.npos ? "" : "\\") + std::string(1, c);
  return result;
}

/// The text in single quotes, as bash and zsh take it.
std::string in_quotes(const std::string& text) {
  std::string result;
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + result + "'";
}

/// The same as fish takes it.
std::string in_fish_quotes(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string bash_case(const CommandText& command) {
  std::string values;
  std::vector<std::string> arguments, others;  // values of arguments; options whose values are not known
  for (const OptionText& option : command.options) {
    if (option.names.empty()) arguments.insert(arguments.end(), option.values.begin(), option.values.end());
    if (option.names.empty() || !takes_value(option)) continue;
    if (option.values.empty() && !takes_path(option)) {
      others.insert(others.end(), option.names.begin(), option.names.end());
      continue;
    }
    values += fmt::format("        {}) values={}; files={}; return ;;\n", joined(option.names, "|"),
                          in_quotes(joined(option.values)), takes_path(option) ? "yes" : "no");
  }
  if (!others.empty()) values += fmt::format("        {}) return ;;\n", joined(others, "|"));
  return fmt::format(
      "    {})\n"
      "      case $2 in\n{}      esac\n"
      "      flags={}\n"
      "      values={} files=yes ;;\n",
      command.name, values, in_quotes(joined(flags_of(command))), in_quotes(joined(arguments)));
}

std::string bash_script(const CommandText& program) {
  std::string cases;
  for (const CommandText& command : program.commands) cases += bash_case(command);
  return fmt::format(R"(# Completion of {0} for bash: source this file, or put it where bash-completion looks.

# Sets what may follow the word $2 in the command $1.
_{0}_known() {{
  flags='' values='' files=no
  case $1 in
{1}  esac
}}

_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags values files
  # Bash takes the = of --flag=value for a word of its own.
  if [ "$word" = '=' ]; then
    word=''
  elif [ "$before" = '=' ]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {2} -- "$word"))
    return
  fi
  _{0}_known "${{COMP_WORDS[1]}}" "$before"
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$word")) ;;
  esac
  if [ "$files" = yes ] && [ "${{#COMPREPLY[@]}}" -eq 0 ]; then
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}

complete -F _{0} {0}
)",
                     program.name, cases,
                     in_quotes(joined(names_of(program.commands)) + " " + joined(flags_of(program))));
}

/// "FILE:_files", "on|off:(on off)": what zsh calls a message and an action.
std::string zsh_value(const OptionText& option) {
  const std::string message = option.names.empty() ? option.argument : option.type;
  const std::string values = option.values.empty() ? "" : "(" + joined(option.values) + ")";
  return fmt::format(":{}:{}", message, takes_path(option) ? "_files" : values.empty() ? " " : values);
}

std::string zsh_option(const OptionText& option) {
  if (option.names.empty()) return in_quotes((option.is_list ? "*" : "") + zsh_value(option));
  const std::string text =
      fmt::format("[{}]{}", escaped(option.about, "[]:\\"), takes_value(option) ? zsh_value(option) : "");
  if (option.names.size() == 1) return in_quotes((option.is_list ? "*" : "") + option.names[0] + text);
  return fmt::format("'({})'{{{}}}{}", joined(option.names), joined(option.names, ","), in_quotes(text));
}

std::string zsh_script(const CommandText& program) {
  std::string commands, cases;
  for (const CommandText& command : program.commands) {
    commands += fmt::format("    {}\n", in_quotes(command.name + ":" + command.about));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionText& option : command.options)
      cases += fmt::format(" \\\n        {}", zsh_option(option));
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef {0}
# Completion of {0} for zsh: put this file, named _{0}, into a folder of $fpath.

_{0}() {{
  local -a commands
  commands=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{2}  esac
}}

if [ "$funcstack[1]" = _{0} ]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
                     program.name, commands, cases);
}

std::string fish_script(const CommandText& program) {
  std::string text = fmt::format(
      "# Completion of {0} for fish: put this file, named {0}.fish, where fish looks.\n", program.name);
  for (const CommandText& command : program.commands)
    text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program.name,
                        command.name, in_fish_quotes(command.about));
  for (const CommandText& command : program.commands) {
    const std::string start =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program.name, command.name);
    for (const OptionText& option : command.options) {
      const std::string values = option.values.empty() ? "" : " -a " + in_fish_quotes(joined(option.values));
      if (option.names.empty()) {
        if (!values.empty()) text += fmt::format("{} -f{}\n", start, values);
        continue;
      }
      text += start;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (takes_value(option)) text += (takes_path(option) ? " -r" : " -x") + values;
      text += " -d " + in_fish_quotes(option.about) + "\n";
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& completed_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CommandText& program, const std::string& shell) {
  assert(std::count(completed_shells().begin(), completed_shells().end(), shell) == 1);
  return shell == "bash" ? bash_script(program) : shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace kedge
