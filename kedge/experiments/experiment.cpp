#include "kedge/experiments/experiment.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "kedge/core/error.h"
#include "kedge/core/find_named.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/experiments/experiments.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/numerics.h"
#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

std::string command_of(const Experiment& experiment, const Extent& extent, const JobOptions& options) {
  std::string command = "kedge reproduce " + experiment.id;
  if (extent.quick) command += " --quick";
  const Extent usual{.widths = extent.widths};
  if (extent.full && experiment.jobs(extent).size() > experiment.jobs(usual).size()) command += " --full";
  if (experiment.over_widths && widths_of(extent) != widths_of({.full = extent.full}))
    command += fmt::format(" --widths {}", fmt::join(extent.widths, ","));
  if (options.device.device != Device::cpu) command += " --device cuda";
  return command;
}

std::string build_text(const JobOptions& options) {
  return options.device.device == Device::cpu
             ? to_text(build())
             : fmt::format("{}, {}", to_text(build()), to_text(options.device));
}

Result assembled(const Experiment& experiment, const Extent& extent, const JobOptions& options,
                 const JobResults& results) {
  Result result{.id = experiment.id,
                .title = experiment.title,
                .command = command_of(experiment, extent, options),
                .version = version(),
                .build = build_text(options),
                .numerics = numerics_of(to_text(options.device)),
                .machines = {results.machines().begin(), results.machines().end()},
                .seeds = {},
                .notes = {},
                .cells = {},
                .charts = {}};
  try {
    experiment.assemble(extent, results, result);
    if (extent.quick && !results.machines().empty())
      result.notes.emplace_back(
          "Quick: one size, one seed, few steps. Numbers show that all is in place, no more.");
  } catch (const JsonError& error) {
    throw Error("reproduce",
                fmt::format("the results of jobs in {} are damaged ({}); remove that folder and run it "
                            "again",
                            options.folder, error.fault()));
  }
  return result;
}

/// The jobs of several experiments as one list, and which experiment waits for which of them.
class JointList {
 public:
  JointList(const std::vector<const Experiment*>& experiments, const Extent& extent) {
    std::map<std::string, size_t> place_of;  // by key
    for (size_t e = 0; e < experiments.size(); ++e) {
      const size_t before = jobs_.size();
      std::set<size_t> places;
      for (Job& job : experiments[e]->jobs(extent)) {
        const auto [found, is_new] = place_of.emplace(job.key, jobs_.size());
        places.insert(found->second);
        if (!is_new) continue;
        jobs_.push_back(std::move(job));
        caused_by_.push_back(e);
      }
      waiting_.resize(jobs_.size());
      for (size_t place : places) waiting_[place].push_back(e);
      all_.push_back({experiments[e], {places.begin(), places.end()}, places.size()});
      parts_.push_back({experiments[e]->id, jobs_.size() - before, {}, false});
    }
    results_.resize(jobs_.size());
  }

  const std::vector<Job>& jobs() const { return jobs_; }
  std::vector<ReproducedPart>& parts() { return parts_; }
  const Experiment& experiment(size_t e) const { return *all_[e].experiment; }
  size_t size() const { return all_.size(); }
  bool is_complete(size_t e) const { return all_[e].missing == 0; }

  void take(size_t place, const JobResult& result) {
    results_[place] = result;
    for (size_t e : waiting_[place]) --all_[e].missing;
  }
  void spend(size_t place, const Spent& spent) {
    Spent& all = parts_[caused_by_[place]].spent;
    all.core += spent.core;
    all.device += spent.device;
  }

  JobResults results_of(size_t e) const {
    std::vector<Job> jobs;
    std::vector<JobResult> results;
    for (size_t place : all_[e].places) {
      jobs.push_back(jobs_[place]);
      results.push_back(results_[place]);
    }
    return {jobs, results};
  }

 private:
  struct One {
    const Experiment* experiment;
    std::vector<size_t> places;  // in the joint list, each once
    size_t missing;
  };

  std::vector<One> all_;
  std::vector<Job> jobs_;
  std::vector<JobResult> results_;
  std::vector<size_t> caused_by_;             // by place
  std::vector<std::vector<size_t>> waiting_;  // by place, experiments
  std::vector<ReproducedPart> parts_;
};

}  // namespace

std::vector<int> widths_of(const Extent& extent) {
  if (!extent.widths.empty()) return extent.widths;
  return extent.full ? std::vector<int>(paper_widths.begin(), paper_widths.end()) : std::vector<int>{32};
}

std::vector<int> missing_widths(const Extent& extent) {
  const std::vector<int> taken = widths_of(extent);
  std::vector<int> missing;
  std::copy_if(paper_widths.begin(), paper_widths.end(), std::back_inserter(missing),
               [&](int width) { return std::find(taken.begin(), taken.end(), width) == taken.end(); });
  return missing;
}

std::string in_words(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  return text;
}

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

Reproduction reproduce(const std::vector<const Experiment*>& experiments, const Extent& extent,
                       const JobOptions& options, const JobWatch& watch,
                       const std::function<void(const Result&)>& made) {
  JointList list(experiments, extent);
  const auto make = [&](size_t e) {
    made(assembled(list.experiment(e), extent, options, list.results_of(e)));
    list.parts()[e].is_made = true;
  };
  size_t next = 0;
  const auto make_complete = [&] {
    for (; next < list.size() && list.is_complete(next); ++next) make(next);
  };
  JobWatch inner = watch;
  inner.result = [&](size_t place, const JobResult& result) {
    list.take(place, result);
    if (watch.result) watch.result(place, result);
    make_complete();
  };
  inner.spent = [&](size_t place, const Spent& spent) { list.spend(place, spent); };
  JobRun run = run_jobs(list.jobs(), options, inner);
  if (options.ranks && options.ranks->rank() > 0) return {list.parts(), std::move(run)};
  make_complete();
  // What a shard cannot make yet does not hold up what comes after it.
  for (size_t e = next; e < list.size(); ++e)
    if (list.is_complete(e)) make(e);
  return {list.parts(), std::move(run)};
}

}  // namespace kedge
