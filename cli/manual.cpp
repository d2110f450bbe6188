#include "cli/manual.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "kedge/core/code_points.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

/// Text that groff shows as it is.
std::string plain(std::string_view text) {
  static const std::map<char32_t, const char*> special = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                          {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (const auto found = special.find(point.value); found != special.end())
      result += found->second;
    else if (point.value >= 0x80)
      result += fmt::format("\\[u{:04X}]", static_cast<unsigned>(point.value));
    else
      result += static_cast<char>(point.value);
    text.remove_prefix(point.bytes);
  }
  return result;
}

/// A line of its own, which never begins like a request.
std::string line(std::string_view text) {
  return (text.starts_with('.') || text.starts_with('\'') ? "\\&" : "") + plain(text) + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return text.empty() ? "" : "\\fI" + plain(text) + "\\fR"; }

struct Paragraph {
  std::vector<std::string> lines;
  /// Whether its lines stand as they are written: those with spaces before them do.
  bool is_laid_out = false;
};

/// Paragraphs of the help: what stands between blank lines, examples by themselves.
std::vector<Paragraph> paragraphs_of(const std::string& text) {
  std::vector<Paragraph> paragraphs(1);
  std::istringstream stream(text);
  for (std::string written; std::getline(stream, written);) {
    const bool laid_out = written.starts_with("  ");
    if (written.empty() || (!paragraphs.back().lines.empty() && laid_out != paragraphs.back().is_laid_out))
      paragraphs.emplace_back();
    if (written.empty()) continue;
    paragraphs.back().is_laid_out = laid_out;
    paragraphs.back().lines.push_back(written);
  }
  std::erase_if(paragraphs, [](const Paragraph& paragraph) { return paragraph.lines.empty(); });
  return paragraphs;
}

bool begins_examples(const Paragraph& paragraph) {
  return paragraph.lines[0] == "Examples:" || paragraph.lines[0] == "Example:";
}

/// Lines "  name   text" as a list; a line without a name goes on with the text before it.
std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& written : lines) {
    const size_t end = std::min(written.find("  ", 2), written.size());
    const size_t begin = std::min(written.find_first_not_of(' ', end), written.size());
    if (end > 2) text += ".TP\n" + bold(written.substr(2, end - 2)) + "\n";
    text += line(written.substr(begin));
  }
  return text;
}

/// `is_example` keeps the lines as they are written.
std::string to_groff(const Paragraph& paragraph, bool is_example) {
  if (paragraph.is_laid_out && !is_example) return list_of(paragraph.lines);
  std::string text = is_example ? ".nf\n" : "";
  for (const std::string& written : paragraph.lines)
    text += line(written.substr(is_example ? std::min(written.find_first_not_of(' '), size_t{2}) : 0));
  return text + (is_example ? ".fi\n" : "");
}

std::string synopsis(const std::string& call, const CommandText& command) {
  std::string text = bold(call);
  if (!command.commands.empty()) text += " " + italic("COMMAND");
  for (const OptionText& option : command.options) {
    if (option.names.empty())
      text += option.is_required ? " " + italic(option.argument) : " [" + italic(option.argument) + "]";
    else if (option.is_required)
      text += " " + bold(option.names[0]) + " " + italic(option.type);
  }
  return text + " [" + italic("OPTIONS") + "]\n";
}

std::string item(const OptionText& option) {
  std::string name;
  for (const std::string& flag : option.names) name += (name.empty() ? "" : ", ") + bold(flag);
  name += option.names.empty()  ? italic(option.argument)
          : option.type.empty() ? ""
                                : " " + italic(option.type);
  return ".TP\n" + name + "\n" + line(option.about + (option.is_required ? " (required)." : "."));
}

/// Options by group, in the order of the groups' first options; arguments first.
std::string options(const CommandText& command) {
  std::string arguments;
  std::vector<std::pair<std::string, std::string>> groups;
  for (const OptionText& option : command.options) {
    if (option.names.empty()) {
      arguments += item(option);
      continue;
    }
    const auto named = [&](const auto& group) { return group.first == option.group; };
    auto found = std::find_if(groups.begin(), groups.end(), named);
    if (found == groups.end()) found = groups.insert(groups.end(), {option.group, ""});
    found->second += item(option);
  }
  std::string text = arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments;
  text += ".SH OPTIONS\n";
  for (const auto& [name, items] : groups) text += (groups.size() > 1 ? ".SS " + name + "\n" : "") + items;
  return text;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string page_of(const std::string& name, const std::string& about, const std::string& call,
                    const CommandText& command) {
  std::string text =
      fmt::format(".\\\" Made by kedge man.\n.TH \"{}\" 1 \"\" \"kedge {}\" \"User Commands\"\n",
                  plain(upper(name)), version());
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", plain(name), plain(about),
                      synopsis(call, command));
  std::string description, examples;
  for (const Paragraph& paragraph : paragraphs_of(command.footer)) {
    if (begins_examples(paragraph))
      examples = ".SH EXAMPLES\n";
    else if (!examples.empty() && paragraph.is_laid_out)
      examples += to_groff(paragraph, true);
    else
      description += (paragraph.is_laid_out ? "" : ".PP\n") + to_groff(paragraph, false);
  }
  text += ".SH DESCRIPTION\n" + line(command.about + (command.about.ends_with('.') ? "" : ".")) + description;
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandText& sub : command.commands)
      text += ".TP\n" + bold(sub.name) + "\n" + line(sub.about + ".");
  }
  return text + options(command) + examples;
}

std::string lowered(std::string text) {
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z' && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n"
    "0 when all is done, 1 after an error, 2 after wrong usage.\n";

}  // namespace

std::vector<std::pair<std::string, std::string>> manual_pages(const CommandText& program) {
  std::string all;
  for (const CommandText& command : program.commands)
    all += fmt::format("{}.BR {} (1)", all.empty() ? "" : ",\n", plain(program.name + "-" + command.name));
  std::vector<std::pair<std::string, std::string>> pages;
  pages.emplace_back(program.name + ".1",
                     page_of(program.name, "predict beyond the data", program.name, program) + exit_status +
                         ".SH SEE ALSO\n" + all + "\n");
  for (const CommandText& command : program.commands) {
    const std::string name = program.name + "-" + command.name;
    pages.emplace_back(name + ".1",
                       page_of(name, lowered(command.about), program.name + " " + command.name, command) +
                           exit_status + ".SH SEE ALSO\n.BR " + program.name + " (1)\n");
  }
  return pages;
}

}  // namespace kedge
