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
#include "cli/prose.h"
#include "cli/ranks.h"
#include "cli/reproduce_plan.h"
#include "cli/result_page.h"
#include "cli/shard_flag.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/experiments/experiment.h"
#include "kedge/jobs/job_store.h"

namespace kedge {
namespace {

constexpr const char *full_folder = "results", *quick_folder = "out/quick", *default_jobs = "out/jobs";

struct ReproduceFlags {
  std::vector<std::string> ids;
  std::string output, jobs = default_jobs;
  ShardFlag shard;
  size_t assemble = 0;
  std::vector<int> widths;
  int threads = 0;
  std::string device = "cpu";
  bool list = false, all = false, quick = false, full = false, plan = false, quiet = false;
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
  for (const std::string& id : flags.ids)
    if (const Experiment* named = &find_experiment(id);
        std::find(experiments.begin(), experiments.end(), named) == experiments.end())
      experiments.push_back(named);
  return experiments;
}

Extent extent_of(const ReproduceFlags& flags, const std::vector<const Experiment*>& experiments) {
  Extent extent{.quick = flags.quick,
                .full = flags.full,
                .demonstrations = std::make_shared<DemonstrationStore>(flags.threads)};
  if (flags.widths.empty()) return extent;
  if (std::none_of(experiments.begin(), experiments.end(),
                   [](const Experiment* e) { return e->over_widths; }))
    throw Error("reproduce", fmt::format("--widths is for searches over sizes; {} is none; leave it out",
                                         experiments.front()->id));
  const std::set<int> widths(flags.widths.begin(), flags.widths.end());
  extent.widths.assign(widths.begin(), widths.end());
  return extent;
}

std::string folder_of(const ReproduceFlags& flags) {
  const std::string folder = !flags.output.empty() ? flags.output : flags.quick ? quick_folder : full_folder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("reproduce",
                fmt::format("--output needs a folder; {} cannot be made: {}", folder, failed.message()));
  return folder;
}

void print_result(const Result& result, const std::string& file) {
  print(wrapped(fmt::format("{}: {}", result.id, result.title)) + "\n\n");
  for (const TextTable& table : narrow_tables_of(result)) {
    print_table(table);
    print("\n");
  }
  for (const std::string& note : result.notes) print(wrapped(note) + "\n");
  print(file + "\n\n");
}

/// "12.3 core seconds", and of a device too where it took any.
std::string spent_text(const Spent& spent) {
  std::string text = fmt::format("{:.1f} core seconds", spent.core);
  if (spent.device > 0) text += fmt::format(", {:.1f} seconds of the device", spent.device);
  return text;
}

/// What each experiment took. One that asks for nothing new takes nothing.
void print_parts(const Reproduction& done, double seconds) {
  Spent all;
  for (const ReproducedPart& part : done.parts) {
    all.core += part.spent.core;
    all.device += part.spent.device;
  }
  TextTable table{.columns = {{"experiment"}, {"jobs", Align::right}, {"core seconds", Align::right}}};
  if (all.device > 0) table.columns.push_back({"device seconds", Align::right});
  for (const ReproducedPart& part : done.parts) {
    std::vector<TextCell>& row = table.rows.emplace_back();
    row = {part.id + (part.is_made ? "" : " (not made)"), std::to_string(part.jobs),
           fmt::format("{:.1f}", part.spent.core)};
    if (all.device > 0) row.emplace_back(fmt::format("{:.1f}", part.spent.device));
  }
  if (done.parts.size() > 1) {
    table.caption = "A job that several ask for counts for the first of them.";
    print_table(table);
  }
  print(fmt::format("{}, {}, in {:.1f} s\n", counted(done.run.own, "job", "jobs"), spent_text(all), seconds));
}

/// The command of one shard, as a shell takes it.
std::string shard_command(const ReproduceFlags& flags, const Shard& shard) {
  std::string command = "kedge reproduce";
  for (const std::string& id : flags.ids) command += " " + id;
  if (flags.all) command += " --all";
  if (flags.quick) command += " --quick";
  if (flags.full) command += " --full";
  if (flags.device != ReproduceFlags().device) command += " --device " + flags.device;
  if (!flags.widths.empty()) command += fmt::format(" --widths {}", fmt::join(flags.widths, ","));
  if (flags.jobs != default_jobs) command += " --jobs " + quoted(flags.jobs);
  if (!flags.output.empty()) command += " -o " + quoted(flags.output);
  return shard.count == 1 ? command : fmt::format("{} --shard {}", command, to_text(shard));
}

/// "1-3, 7", of numbers in their order.
std::string ranges_text(const std::vector<size_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

/// What --assemble could not find is an error; a shard that waits for others has done what it was asked for.
void tell_missing(const ReproduceFlags& flags, const JobRun& run) {
  if (flags.assemble == 0) {
    if (!flags.quiet && run.shard.count > 1) print(to_text(run) + "\n");
    return;
  }
  if (run.is_whole()) return;
  size_t jobs = 0;
  std::vector<size_t> shards;
  for (const auto& [shard, missing] : run.missing) {
    jobs += missing;
    shards.push_back(shard);
  }
  const std::string others = others_in(flags.jobs);
  std::string owing = run.shard.count == 1 ? "" : fmt::format(", of shard {}", shards.front());
  if (shards.size() > 1) owing = fmt::format(", of shards {}", ranges_text(shards));
  throw Error(
      "reproduce",
      fmt::format(
          "needs the results of {} jobs; {} are missing{}{}; make them with {}{}", run.results.size(), jobs,
          owing,
          others.empty() ? "" : fmt::format(" (the folder has results of {}, which do not count)", others),
          shard_command(flags, {shards.front(), run.shard.count}), shards.size() > 1 ? ", and so on" : ""));
}

/// Before hours of work: results that somebody may expect to be taken.
void tell_others(const std::string& folder) {
  const std::string others = others_in(folder);
  if (!others.empty())
    print(wrapped(fmt::format("{} has results of {}; they do not count here and are made again.",
                              one_line(folder), others)) +
          "\n");
}

/// Where networks are trained. Who only assembles needs no device: that of the folder's results counts.
UsedDevice device_of(const ReproduceFlags& flags) {
  const Device asked = *value_named<Device>(flags.device);
  if (flags.assemble > 0 && asked == Device::cuda)
    if (std::string name = cuda_device_in(flags.jobs); !name.empty()) return {Device::cuda, std::move(name)};
  return device_for(asked, {});
}

/// A rank that waits for work has to be told before rank 0 ends: whatever may fail goes before they meet.
void run(const ReproduceFlags& flags) {
  if (flags.list) return print(list_text());
  const std::vector<const Experiment*> experiments = chosen(flags);
  if (experiments.empty()) wrong_usage("needs the id of a table or figure, or --all; --list names them");
  const Extent extent = extent_of(flags, experiments);
  if (flags.plan) return print_plan(experiments, extent);
  const UsedDevice device = device_of(flags);
  const bool is_first = started_by_mpi().rank == 0, prints = is_first && !flags.quiet;
  const std::string folder = is_first ? folder_of(flags) : "";
  const auto file_of = [&](const std::string& id) { return fmt::format("{}/{}.json", folder, id); };
  if (is_first)
    for (const Experiment* experiment : experiments) check_output(file_of(experiment->id), {});
  if (prints && flags.assemble == 0) tell_others(flags.jobs);
  const auto start = std::chrono::steady_clock::now();
  const Interrupt interrupt;
  ProgressBar bar(experiments.size() == 1 ? experiments[0]->id : "reproduce", 0,
                  {.surface = prints ? ProgressSurface::detect : ProgressSurface::hidden});
  const JobWatch watch{
      .progress = [&](size_t done,
                      size_t total) { bar.update(done, total, std::numeric_limits<double>::quiet_NaN()); },
      .stopped = [&] { return interrupt.requested(); }};
  const std::unique_ptr<Ranks> ranks = join_ranks();
  const JobOptions options{.folder = flags.jobs,
                           .threads = threads_of_rank(ranks.get(), flags.threads),
                           .device = device,
                           .shard = flags.assemble > 0 ? Shard{1, flags.assemble} : flags.shard.shard(),
                           .only_kept = flags.assemble > 0,
                           .ranks = ranks.get()};
  const Reproduction done = reproduce(experiments, extent, options, watch, [&](const Result& result) {
    const std::string file = file_of(result.id);
    write_result(file, [&](std::ostream& out) { out << to_json(result); });
    if (!prints) return;
    bar.wipe();
    print_result(result, file);
  });
  bar.clear();
  if (!is_first) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (prints) print_parts(done, taken.count());
  tell_missing(flags, done.run);
}

}  // namespace

void add_reproduce(const Command& app) {
  const auto flags = std::make_shared<ReproduceFlags>();
  const Command sub = app.add_subcommand("reproduce", "Make the paper's tables and figures again, and ours");
  sub.footer(
      "Writes one JSON file for each id; 'kedge report' makes a page of them. Every fit\n"
      "is a job whose result is kept in a file: a run that was stopped goes on where it\n"
      "was, and a second run is instant. Results of another numerics version ('kedge\n"
      "--version') do not count.\n"
      "Several machines share the work with --shard, in one folder of jobs or in\n"
      "folders that 'kedge merge-jobs' puts together, or as ranks of mpirun.\n"
      "\n"
      "Examples:\n"
      "  kedge reproduce --list\n"
      "  kedge reproduce table-scaled --quick\n"
      "  kedge reproduce table-scaled --widths 32,512\n"
      "  kedge reproduce --all --quick && kedge report out/quick -o report.html\n"
      "  kedge reproduce --all && kedge report results -o report.html\n"
      "  kedge reproduce --all --full --device cuda\n"
      "  kedge reproduce --all --shard 2/4\n"
      "  mpirun -n 4 kedge reproduce --all");
  std::vector<std::string> ids;
  for (const Experiment& experiment : all_experiments()) ids.push_back(experiment.id);
  sub.add_option("IDS", flags->ids, "Tables and figures to make").type_name("").suggests(ids);
  sub.add_flag("--list", flags->list, "Name what can be made, and end");
  sub.add_flag("--all", flags->all, "Make all of them");
  sub.add_flag("--plan", flags->plan, "Say how much there is to train and to simulate, and end");
  Option quick =
      sub.add_flag("--quick", flags->quick, "One size, one seed, few steps: minutes instead of hours");
  const Option full =
      sub.add_flag("--full", flags->full, "The paper's whole search: n = 32, 512 and 1024, three seeds");
  full.excludes(quick);
  sub.add_option("--widths", flags->widths,
                 "Widths of networks that searches over sizes take (default: 32, with --full 32,512,1024)")
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
  const Option shard = declare(sub, flags->shard);
  sub.add_option(
         "--assemble", flags->assemble,
         "Compute nothing: make results of what N shards have computed, and say which shards are missing")
      .type_name("N")
      .check(whole_number(1, most_shards))
      .excludes(shard);
  sub.add_option("--threads", flags->threads, "Threads to use (default: one for each core)")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_option(
         "--device", flags->device,
         "Where networks are trained: cpu or cuda; a device rounds in another way, so each has results "
         "of its own (default: cpu)")
      .type_name("cpu|cuda")
      .check(one_of({"cpu", "cuda"}));
  sub.add_flag("--quiet", flags->quiet, "Print nothing but errors");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
