// The kedge program: finds the subcommand and turns every failure into one line and an exit code:
// 0 done, 1 a clear error, 2 wrong usage.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/ranks.h"
#include "cli/usage.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/jobs/numerics.h"
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

/// Who says what is wrong. every: this process, whatever the others say. first: of ranks that work together,
/// and so find the same fault, the first.
enum class Speaker { every, first };

Speaker speaker_of(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  return command == "reproduce" || command == "sweep" || command == "predict" ? Speaker::first
                                                                              : Speaker::every;
}

int report(const std::string& what, ExitCode code, Speaker speaker) {
  if (speaker == Speaker::first && kedge::started_by_mpi().rank > 0) return code;
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

/// `kedge help fit` is `kedge fit --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.insert(words.begin() + (words.empty() || words[0].starts_with('-') ? 0 : 1), "--help");
  return words;
}

int parse_and_run(CLI::App& app, const std::vector<std::string>& words, Speaker speaker) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return done;
  } catch (const CLI::ParseError& error) {
    // The help of the program would hide that there is no such command.
    const bool is_lost = !words.empty() && !words[0].starts_with('-') && app.get_subcommands().empty();
    if (error.get_exit_code() != 0 || is_lost)
      return report(kedge::usage_fault(app, error, words.empty() ? nullptr : words[0].c_str()), wrong_usage,
                    speaker);
    std::ostringstream help;
    app.exit(error, help, help);
    kedge::print(help.str());
    return done;
  }
}

std::string version_text() { return "kedge " + kedge::version() + "\n" + kedge::numerics_of("cpu"); }

int run(int argc, char** argv) {
  const Speaker speaker = speaker_of(argc, argv);
  try {
    CLI::App app{description, "kedge"};
    app.set_version_flag("--version", version_text, "Print version and numerics, and end");
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
    kedge::add_sweep(commands);
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
    kedge::add_merge_jobs(commands);
    kedge::add_report(commands);
    kedge::add_completion(commands);
    kedge::add_help(commands);
    for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
    kedge::add_man(commands);
    return parse_and_run(app, words_of(argc, argv), speaker);
  } catch (const kedge::ReaderGone&) {
    return done;
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory for this", failed, speaker);
  } catch (const kedge::LoneRank& error) {
    return report(kedge::message_of(error), failed, Speaker::every);
  } catch (const kedge::Error& error) {
    return report(kedge::message_of(error) + flags_text(error.option()), failed, speaker);
  } catch (const std::exception& error) {
    return report(error.what(), failed, speaker);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that leaves, or a file that may grow no more, is an error of one write, not the end of a long
  // fit.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Fleets that train side by side on a device need a queue each; CUDA makes eight unless it is told.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  return run(argc, argv);
}
