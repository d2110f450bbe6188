#include "kedge/experiments/experiment.h"

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/build.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

std::string command_of(const Experiment& experiment, const Extent& extent) {
  std::string command = "kedge reproduce " + experiment.id;
  if (extent.quick) command += " --quick";
  if (experiment.over_widths && extent.widths != Extent().widths)
    command += fmt::format(" --widths {}", fmt::join(extent.widths, ","));
  return command;
}

}  // namespace

std::vector<uint64_t> seeds_of(const Extent& extent) {
  return extent.quick ? std::vector<uint64_t>{0} : std::vector<uint64_t>{0, 1, 2};
}

std::vector<std::string> presets_of(std::vector<std::string> all, const Extent& extent) {
  if (extent.quick) std::erase(all, "paper");
  return all;
}

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> experiments = {
      fig_domains_experiment(),     fig_plane_experiment(),
      fig_problems_experiment(),    fig_range_experiment(),
      fig_equivariant_experiment(), fig_beyond_equivariance_experiment(),
      table_scaled_experiment(),    table_scaled_robots_experiment(),
      fig_grasp_experiment(),       fig_tiles_experiment(),
      table_se3_experiment(),       table_weighted_experiment(),
      table_fourier_experiment(),   table_fourier_robots_experiment(),
      table_seeds_experiment(),     table_seeds_robots_experiment(),
      fig_heatmap_experiment(),     fig_slider_actions_experiment(),
      fig_pca_experiment(),         table_text_experiment(),
      table_sizes_experiment(),     table_robots_experiment(),
      table_slider_experiment(),    fig_trajectories_experiment(),
      fig_rank_experiment(),        coverage_experiment(),
      fresh_experiment(),
  };
  return experiments;
}

const Experiment& find_experiment(std::string_view id) {
  return find_named(all_experiments(), id, "reproduce", "a table or figure", &Experiment::id);
}

Result reproduce(const Experiment& experiment, const Extent& extent, const std::string& job_folder,
                 int threads, const JobWatch& watch) {
  const std::vector<Job> jobs = experiment.jobs(extent);
  const JobResults results(jobs, run_jobs(jobs, {.folder = job_folder, .threads = threads}, watch));
  Result result{.id = experiment.id,
                .title = experiment.title,
                .command = command_of(experiment, extent),
                .version = version(),
                .build = to_text(build()),
                .machines = {results.machines().begin(), results.machines().end()},
                .seeds = {},
                .notes = {},
                .cells = {},
                .charts = {}};
  try {
    experiment.assemble(extent, results, result);
    if (extent.quick && !jobs.empty())
      result.notes.emplace_back(
          "Quick: one size, one seed, few steps. Numbers show that all is in place, no more.");
  } catch (const JsonError& error) {
    throw Error("reproduce",
                fmt::format("the results of jobs in {} are damaged ({}); remove that folder and run it "
                            "again",
                            job_folder, error.fault()));
  }
  return result;
}

}  // namespace kedge
