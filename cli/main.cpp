// The kedge program: finds the subcommand and turns every failure into one line and an exit code:
// 0 done, 1 a clear error, 2 wrong usage.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"

namespace {

constexpr size_t help_columns = 80, option_columns = 26;

/// CLI11's help, its lines broken to fit and its parts one blank line apart.
struct Help : CLI::Formatter {
  std::string make_option_desc(const CLI::Option* option) const override {
    return kedge::wrapped(CLI::Formatter::make_option_desc(option), help_columns - option_columns);
  }
  std::string make_description(const CLI::App* app) const override {
    return CLI::Formatter::make_description(app) + "\n";
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n")) text.erase(at, 1);
    return text;
  }
};

enum ExitCode { done = 0, failed = 1, wrong_usage = 2 };

constexpr const char* description =
    "kedge predicts beyond the data. It fits a table of numbers and answers for rows\n"
    "outside the range it has seen: not from the query alone, but from a training row\n"
    "that it knows (the anchor) and a difference of a kind that it has seen. Each\n"
    "answer names the rows that justify it.";

constexpr const char* examples =
    "Examples:\n"
    "  kedge fit train.csv --target y -o model.kedge\n"
    "  kedge predict model.kedge queries.csv -o answers.csv\n"
    "\n"
    "'kedge fit --help' explains a command; 'kedge demo' shows in a minute or two\n"
    "what kedge is good for.";

int report(const std::string& what, ExitCode code) {
  std::fputs(fmt::format("kedge: {}\n", kedge::one_line(what)).c_str(), stderr);
  return code;
}

/// The options that mend a fault as flags. Several have commas between, a value follows its option: "missing
/// impute,missing drop" gives " (--missing impute, --missing drop)".
std::string flags_text(const std::string& options) {
  if (options.empty()) return "";
  std::string text = " (--";
  for (char c : options) text += c == ',' ? std::string(", --") : std::string(1, c);
  return text + ")";
}

int report_usage(const CLI::App& app, std::string what, const char* first) {
  std::string command = "kedge";
  for (const CLI::App* chosen : app.get_subcommands()) command += " " + chosen->get_name();
  if (app.get_subcommands().empty())
    what = first ? fmt::format("there is no command '{}'", first) : "a command is needed";
  return report(fmt::format("{}; see {} --help", what, command), wrong_usage);
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return done;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_usage(app, error.what(), argv[1]);
    std::ostringstream help;
    app.exit(error, help, help);
    kedge::print(help.str());
    return done;
  }
}

int run(int argc, char** argv) {
  try {
    CLI::App app{description, "kedge"};
    app.set_version_flag("--version", "kedge " + kedge::version(), "Print the version and end");
    app.set_help_flag("-h,--help", "Print this help and end");
    const auto help = std::make_shared<Help>();
    help->column_width(option_columns);
    help->label("REQUIRED", "(required)");
    help->label("SUBCOMMAND", "COMMAND");
    help->label("Positionals", "Arguments");
    app.formatter(help);
    app.footer(examples);
    app.require_subcommand(1);
    const kedge::Command commands(&app);
    kedge::add_fit(commands);
    kedge::add_cv(commands);
    kedge::add_predict(commands);
    kedge::add_diagnose(commands);
    kedge::add_info(commands);
    kedge::add_list(commands);
    kedge::add_sample(commands);
    kedge::add_collect(commands);
    kedge::add_imitate(commands);
    kedge::add_rollout(commands);
    kedge::add_expert(commands);
    kedge::add_demo(commands);
    kedge::add_reproduce(commands);
    kedge::add_report(commands);
    for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
    return parse_and_run(app, argc, argv);
  } catch (const kedge::ReaderGone&) {
    return done;
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory for this", failed);
  } catch (const kedge::Error& error) {
    return report(error.what() + flags_text(error.option()), failed);
  } catch (const std::exception& error) {
    return report(error.what(), failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that leaves, or a file that may grow no more, is an error of one write, not the end of a long
  // fit.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return run(argc, argv);
}
