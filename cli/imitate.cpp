#include "kedge/imitation/imitate.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/fit_flags.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/hdf5.h"

namespace kedge {
namespace {

struct ImitateFlags {
  FitFlags fit;
  std::string demonstrations, goal_columns, observation_keys;
  std::optional<size_t> horizon;
};

PolicyOptions options_of(const ImitateFlags& flags) {
  PolicyOptions options = policy_options(flags.fit.preset, flags.fit.model);
  set_training(flags.fit, options.fit);
  check(options);
  return options;
}

Demonstrations read(const ImitateFlags& flags) {
  Demonstrations demonstrations = read_demonstrations(
      flags.demonstrations, {.goal_columns = split_names(flags.goal_columns, "--goal-columns"),
                             .observation_keys = split_names(flags.observation_keys, "--obs-keys")});
  if (flags.horizon) demonstrations = demonstrations.first_steps(*flags.horizon);
  return demonstrations;
}

/// Learns with a progress bar; a signal ends the training early.
ImitationResult imitate_watched(const ImitationRequest& request, const FitFlags& flags) {
  const Interrupt interrupt;
  ProgressBar bar("imitate", 0, {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect});
  const RunOptions run{.progress =
                           [&](const Progress& progress) {
                             bar.update(progress.step, progress.steps, progress.loss);
                             return !interrupt.requested();
                           },
                       .threads = flags.threads};
  ImitationResult result = imitate(request, run);
  bar.clear();
  const TrainOutcome& outcome = result.outcome;
  const uint64_t steps = training_steps(request.options, request.demonstrations.size());
  if (outcome.status == TrainStatus::diverged)
    throw Error("imitate",
                fmt::format("training diverged after step {} of {}: the loss is no longer finite; "
                            "take a smaller --learning-rate than {}, or look for extreme values "
                            "in the demonstrations",
                            outcome.steps, steps, request.options.fit.training.adam.learning_rate));
  result.policy.save(flags.output);
  if (outcome.status == TrainStatus::finished && interrupt.requested())
    std::fputs(fmt::format("kedge: stopped after the training; the policy in {} has no expected errors\n",
                           flags.output)
                   .c_str(),
               stderr);
  if (outcome.status == TrainStatus::stopped)
    std::fputs(fmt::format("kedge: stopped at step {} of {}; the best policy so far is in {}\n",
                           outcome.steps, steps, flags.output)
                   .c_str(),
               stderr);
  return result;
}

struct Summary {
  const ImitateFlags& flags;
  const Policy& policy;
  const TrainOutcome& outcome;
  double seconds = 0;

