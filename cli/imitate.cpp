#include "kedge/imitation/imitate.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/fit_flags.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/unread_flags.h"
#include "cli/watched_training.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/demonstrations/hdf5.h"
#include "kedge/imitation/info.h"

namespace kedge {
namespace {

struct ImitateFlags {
  FitFlags fit;
  std::string demonstrations, goal_columns, observation_keys;
  std::optional<size_t> horizon;
};

PolicyOptions options_of(const ImitateFlags& flags) {
  PolicyOptions options = policy_options(flags.fit.preset, flags.fit.model);
  set_training(settings_of(flags.fit), options.fit);
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

[[noreturn]] void refuse_divergence(const TrainOutcome& outcome, uint64_t steps, const FitOptions& options) {
  throw Error("imitate", fmt::format("training diverged after step {} of {}: the loss is no longer finite; "
                                     "take a smaller --learning-rate than {}, or look for extreme values "
                                     "in the demonstrations",
                                     outcome.steps, steps, options.training.adam.learning_rate));
}

struct Summary {
  const ImitateFlags& flags;
  const ImitationResult& result;
  double seconds = 0;
  const Policy& policy = result.policy;

  bool has_loss() const { return find_policy_model(policy.options().model).is_trained(); }
  size_t parameters() const { return policy.predictor() ? policy.predictor()->program().parameters() : 0; }
};

Json to_json(const Summary& s) {
  Json json = imitation_json(s.result);
  json["file"] = s.flags.fit.output;
  json["seconds"] = s.seconds;
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
    facts.emplace_back("steps", std::to_string(s.result.outcome.steps));
    facts.emplace_back("final loss", fmt::format("{:.4g}", s.policy.predictor()->final_loss()));
    if (const std::string device = device_text(s.flags.fit, s.result.trained_on); !device.empty())
      facts.emplace_back("trained on", device);
  }
  facts.emplace_back("time", fmt::format("{:.1f} s", s.seconds));
  facts.emplace_back("file", s.flags.fit.output);
  return "imitated\n" + fact_lines(facts);
}

void run(const ImitateFlags& flags) {
  const PolicyOptions options = options_of(flags);
  if (flags.fit.output == "-")
    throw Error("imitate", "a policy needs a file; found '-', which is standard output; name a file with -o");
  const PolicyModel& model = find_policy_model(options.model);
  if (!model.is_trained()) refuse_network_flags(flags.fit, options.model);
  if (model.anchors) refuse_anchor_flags(flags.fit, options.model);
  if (!model.fit.empty()) refuse_unread_flags(flags.fit, model.fit);
  check_output(flags.fit.output, {flags.demonstrations});
  require_device(device_of(flags.fit));
  const Demonstrations demonstrations = read(flags);
  const auto start = std::chrono::steady_clock::now();
  WatchedTraining training("imitate", "policy", flags.fit);
  const ImitationResult result = training.run([&](const RunOptions& run) {
    return imitate({demonstrations, options}, run);
  });
  const uint64_t steps = training_steps(options, demonstrations.size());
  if (result.outcome.status == TrainStatus::diverged) refuse_divergence(result.outcome, steps, options.fit);
  const TrainingEnd end{result.outcome, steps, result.training_errors, result.calibration_stopped};
  const WatchedTraining::Kept kept = training.keep(end, [&] { result.policy.save(flags.fit.output); });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const Summary summary{flags, result, taken.count()};
  if (flags.fit.json && kept.is_saved)
    print(to_json(summary).dump(JsonText::replaced) + "\n");
  else if (!flags.fit.quiet && !kept.fault)
    print(to_text(summary));
  if (kept.fault) throw Error(*kept.fault);
}

}  // namespace

void add_imitate(const Command& app) {
  const auto flags = std::make_shared<ImitateFlags>();
  const Command sub = app.add_subcommand("imitate", "Learn a policy from demonstrations");
  sub.footer(
      "DEMOS is an HDF5 file with the layout of robomimic or Minari; one that 'kedge\n"
      "collect' wrote names its goals itself. Goals are observations that stay the same\n"
      "over an episode.\n"
      "\n"
      "Ctrl-C at a terminal ends the training and keeps the best policy so far; a\n"
      "second Ctrl-C ends at once. Any other stop writes nothing, unless --keep-partial\n"
      "is given. After a stop the exit status is 1.\n"
      "\n"
      "Examples:\n"
      "  kedge imitate push.hdf5 -o push.kedge\n"
      "  kedge imitate lift.hdf5 --goal-columns target \\\n"
      "    --obs-keys eef_pos,object,target --horizon 80 -o lift.kedge");
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
      .suggests(names_in(policy_models()))
      .group("Model");
  declare_network(sub, flags->fit, preset);
  declare_run(sub, flags->fit, preset);
  declare_updates(sub, flags->fit, preset, "demonstrations");
  declare_output(sub, flags->fit, "Policy", "POLICY");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
