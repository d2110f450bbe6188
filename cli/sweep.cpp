#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/hints.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/prose.h"
#include "cli/ranks.h"
#include "cli/sweep_page.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

constexpr size_t most_shown = 20;
// Whoever trains on a device mostly waits for it: so many rehearsals side by side fill it.
constexpr int rehearsals_on_device = 64;

/// What can be told of the flags alone.
void check_flags(const SweepFlags& flags) {
  if (flags.fit.json && flags.csv)
    throw Error("options", "--json and --csv both write to standard output; give one of them");
  const Device device = device_of(settings_of(flags.fit));
  if (device == Device::automatic)
    throw Error("options", "--device of a sweep needs cpu or cuda, one for all its fits; found auto");
  require_device(device);
  if (flags.folder == "-") throw Error("options", "-o needs a folder; found '-'; name one");
  if (flags.model == "-")
    throw Error("options", "--fit needs a file; found '-', which is standard output; name a file");
  if (!flags.model.empty() && flags.fit.train == "-")
    throw Error("options", "--fit reads the table again; found it on standard input; give a file");
  if (!flags.model.empty()) check_output(flags.model, {flags.fit.train});
  if (flags.fit.train == "-" && started_by_mpi().size > 1)
    throw Error("options", "every rank reads the table; found it on standard input; give a file");
}

void make_folder(const SweepFlags& flags) {
  std::error_code failed;
  std::filesystem::create_directories(flags.folder, failed);
  if (failed)
    throw Error("options",
                fmt::format("-o needs a folder; {} cannot be made: {}", flags.folder, failed.message()));
  for (const char* name : {"sweep.json", "sweep.csv", "sweep.html"})
    check_output(flags.file(name), {flags.fit.train});
}

std::string job_folder(const SweepFlags& flags) {
  return flags.jobs.empty() ? flags.file("jobs") : flags.jobs;
}

/// Where mpirun started several processes, what they compute together; only the first one gets it.
JobRun run_watched(const std::vector<Job>& jobs, const SweepFlags& flags) {
  const Interrupt interrupt;
  ProgressBar bar("sweep", 0,
                  {.surface = flags.fit.quiet ? ProgressSurface::hidden : ProgressSurface::detect,
                   .delay = shortest_watched});
  const JobWatch watch{
      .progress = [&](size_t done,
                      size_t own) { bar.update(done, own, std::numeric_limits<double>::quiet_NaN()); },
      .stopped = [&] { return interrupt.requested(); }};
  const UsedDevice device = device_for(device_of(settings_of(flags.fit)), {});
  const std::unique_ptr<Ranks> ranks = join_ranks();
  const int threads = threads_of_rank(ranks.get(), flags.fit.threads);
  const JobOptions options{.folder = job_folder(flags),
                           .threads = device.device == Device::cpu ? threads : rehearsals_on_device,
                           .device = device,
                           .shard = flags.shard.shard(),
                           .ranks = ranks.get()};
  JobRun done = run_jobs(jobs, options, watch);
  bar.clear();
  return done;
}

/// What is to be done, before it is.
void announce(const SweepPlan& plan, const SweepFlags& flags, const std::vector<Job>& jobs) {
  if (flags.fit.quiet) return;
  print_hints(plan.training.table, plan.fits.front().options.space, plan.training.intake);
  const Shard shard = flags.shard.shard();
  const std::vector<size_t> shard_of = shards_of(jobs, shard.count, flags.fit.threads);
  double work = 0;
  size_t own = 0;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (shard_of[i] == shard.index) {
      work += jobs[i].work();
      ++own;
    }
  say(fmt::format("{} and {}, {}: {} rehearsals{}, in all about {} of one core by an estimate",
                  counted(plan.fits.size(), "combination", "combinations"),
                  counted(plan.baselines.size(), "simple model", "simple models"),
                  counted(flags.seeds, "seed", "seeds"), jobs.size(),
                  shard.count > 1 ? fmt::format(", {} of them in shard {}", own, to_text(shard)) : "",
                  duration_text(work)));
}

/// What a shard that waits for others knows of them.
struct Waiting {
  const JobRun& run;
  const SweepFlags& flags;
  std::vector<size_t> unseen;  ///< shards of whose part of the grid nothing is there
};

