#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/rollout_report.h"
#include "cli/terminal.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

struct RolloutFlags {
  std::string policy, domain, output, csv, html, expert, expert_file;
  std::string goals = "train,oos";
  std::optional<size_t> episodes;
  std::optional<uint64_t> seed;
  int threads = 0;
  bool fresh = false, no_expert = false, quiet = false, json = false;
};

constexpr size_t default_episodes = 50;

/// Whether goals are of the simulation, not of a file.
bool is_set(const std::string& name) { return name == "train" || name == "oos"; }

Matrix<double> goals_of(const RolloutFlags& flags, const SimulatedDomain& domain, const std::string& name) {
  if (!is_set(name)) return first_goals(read_goals(name, domain.simulation, "rollout"), flags.episodes, name);
  // Goals like those of training, but none of them.
  const Split split = name == "oos" ? Split::oos : Split::in;
  if (flags.fresh || flags.seed)
    return domain.goals(split, flags.episodes.value_or(default_episodes), flags.seed.value_or(0));
  return first_goals(domain.published_goals(split), flags.episodes, "the list of published goals");
}

/// The command that shows the same again, as a shell takes it.
std::string command_of(const RolloutFlags& flags) {
  std::string command = fmt::format("kedge rollout {} {} --goals {}", quoted(flags.policy),
                                    quoted(flags.domain), quoted(flags.goals));
  if (flags.episodes) command += fmt::format(" --episodes {}", *flags.episodes);
  if (flags.fresh) command += " --fresh";
  if (flags.seed) command += fmt::format(" --seed {}", *flags.seed);
  if (!flags.expert.empty()) command += " --expert " + quoted(flags.expert);
  if (!flags.expert_file.empty()) command += " --expert-file " + quoted(flags.expert_file);
  if (flags.no_expert) command += " --no-expert";
  if (!flags.html.empty()) command += " --html " + quoted(flags.html);
  return command;
}

/// Flags that nothing would come of.
void check_goals(const RolloutFlags& flags) {
  const std::vector<std::string> sets = split_names(flags.goals, "--goals");
  if ((flags.fresh || flags.seed) && std::none_of(sets.begin(), sets.end(), is_set))
    wrong_usage(fmt::format("{} draws goals of train or oos; found the goals of {}; leave it out",
                            flags.fresh ? "--fresh" : "--seed", flags.goals));
}

void check_outputs(const RolloutFlags& flags) {
  std::vector<std::string> read = {flags.policy, flags.expert_file};
  for (const std::string& name : split_names(flags.goals, "--goals")) read.push_back(name);
  for (const std::string* path : {&flags.output, &flags.csv, &flags.html}) {
    check_output(*path, read);
    if (*path == "-")
      throw Error("rollout", "standard output takes the tables; -o, --csv and --html need files; found '-'");
  }
  check_distinct({{"-o", flags.output}, {"--csv", flags.csv}, {"--html", flags.html}});
  if (!flags.output.empty()) require_hdf5(flags.output);
}

/// The policy's episodes of all sets, one after the other.
void write_episodes(const RolloutReport& report, const RolloutFlags& flags) {
  Demonstrations all(report.domain.simulation.columns, "rollouts");
  DemonstrationFacts facts{.domain = report.domain.name,
                           .expert = fmt::format("policy {}", report.policy.options().model),
                           .split = flags.goals,
                           .command = command_of(flags) + " -o " + quoted(flags.output),
                           .version = version()};
  for (const RolloutSet& set : report.sets) {
    for (const Episode& episode : set.policy.episodes.episodes()) all.add(episode);
    facts.errors.insert(facts.errors.end(), set.policy.errors.begin(), set.policy.errors.end());
    facts.held.insert(facts.held.end(), set.policy.held.begin(), set.policy.held.end());
  }
  if (std::none_of(facts.held.begin(), facts.held.end(), [](const auto& held) { return held.has_value(); }))
    facts.held.clear();
  write_demonstrations(flags.output, all, facts);
}

