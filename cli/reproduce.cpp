#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/result_page.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/experiments/experiment.h"

namespace kedge {
namespace {

constexpr const char *full_folder = "results", *quick_folder = "out/quick";

struct ReproduceFlags {
  std::vector<std::string> ids;
  std::string output, jobs = "out/jobs";
  std::vector<int> widths;
  int threads = 0;
  bool list = false, all = false, quick = false, quiet = false;
};

std::string list_text() {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Experiment& experiment : all_experiments()) lines.emplace_back(experiment.id, experiment.title);
  return fact_lines(lines);
}

std::vector<const Experiment*> chosen(const ReproduceFlags& flags) {
  std::vector<const Experiment*> experiments;
  if (flags.all)
    for (const Experiment& experiment : all_experiments()) experiments.push_back(&experiment);
  for (const std::string& id : flags.ids) experiments.push_back(&find_experiment(id));
  return experiments;
}

Extent extent_of(const ReproduceFlags& flags, const std::vector<const Experiment*>& experiments) {
  Extent extent{.quick = flags.quick};
  if (flags.widths.empty()) return extent;
  if (std::none_of(experiments.begin(), experiments.end(),
                   [](const Experiment* e) { return e->over_widths; }))
    throw Error("reproduce", fmt::format("--widths is for searches over sizes; {} is none; leave it out",
                                         experiments.front()->id));
  const std::set<int> widths(flags.widths.begin(), flags.widths.end());
  extent.widths.assign(widths.begin(), widths.end());
  return extent;
}

void run(const ReproduceFlags& flags) {
  if (flags.list) return print(list_text());
  const std::vector<const Experiment*> experiments = chosen(flags);
  if (experiments.empty()) wrong_usage("needs the id of a table or figure, or --all; --list names them");
  const Extent extent = extent_of(flags, experiments);
  const std::string folder = !flags.output.empty() ? flags.output : flags.quick ? quick_folder : full_folder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("reproduce",
                fmt::format("--output needs a folder; {} cannot be made: {}", folder, failed.message()));
  const auto file_of = [&](const Experiment& experiment) {
    return fmt::format("{}/{}.json", folder, experiment.id);
  };
  for (const Experiment* experiment : experiments) check_output(file_of(*experiment), {});
  for (const Experiment* experiment : experiments) {
    const auto start = std::chrono::steady_clock::now();
    const Interrupt interrupt;
    const size_t count = experiment->jobs(extent).size();
    ProgressBar bar(
        experiment->id, count,
        {.surface = flags.quiet || count == 0 ? ProgressSurface::hidden : ProgressSurface::detect});
    const JobWatch watch{
        .progress = [&](size_t done, size_t) { bar.update(done, std::numeric_limits<double>::quiet_NaN()); },
        .stopped = [&] { return interrupt.requested(); }};
    const Result result = reproduce(*experiment, extent, flags.jobs, flags.threads, watch);
    bar.clear();
    const std::string file = file_of(*experiment);
    write_result(file, [&](std::ostream& out) { out << to_json(result); });
    if (flags.quiet) continue;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    print(wrapped(fmt::format("{}: {}", result.id, result.title)) + "\n\n");
    for (const TextTable& table : narrow_tables_of(result)) {
      print_table(table);
      print("\n");
    }
    for (const std::string& note : result.notes) print(wrapped(note) + "\n");
    print(fmt::format("{} in {:.0f} s\n\n", file, taken.count()));
  }
}

}  // namespace

void add_reproduce(const Command& app) {
  const auto flags = std::make_shared<ReproduceFlags>();
  const Command sub = app.add_subcommand("reproduce", "Make the paper's tables and figures again, and ours");
  sub.footer(
      "Writes one JSON file for each id; 'kedge report' makes a page of them. Every fit\n"
      "is a job whose result is kept in a file: a run that was stopped goes on where it\n"
      "was, and a second run is instant (after a change of the program, remove that\n"
      "folder).\n"
      "\n"
      "Examples:\n"
      "  kedge reproduce --list\n"
      "  kedge reproduce table-scaled --quick\n"
      "  kedge reproduce table-scaled --widths 32,512\n"
      "  kedge reproduce --all --quick && kedge report out/quick -o report.html\n"
      "  kedge reproduce --all && kedge report results -o report.html");
  std::vector<std::string> ids;
  for (const Experiment& experiment : all_experiments()) ids.push_back(experiment.id);
  sub.add_option("IDS", flags->ids, "Tables and figures to make").type_name("").suggests(ids);
  sub.add_flag("--list", flags->list, "Name what can be made, and end");
  sub.add_flag("--all", flags->all, "Make all of them");
  Option quick =
      sub.add_flag("--quick", flags->quick, "One size, one seed, few steps: minutes instead of hours");
  sub.add_option("--widths", flags->widths,
                 "Widths of networks that searches over sizes take (default: 32; the paper's: 32,512,1024)")
      .type_name("N,...")
      .comma_separated()
      .check(whole_number(1, 4096))
      .excludes(quick);
  sub.add_option("-o,--output", flags->output,
                 fmt::format("Folder to write <id>.json into (default: {}, or {} with --quick)", full_folder,
                             quick_folder))
      .type_name("DIR");
  sub.add_option("--jobs", flags->jobs, "Folder to keep the results of fits in (default: out/jobs)")
      .type_name("DIR");
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_flag("--quiet", flags->quiet, "Print nothing but errors");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