/// Simple models tell nothing: every grid has them.
Waiting waiting_for(const JobRun& run, const SweepPlan& plan, const std::vector<Job>& jobs,
                    const SweepFlags& flags) {
  const std::vector<size_t> shard_of = shards_of(jobs, run.shard.count, flags.fit.threads);
  std::set<std::string> simple;
  for (const Job& job : plan.baseline_jobs()) simple.insert(job.key);
  std::set<size_t> seen;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (!run.results[i].text.empty() && !simple.contains(jobs[i].key)) seen.insert(shard_of[i]);
  Waiting waiting{run, flags, {}};
  for (const auto& [shard, missing] : run.missing)
    if (!seen.contains(shard)) waiting.unseen.push_back(shard);
  return waiting;
}

std::string to_text(const Waiting& waiting) {
  std::string text = to_text(waiting.run) + "\n";
  if (waiting.unseen.empty()) return text;
  std::vector<std::string> shards;
  for (size_t shard : waiting.unseen) shards.push_back(std::to_string(shard));
  return text +
         wrapped(fmt::format(
             "Nothing of shard{} {} is in {}. If such a shard has ended, it filled another folder, or it had "
             "another list of jobs: the grid, the seeds, the other flags, the table and the build must be "
             "the same.",
             shards.size() == 1 ? "" : "s", listed(shards, 5), job_folder(waiting.flags))) +
         "\n";
}

Json to_json(const Waiting& waiting) {
  const JobRun& run = waiting.run;
  Json missing = Json::object();
  for (const auto& [shard, jobs] : run.missing) missing[std::to_string(shard)] = jobs;
  return {{"whole", false},
          {"shard", to_text(run.shard)},
          {"jobs", run.results.size()},
          {"own", run.own},
          {"missing", std::move(missing)},
          {"unseen", waiting.unseen},
          {"folder", job_folder(waiting.flags)}};
}

void tell(const Waiting& waiting) {
  if (waiting.flags.fit.json)
    print(to_json(waiting).dump(JsonText::replaced) + "\n");
  else if (waiting.flags.csv)
    std::fputs(to_text(waiting).c_str(), stderr);
  else
    print(to_text(waiting));
}

/// The command that makes the same sweep, as a shell takes it.
std::string sweep_command(const SweepFlags& flags) {
  FitOptions options = preset_options(flags.fit.preset, flags.fit.model);
  set_training(settings_of(flags.fit), options);
  std::string command = "kedge sweep " + fit_words(flags.fit, options);
  for (const std::string& axis : flags.grid) command += " --grid " + quoted(axis);
  command += fmt::format(" --seeds {}", flags.seeds);
  if (flags.effort != SweepFlags().effort) command += fmt::format(" --effort {}", flags.effort);
  if (flags.fit.beyond != FitFlags().beyond) command += " --beyond " + flags.fit.beyond;
  return command;
}

void write_files(const SweepFound& found) {
  const SweepFlags& flags = found.flags;
  write_result(flags.file("sweep.json"),
               [&](std::ostream& out) { out << to_json(found).dump(JsonText::replaced) << "\n"; });
  write_result(flags.file("sweep.csv"),
               [&](std::ostream& out) { write_csv(out, csv_table(found), {.nan = ""}); });
  write_result(flags.file("sweep.html"),
               [&](std::ostream& out) { out << to_html(sweep_page(found, sweep_command(flags))); });
}

std::string to_text(const SweepFound& found) {
  std::string text = to_text(sweep_table_of(found, most_shown), output_style(), output_columns());
  if (found.scores.size() > most_shown)
    text += fmt::format("The best {} of {}; {} has all.\n", most_shown, found.scores.size(),
                        found.flags.file("sweep.csv"));
  for (const std::string& failure : sweep_failures(found)) text += wrapped(failure) + "\n";
  for (const std::string& words : sweep_words(found)) text += "\n" + wrapped(plain_prose(words)) + "\n";
  return text + "\n" + wrapped_command(found.command()) + "\n";
}

/// Fits what the command at the end says.
void fit_recommended(const SweepFound& found) {
  const SweepFlags& flags = found.flags;
  FitFlags fit = found.recommended().flags;
  fit.output = flags.model;
  fit.if_unsaved = "the rehearsals are kept; run it again, and it goes on with the fit";
  // It has said by now how rehearsals were weighed.
  if (!needs_trial(fit)) fit.beyond = FitFlags().beyond;
  // What is printed already stays the only thing that a program reads.
  fit.json = false;
  if (flags.fit.json || flags.csv) fit.quiet = true;
  if (found.simple && !flags.fit.quiet)
    say(fmt::format("fitting {}, a simple model that is as good as the grid", fit.model));
  fit_and_save(fit);
}

