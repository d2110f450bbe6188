#include "cli/reproduce_plan.h"

#include "cli/output.h"
#include "cli/terminal.h"
#include "kedge/core/format.h"
#include "kedge/experiments/plan.h"
#include "kedge/report/tables.h"

namespace kedge {
namespace {

TextCell number(double count) { return fmt::format("{:.3g}", count); }
TextCell count(size_t number) { return std::to_string(number); }

std::vector<TextCell> row_of(std::vector<TextCell> names, const PlannedTrainings& trainings) {
  names.insert(names.end(), {count(trainings.networks), number(static_cast<double>(trainings.steps)),
                             number(trainings.parameter_steps)});
  return names;
}

TextTable by_experiment(const std::vector<const Experiment*>& experiments, const Extent& extent) {
  TextTable table{.columns = {{"experiment"},
                              {"jobs", Align::right},
                              {"episodes", Align::right},
                              {"networks", Align::right},
                              {"steps", Align::right},
                              {"parameters x steps", Align::right}}};
  for (const Experiment* experiment : experiments) {
    const JobPlan plan = plan_of(experiment->jobs(extent));
    table.rows.push_back(
        row_of({experiment->id, count(plan.jobs), count(plan.all_episodes())}, plan.all_trainings()));
  }
  return table;
}

TextTable by_network(const JobPlan& plan) {
  TextTable table{.columns = {{"width", Align::right},
                              {"layers", Align::right},
                              {"model"},
                              {"networks", Align::right},
                              {"steps", Align::right},
                              {"parameters x steps", Align::right}}};
  for (const auto& [kind, trainings] : plan.trainings)
    table.rows.push_back(
        row_of({std::to_string(kind.width), std::to_string(kind.layers), kind.model}, trainings));
  table.rows.push_back(row_of({"all", "", ""}, plan.all_trainings()));
  return table;
}

}  // namespace

void print_plan(const std::vector<const Experiment*>& experiments, const Extent& extent) {
  std::vector<Job> all;
  for (const Experiment* experiment : experiments)
    for (Job& job : experiment->jobs(extent)) all.push_back(std::move(job));
  const JobPlan plan = plan_of(all);
  print_table(by_experiment(experiments, extent));
  print(wrapped("Experiments share jobs. All together, each once:") + "\n\n");
  print_table(by_network(plan));
  std::string episodes;
  for (const auto& [domain, number] : plan.episodes)
    episodes += fmt::format("{}{} of {}", episodes.empty() ? "" : ", ", number, domain);
  print(wrapped(fmt::format("{} jobs; {} fits without training; {} episodes{}.", plan.jobs, plan.closed_forms,
                            plan.all_episodes(), episodes.empty() ? "" : ": " + episodes)) +
        "\n");
}

}  // namespace kedge
