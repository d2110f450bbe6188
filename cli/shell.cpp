// The commands that tell the rest of a system about kedge: completion scripts and manual pages.

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

void write_manual(const CommandText& program, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("man",
                fmt::format("needs a folder; {} cannot be made: {}; name another", folder, failed.message()));
  for (const auto& [name, page] : manual_pages(program))
    write_result(fmt::format("{}/{}", folder, name), [&](std::ostream& out) { out << page; });
}

}  // namespace

void add_completion(const Command& app) {
  const auto shell = std::make_shared<std::string>();
  const Command sub = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  sub.footer(
      "Where kedge was installed as a package, the scripts are in their places.\n"
      "\n"
      "Examples:\n"
      "  source <(kedge completion bash)\n"
      "  kedge completion zsh > ~/.zfunc/_kedge\n"
      "  kedge completion fish > ~/.config/fish/completions/kedge.fish");
  sub.add_option("SHELL", *shell, fmt::format("{}", fmt::join(completed_shells(), ", ")))
      .type_name("")
      .required()
      .suggests(completed_shells())
      .check(one_of(completed_shells()));
  sub.callback([app, shell] { print(completion_script(app.text(), *shell)); });
}

void add_help(const Command& app) {
  std::vector<std::string> names;
  for (const CommandText& command : app.text().commands) names.push_back(command.name);
  const auto name = std::make_shared<std::string>();
  const Command sub = app.add_subcommand("help", "Explain a command, as its --help does");
  sub.add_option("COMMAND", *name, "Command to explain; the program without it")
      .type_name("")
      .suggests(names);
  sub.callback([name] {});
}

void add_man(const Command& app) {
  const auto folder = std::make_shared<std::string>();
  const Command sub = app.add_subcommand("man", "Write the manual pages into a folder");
  sub.add_option("DIR", *folder, "Folder to write kedge.1 and a page of each command into")
      .type_name("")
      .required();
  sub.hide();
  sub.callback([app, folder] { write_manual(app.text(), *folder); });
}

}  // namespace kedge