void run(SweepFlags flags) {
  const bool is_first = started_by_mpi().rank == 0;
  if (!is_first) flags.fit.quiet = true;
  check_flags(flags);
  const SweepPlan plan = plan_of(flags);
  if (is_first) make_folder(flags);
  const std::vector<Job> jobs = plan.jobs();
  announce(plan, flags, jobs);
  const JobRun done = run_watched(jobs, flags);
  if (!is_first) return;
  if (!done.is_whole()) return tell(waiting_for(done, plan, jobs, flags));
  if (flags.shard.shard().count > 1 && !flags.fit.quiet) say(to_text(done));
  const SweepFound found = found_in(flags, plan, JobResults(jobs, done));
  write_files(found);
  if (flags.fit.json)
    print(to_json(found).dump(JsonText::replaced) + "\n");
  else if (flags.csv)
    write_result("-", [&](std::ostream& out) { write_csv(out, csv_table(found), {.nan = ""}); });
  else
    print(to_text(found));
  if (!flags.model.empty()) fit_recommended(found);
}

}  // namespace

void add_sweep(const Command& app) {
  const auto flags = std::make_shared<SweepFlags>();
  const Command sub = app.add_subcommand("sweep", "Try settings of a fit and find the best by rehearsal");
  sub.footer(
      "Tries every combination of the grid with every seed: outermost rows and some at\n"
      "random are held out, the rest is fitted, and what was held out is predicted, as\n"
      "'kedge cv' does. Simple models stand beside them. A fit is judged as 'kedge fit'\n"
      "would make it; --replicas and --calibration are for the fit that follows.\n"
      "Results are kept in files: after Ctrl-C the same command goes on from there.\n"
      "Several machines share the work with --shard, or as ranks of mpirun.\n"
      "Names of the grid are those of flags of 'kedge fit': width, embedding, layers,\n"
      "fourier, steps, epochs, batch, learning-rate, weight-decay, schedule, loss,\n"
      "model, preset, base, share, anchors, inside-anchors, anchor-rows, pool, pairs;\n"
      "and outward, space, same-unit, whose values have semicolons between. 'none'\n"
      "leaves base, inside-anchors, outward, space or same-unit out.\n"
      "\n"
      "Examples:\n"
      "  kedge sweep train.csv --target y --grid width=32,64 --grid embedding=16,64\n"
      "  kedge sweep train.csv --target y --grid model=bilinear,mlp,concat --seeds 5\n"
      "  kedge sweep train.csv --target y --grid 'space=none;dose=log' --fit best.kedge\n"
      "  kedge sweep train.csv --target y --grid steps=2000,8000,32000 --shard 1/4");
  FitFlags& fit = flags->fit;
  const FitOptions preset = preset_options(fit.preset, fit.model);
  declare_data(sub, fit);
  const std::string search = "Search", output = "Output";
  std::vector<std::string> names;
  for (const std::string& name : grid_names()) names.push_back(name + "=");
  sub.add_option("--grid", flags->grid,
                 "A setting and the values to try, as width=32,64; once for each setting")
      .type_name("NAME=VALUES")
      .repeated()
      .required()
      .suggests(names)
      .group(search);
  sub.add_option(
         "--seeds", flags->seeds,
         fmt::format("Seeds that each combination is tried with, from --seed on (default: {})", flags->seeds))
      .type_name("N")
      .check(whole_number(1, 1000))
      .group(search);
  sub.add_option(
         "--effort", flags->effort,
         fmt::format("Part of a fit's updates that each rehearsal takes (default: {})", flags->effort))
      .type_name("X")
      .group(search);
  declare(sub, flags->shard).group(search);
  declare_model(sub, fit, preset);
  declare_training(sub, fit);
  declare_beyond(sub, fit);
  declare_updates(sub, fit, preset, "rows");
  sub.add_option(
         "-o,--output", flags->folder,
         fmt::format("Folder to write sweep.json, sweep.csv and the page sweep.html into (default: {})",
                     flags->folder))
      .type_name("DIR")
      .group(output);
  sub.add_option("--jobs", flags->jobs,
                 "Folder to keep results of rehearsals in (default: jobs in that folder)")
      .type_name("DIR")
      .group(output);
  sub.add_option(
         "--fit", flags->model,
         "Fit at the end what the last line says, and write it to this file: the best, or a simple model "
         "that is as good")
      .type_name("MODEL")
      .group(output);
  sub.add_flag("--quiet", fit.quiet, "No progress on standard error").group(output);
  sub.add_flag("--json", fit.json, "Print one JSON object instead of the table").group(output);
  sub.add_flag("--csv", flags->csv, "Print the table as CSV instead").group(output);
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
