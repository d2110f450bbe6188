#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/demo_contest.h"
#include "cli/demo_page.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/machine.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

struct DemoFlags {
  std::string output;
  std::string figures;
  size_t seeds = 3;
  bool json = false;
};

/// Every fit of the demo and what it gave.
JobResults run_fits(size_t seeds) {
  std::vector<FitSpec> specs;
  for (const Contestant& contestant : contestants)
    for (const char* domain : demo_domains)
      for (uint64_t seed = 0; seed < seeds; ++seed) specs.push_back(spec_of(domain, contestant, seed));
  const std::vector<Job> jobs = fit_jobs(specs);
  const Interrupt interrupt;
  ProgressBar bar("demo", jobs.size());
  const JobWatch watch{
      .progress = [&](size_t done, size_t) { bar.update(done, std::numeric_limits<double>::quiet_NaN()); },
      .stopped = [&] { return interrupt.requested(); }};
  try {
    const JobResults results(jobs, run_jobs(jobs, {}, watch));
    bar.clear();
    return results;
  } catch (const Error&) {
    if (!interrupt.requested()) throw;
    bar.clear();
    throw Error("demo", "stopped before the end; nothing was written");
  }
}

std::string command_of(const DemoFlags& flags) { return fmt::format("kedge demo --seeds {}", flags.seeds); }

Provenance provenance_of(const DemoFlags& flags) {
  Provenance provenance{.command = command_of(flags), .version = version(), .machine = machine()};
  for (uint64_t seed = 0; seed < flags.seeds; ++seed) provenance.seeds.push_back(seed);
  return provenance;
}

void run(const DemoFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  check_output(flags.output, {});
  if (!flags.figures.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(flags.figures, failed);
    if (failed)
      throw Error("demo", fmt::format("--figures needs a directory; {} cannot be made: {}", flags.figures,
                                      failed.message()));
  }
  const JobResults results = run_fits(flags.seeds);
  const std::vector<DemoScores> scores = demo_scores(results, flags.seeds);
  if (!flags.output.empty())
    write_result(flags.output, [&](std::ostream& out) {
      out << to_html(demo_page(results, scores, provenance_of(flags)));
    });
  if (!flags.figures.empty()) {
    for (const char* domain : demo_domains)
      write_result(fmt::format("{}/{}.svg", flags.figures, domain),
                   [&](std::ostream& out) { out << to_svg(demo_chart(domain, results)); });
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (flags.json)
    return print(
        demo_json(scores, provenance_of(flags), taken.count(), flags.output).dump(JsonText::replaced) + "\n");
  print_table(demo_table(scores));
  print(fmt::format("\n{} fits in {:.0f} s; {}\n", contestants.size() * demo_domains.size() * flags.seeds,
                    taken.count(),
                    flags.output.empty() ? "-o FILE.html draws the curves" : "curves in " + flags.output));
}

}  // namespace

void add_demo(const Command& app) {
  const auto flags = std::make_shared<DemoFlags>();
  const Command sub = app.add_subcommand("demo", "See it work on built-in problems, beside baselines");
  sub.footer(
      "Fits six models on three functions whose shape repeats, and measures them where\n"
      "there was no training data. Takes one or two minutes.\n"
      "\n"
      "Example:\n  kedge demo -o demo.html");
  sub.add_option("-o,--output", flags->output, "HTML page to write: the same table, and the curves")
      .type_name("FILE");
  sub.add_option("--figures", flags->figures, "Directory to write each chart into as an SVG file")
      .type_name("DIR");
  sub.add_option("--seeds", flags->seeds, "How often each fit is repeated, with other rows (default: 3)")
      .type_name("N")
      .check(whole_number(1, 100));
  sub.add_flag("--json", flags->json, "Print one JSON object instead of the table");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