void run(const RolloutFlags& flags) {
  check_goals(flags);
  check_outputs(flags);
  const SimulatedDomain& domain = find_simulated_domain(flags.domain);
  const Policy policy = Policy::load(flags.policy);
  require_fitting(policy, domain.simulation, domain.name);
  const std::vector<Expert> experts = experts_of(domain, flags.expert_file);
  const Expert& expert = find_expert(experts, flags.expert);
  RolloutReport report{.domain = domain,
                       .policy = policy,
                       .policy_file = flags.policy,
                       .expert = flags.no_expert ? "" : expert.name,
                       .sets = {}};
  size_t episodes = 0;
  for (const std::string& name : split_names(flags.goals, "--goals")) {
    Matrix<double> goals = goals_of(flags, domain, name);
    std::vector<GoalAnswer> answers = policy.judge(goals);
    episodes += goals.rows() * (flags.no_expert ? 1 : 2);
    report.sets.push_back(
        {.name = name, .goals = std::move(goals), .answers = std::move(answers), .policy = {}});
  }
  if (report.sets.empty()) throw Error("rollout", "--goals needs a set of goals; found none");
  WatchedRollouts watched("rollout", episodes, flags.quiet, flags.threads);
  for (RolloutSet& set : report.sets) {
    set.policy = watched.run(
        domain.simulation, [&] { return policy.controller(); }, set.goals);
    if (!flags.no_expert) set.expert = watched.run(domain.simulation, expert.make, set.goals);
  }
  watched.finish();
  if (!flags.output.empty()) write_episodes(report, flags);
  if (!flags.csv.empty())
    write_result(flags.csv, [&](std::ostream& out) { write_csv(out, episode_table(report), {.nan = ""}); });
  if (!flags.html.empty())
    write_result(flags.html,
                 [&](std::ostream& out) { out << to_html(rollout_page(report, command_of(flags))); });
  if (flags.json) return print(to_json(report).dump(JsonText::replaced) + "\n");
  if (flags.quiet) return;
  print_table(set_table(report));
  print("\n");
  print_table(verdict_table(report));
}

}  // namespace

void add_rollout(const Command& app) {
  const auto flags = std::make_shared<RolloutFlags>();
  const Command sub = app.add_subcommand("rollout", "Let a policy act in a simulation and measure it");
  sub.footer(
      "Shows the error at the end of the episodes, mean ± deviation, beside that of the\n"
      "expert on the same goals; then the same by what could be said of each goal\n"
      "before it was tried (its verdict). The expected action error is known for\n"
      "policies that were learned with --calibration shells.\n"
      "\n"
      "Examples:\n"
      "  kedge rollout push.kedge push\n"
      "  kedge rollout push.kedge push --goals oos --fresh --html push.html");
  sub.add_option("POLICY", flags->policy, "Policy file that 'kedge imitate' wrote").type_name("").required();
  sub.add_option("DOMAIN", flags->domain, "Name of the simulation; 'kedge list simulations' shows them")
      .type_name("")
      .suggests(names_in(simulated_domains()))
      .required();
  sub.add_option("--goals", flags->goals,
                 "Sets of goals, with commas between: train, goals like the demonstrated ones; oos, goals "
                 "outside; or a CSV file with the goal columns (default: train,oos)")
      .type_name("train|oos|FILE");
  sub.add_option("--episodes", flags->episodes, "Of each set (default: 50; all of a file)")
      .type_name("N")
      .check(whole_number(1, 10'000'000));
  sub.add_flag("--fresh", flags->fresh,
               "Draw goals for train and oos, instead of the 50 that the paper's authors used");
  sub.add_option("--seed", flags->seed, "Of fresh goals (default: 0); asks for them")
      .type_name("S")
      .check(whole_number());
  const Option expert =
      sub.add_option("--expert", flags->expert, "Which expert to compare with; 'kedge expert DOMAIN'")
          .type_name("NAME");
  const Option expert_file =
      sub.add_option("--expert-file", flags->expert_file, "Parameters that 'kedge expert' wrote")
          .type_name("FILE");
  sub.add_flag("--no-expert", flags->no_expert, "Do not run the expert")
      .excludes(expert)
      .excludes(expert_file);
  sub.add_option("--threads", flags->threads,
                 "Threads to use (default: one for each core); never changes the result")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_option("-o,--output", flags->output, "HDF5 file to write: the episodes").type_name("FILE");
  sub.add_option("--csv", flags->csv, "CSV file to write: a row for each episode").type_name("FILE");
  sub.add_option("--html", flags->html, "Page to write: the tables, and pictures").type_name("FILE");
  sub.add_flag("--quiet", flags->quiet, "No progress on standard error, no tables");
  sub.add_flag("--json", flags->json, "Print one JSON object, with every episode, instead of the tables");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