  bool has_loss() const { return find_policy_model(policy.options().model).is_trained(); }
  size_t parameters() const { return policy.predictor() ? policy.predictor()->program().parameters() : 0; }
};

Json to_json(const Summary& s) {
  const bool stopped = s.outcome.status == TrainStatus::stopped;
  Json json{{"status", stopped ? "stopped" : "finished"},
            {"file", s.flags.fit.output},
            {"model", s.policy.options().model},
            {"preset", s.flags.fit.preset},
            {"demonstrations", s.policy.demonstrations()},
            {"episode_steps", s.policy.steps()},
            {"observations", s.policy.columns().observations},
            {"actions", s.policy.columns().actions},
            {"goals", s.policy.columns().goals},
            {"parameters", s.parameters()},
            {"replicas", s.policy.options().fit.replicas},
            {"seed", s.policy.options().fit.seed},
            {"steps", nullptr},
            {"steps_planned", nullptr},
            {"final_loss", nullptr},
            {"seconds", s.seconds}};
  if (s.has_loss()) {
    json["steps"] = s.outcome.steps;
    json["steps_planned"] = training_steps(s.policy.options(), s.policy.demonstrations());
    json["final_loss"] = s.policy.predictor()->final_loss();
  }
  return json;
}

std::string to_text(const Summary& s) {
  const PolicyOptions& options = s.policy.options();
  const std::string size =
      s.policy.predictor()
          ? fmt::format(", {} parameters{}", s.parameters(),
                        options.fit.replicas > 1 ? fmt::format(" x {}", options.fit.replicas) : "")
          : "";
  std::vector<std::pair<std::string, std::string>> facts = {
      {"model", fmt::format("{} ({} preset{})", options.model, options.fit.preset, size)},
      {"learned from", fmt::format("{} demonstrations of {} steps, {}", s.policy.demonstrations(),
                                   s.policy.steps(), s.flags.demonstrations)},
      {"observations", fmt::format("{}", fmt::join(s.policy.columns().observations, ", "))},
      {"actions", fmt::format("{}", fmt::join(s.policy.columns().actions, ", "))},
      {"goals", fmt::format("{}", fmt::join(s.policy.columns().goals, ", "))}};
  if (s.has_loss()) {
    facts.emplace_back("steps", std::to_string(s.outcome.steps));
    facts.emplace_back("final loss", fmt::format("{:.4g}", s.policy.predictor()->final_loss()));
  }
  facts.emplace_back("time", fmt::format("{:.1f} s", s.seconds));
  facts.emplace_back("file", s.flags.fit.output);
  return "imitated\n" + fact_lines(facts);
}

void run(const ImitateFlags& flags) {
  const PolicyOptions options = options_of(flags);
  if (flags.fit.output == "-")
    throw Error("imitate", "a policy needs a file; found '-', which is standard output; name a file with -o");
  if (!find_policy_model(options.model).is_trained()) refuse_network_flags(flags.fit, options.model);
  check_output(flags.fit.output, {flags.demonstrations});
  const Demonstrations demonstrations = read(flags);
  const auto start = std::chrono::steady_clock::now();
  const ImitationResult result = imitate_watched({demonstrations, options}, flags.fit);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const Summary summary{flags, result.policy, result.outcome, taken.count()};
  if (flags.fit.json)
    print(to_json(summary).dump(JsonText::replaced) + "\n");
  else if (!flags.fit.quiet && result.outcome.status == TrainStatus::finished)
    print(to_text(summary));
}

}  // namespace

void add_imitate(const Command& app) {
  const auto flags = std::make_shared<ImitateFlags>();
  const Command sub = app.add_subcommand("imitate", "Learn a policy from demonstrations");
  sub.footer(
      "DEMOS is an HDF5 file with the layout of robomimic or Minari; one that 'kedge\n"
      "collect' wrote names its goals itself. Goals are observations that stay the same\n"
      "over an episode. Ctrl-C ends the training and keeps the best policy so far; a\n"
      "second Ctrl-C ends at once.\n"
      "\n"
      "Examples:\n"
      "  kedge imitate push.hdf5 -o push.kedge\n"
      "  kedge imitate lift.hdf5 --goal-columns target --obs-keys eef_pos,object,target \\\n"
      "    --horizon 80 -o lift.kedge");
  sub.add_option("DEMOS", flags->demonstrations, "HDF5 file of demonstrations").type_name("").required();
  const std::string data = "Data";
  sub.add_option("--goal-columns", flags->goal_columns,
                 "Observation columns, or keys for all their columns, that say what an episode is for "
                 "(default: those that the file names)")
      .type_name("COLS")
      .group(data);
  sub.add_option("--obs-keys", flags->observation_keys,
                 "Observation datasets to learn from, in this order (default: all)")
      .type_name("KEYS")
      .group(data);
  sub.add_option("--horizon", flags->horizon,
                 "Learn from the first N steps of each episode only, for episodes of different lengths")
      .type_name("N")
      .check(whole_number(1))
      .group(data);
  const FitOptions preset = policy_options(flags->fit.preset, flags->fit.model).fit;
  sub.add_option("--model", flags->fit.model, "What to learn (default: bilinear); 'kedge list policies'")
      .type_name("NAME")
      .group("Model");
  declare_network(sub, flags->fit, preset);
  declare_run(sub, flags->fit, preset);
  declare_updates(sub, flags->fit, preset, "demonstrations");
  declare_output(sub, flags->fit, "Policy", "POLICY");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
