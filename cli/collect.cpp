#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/simulating.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/predictor/predictor.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

struct CollectFlags {
  std::string domain, output, goals, expert, expert_file;
  std::string split;
  std::optional<size_t> episodes;
  std::optional<uint64_t> seed;
  int threads = 0;
  bool quiet = false, json = false;
};

constexpr const char* published = "published";

/// Goals, and in words where they come from.
struct Goals {
  Matrix<double> places;
  std::string split;  ///< empty for those of a file
  bool fresh = false;
};

/// Flags that nothing would come of, or something else than they say.
void check_goals(const CollectFlags& flags) {
  if (flags.goals.empty()) return;
  if (flags.seed)
    wrong_usage(fmt::format("--seed draws goals; found --goals {} as well; leave one out", flags.goals));
  if (flags.goals == published && flags.split == "in")
    wrong_usage("--goals published has the sets train and oos; found --split in; take one of them");
  if (flags.goals != published && !flags.split.empty())
    wrong_usage(
        fmt::format("--split is for goals of the simulation; found those of {}; leave one out", flags.goals));
}

Goals goals_of(const CollectFlags& flags, const SimulatedDomain& domain) {
  static const std::map<std::string, Split> splits = {
      {"train", Split::train}, {"in", Split::in}, {"oos", Split::oos}};
  const std::string name = flags.split.empty() ? "train" : flags.split;
  const Split split = splits.at(name);
  if (flags.goals.empty())
    return {domain.goals(split, flags.episodes.value_or(domain.demonstrations), flags.seed.value_or(0)), name,
            true};
  if (flags.goals == published)
    return {first_goals(domain.published_goals(split), flags.episodes, "the list of published goals"),
            name + ", published"};
  return {first_goals(read_goals(flags.goals, domain.simulation, "collect"), flags.episodes, flags.goals),
          ""};
}

/// The command that makes the same file again, as a shell takes it.
std::string command_of(const CollectFlags& flags, const Goals& goals) {
  std::string command = "kedge collect " + quoted(flags.domain);
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) command += " " + flag + " " + quoted(value);
  };
  add("--episodes", std::to_string(goals.places.rows()));
  add("--goals", flags.goals);
  if (!goals.split.empty()) add("--split", flags.split.empty() ? "train" : flags.split);
  if (goals.fresh) add("--seed", std::to_string(flags.seed.value_or(0)));
  add("--expert", flags.expert);
  add("--expert-file", flags.expert_file);
  add("-o", flags.output);
  return command;
}

std::string to_text(const CollectFlags& flags, const SimulatedDomain& domain, const Expert& expert,
                    const Goals& goals, const ErrorSummary& summary, double seconds) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"domain", domain.name + ": " + domain.title},
      {"expert", expert.name + ": " + expert.title},
      {"goals", fmt::format("{} of {}{}", summary.episodes, goals.split.empty() ? flags.goals : goals.split,
                            goals.fresh ? fmt::format(", seed {}", flags.seed.value_or(0)) : "")},
      {"error", fmt::format("{}, median {}", error_text(summary), rounded(summary.median, 4))}};
  if (summary.held) facts.emplace_back("held", held_text(summary));
  facts.emplace_back("time", fmt::format("{:.1f} s, {:.1f} episodes a second", seconds,
                                         static_cast<double>(summary.episodes) / seconds));
  facts.emplace_back("file", flags.output);
  return "collected\n" + fact_lines(facts);
}

void run(const CollectFlags& flags) {
  check_goals(flags);
  const SimulatedDomain& domain = find_simulated_domain(flags.domain);
  if (flags.output == "-")
    throw Error("collect", "demonstrations need a file; found '-', which is standard output; name a file");
  require_hdf5(flags.output);
  check_output(flags.output, {flags.goals, flags.expert_file});
  const std::vector<Expert> experts = experts_of(domain, flags.expert_file);
  const Expert& expert = find_expert(experts, flags.expert);
  const Goals goals = goals_of(flags, domain);
  const auto start = std::chrono::steady_clock::now();
  WatchedRollouts watched("collect", goals.places.rows(), flags.quiet, flags.threads);
  const Rollouts all = watched.run(domain.simulation, expert.make, goals.places);
  watched.finish();
  // An episode that broke down shows nobody how it is done.
  const Rollouts rollouts = all.finished();
  if (rollouts.errors.empty())
    throw Error("collect", fmt::format("all {} episodes broke down; nothing was written; take other goals or "
                                       "another expert",
                                       all.errors.size()));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  DemonstrationFacts facts{.domain = domain.name,
                           .expert = expert.name,
                           .split = goals.split,
                           .command = command_of(flags, goals),
                           .version = version(),
                           .errors = rollouts.errors,
                           .held = rollouts.held_share() ? rollouts.held : decltype(rollouts.held){}};
  if (goals.fresh) facts.seed = flags.seed.value_or(0);
  write_demonstrations(flags.output, rollouts.episodes, facts);
  const ErrorSummary summary = summary_of(all);
  if (flags.json) {
    Json json{{"file", flags.output},
              {"domain", domain.name},
              {"expert", expert.name},
              {"split", goals.split},
              {"seed", goals.fresh ? Json(flags.seed.value_or(0)) : Json()},
              {"steps", domain.simulation.steps},
              {"errors", to_json(summary)},
              {"seconds", taken.count()}};
    print(json.dump(JsonText::replaced) + "\n");
  } else if (!flags.quiet) {
    print(to_text(flags, domain, expert, goals, summary, taken.count()));
  }
}

}  // namespace

void add_collect(const Command& app) {
  const auto flags = std::make_shared<CollectFlags>();
  const Command sub = app.add_subcommand("collect", "Collect demonstrations of an expert in a simulation");
  sub.footer(
      "The file is HDF5 with robomimic's layout; 'kedge imitate' reads it.\n"
      "\n"
      "Examples:\n"
      "  kedge collect push -o push.hdf5\n"
      "  kedge collect reach --split oos --goals published -o reach-oos.hdf5");
  sub.add_option("DOMAIN", flags->domain, "Name of the simulation; 'kedge list simulations' shows them")
      .type_name("")
      .suggests(names_in(simulated_domains()))
      .required();
  sub.add_option("--episodes", flags->episodes, "How many (default: as many as in the paper; all of --goals)")
      .type_name("N")
      .check(whole_number(1, 10'000'000));
  sub.add_option("--split", flags->split,
                 "train: goals to learn from; in: fresh ones alike; oos: outside (default: train)")
      .type_name("train|in|oos")
      .check(one_of({"train", "in", "oos"}));
  sub.add_option("--goals", flags->goals,
                 "Instead of fresh goals: the 50 of the split that the paper's authors used (published), or "
                 "those of a CSV file with the goal columns")
      .type_name("published|FILE");
  sub.add_option("--expert", flags->expert, "Which expert, where there are several; 'kedge expert DOMAIN'")
      .type_name("NAME");
  sub.add_option("--expert-file", flags->expert_file, "Parameters that 'kedge expert' wrote")
      .type_name("FILE");
  sub.add_option("--seed", flags->seed, "The same seed gives the same goals (default: 0)")
      .type_name("S")
      .check(whole_number());
  sub.add_option("--threads", flags->threads,
                 "Threads to use (default: one for each core); never changes the result")
      .type_name("T")
      .check(whole_number(1, 1024));
  sub.add_option("-o,--output", flags->output, "HDF5 file to write").type_name("FILE").required();
  sub.add_flag("--quiet", flags->quiet, "No progress on standard error, no summary");
  sub.add_flag("--json", flags->json, "The summary as one JSON object");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
