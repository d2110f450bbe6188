#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/result_page.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/experiments/experiment.h"

namespace kedge {
namespace {

struct ReportFlags {
  std::string folder, output, figures;
};

Result result_of(const std::string& file, const Experiment& experiment) {
  Result result = result_from_json(read_file(file, "report"), file);
  if (result.id != experiment.id)
    throw Error("report", fmt::format("{} needs to hold {}; found {}; make it again with kedge reproduce",
                                      one_line(file), experiment.id, shown(result.id)));
  return result;
}

/// Results of a folder in the order of the experiments; files that are no results of experiments are left.
std::vector<Result> results_of(const std::string& folder) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed))
    throw Error("report", fmt::format("needs a folder of results; {} is none; make it with kedge reproduce",
                                      one_line(folder)));
  std::vector<Result> results;
  for (const Experiment& experiment : all_experiments()) {
    const std::string file = fmt::format("{}/{}.json", folder, experiment.id);
    if (std::filesystem::exists(file, failed)) results.push_back(result_of(file, experiment));
  }
  if (results.empty())
    throw Error("report", fmt::format("needs results of kedge reproduce; {} holds none", one_line(folder)));
  return results;
}

/// Every chart as <id>-<number>.svg and its numbers as .csv.
void write_figures(const std::vector<Result>& results, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("report",
                fmt::format("--figures needs a folder; {} cannot be made: {}", folder, failed.message()));
  for (const Result& result : results) {
    for (size_t i = 0; i < result.charts.size(); ++i) {
      const std::string name = result.charts.size() == 1 ? fmt::format("{}/{}", folder, result.id)
                                                         : fmt::format("{}/{}-{}", folder, result.id, i + 1);
      write_result(name + ".svg", [&](std::ostream& out) { out << to_svg(result.charts[i]); });
      write_result(name + ".csv", [&](std::ostream& out) { out << to_csv(result.charts[i]); });
    }
  }
}

void run(const ReportFlags& flags) {
  std::vector<std::string> read;
  for (const Experiment& experiment : all_experiments())
    read.push_back(fmt::format("{}/{}.json", flags.folder, experiment.id));
  check_output(flags.output, read);
  const std::vector<Result> results = results_of(flags.folder);
  const std::string command = fmt::format("kedge report {}{}", quoted(flags.folder),
                                          flags.output.empty() ? "" : " -o " + quoted(flags.output));
  if (!flags.figures.empty()) write_figures(results, flags.figures);
  write_result(flags.output, [&](std::ostream& out) { out << to_html(page_of(results, command)); });
}

}  // namespace

void add_report(const Command& app) {
  const auto flags = std::make_shared<ReportFlags>();
  const Command sub = app.add_subcommand("report", "Make a page of results that 'kedge reproduce' wrote");
  sub.footer("Example:\n  kedge report results -o report.html");
  sub.add_option("RESULTS", flags->folder, "Folder with the JSON files").type_name("").required();
  sub.add_option("-o,--output", flags->output, "HTML page to write; standard output without it")
      .type_name("FILE");
  sub.add_option("--figures", flags->figures, "Folder to write each figure into, as SVG and as CSV")
      .type_name("DIR");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
