#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/fit_flags.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "kedge/core/error.h"
#include "kedge/predictor.h"
#include "kedge/rehearsal.h"
#include "kedge/table/shown.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

/// Each column that a flag names, with its role. Throws Error when two flags claim one column.
class Roles {
 public:
  void claim(Role role, const std::string& flag, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto [taken, is_new] = flag_of_.emplace(name, flag);
      if (!is_new)
        throw Error("fit", fmt::format("a column has one part; found {} in {} and in {}", shown(name),
                                       taken->second, flag));
      names_[role].push_back(name);
    }
  }
  std::vector<std::string> names(Role role) const {
    const auto found = names_.find(role);
    return found == names_.end() ? std::vector<std::string>{} : found->second;
  }

  std::vector<std::string> all_but_ignored() const {
    std::vector<std::string> all;
    for (const auto& [role, names] : names_)
      if (role != Role::ignored) all.insert(all.end(), names.begin(), names.end());
    return all;
  }

  void assign_to(Table& table) const {
    for (const auto& [role, names] : names_)
      if (role != Role::ignored) table.assign(role, names);
  }

 private:
  std::map<std::string, std::string> flag_of_;
  std::map<Role, std::vector<std::string>> names_;
};

std::vector<std::string> if_given(const std::string& name) {
  return name.empty() ? std::vector<std::string>{} : std::vector<std::string>{name};
}

Roles roles_of(const FitFlags& flags) {
  Roles roles;
  roles.claim(Role::output, "--target", split_names(flags.targets, "--target"));
  roles.claim(Role::input, "--inputs", split_names(flags.inputs, "--inputs"));
  roles.claim(Role::ignored, "--ignore", split_names(flags.ignore, "--ignore"));
  roles.claim(Role::label, "--label", if_given(flags.label));
  roles.claim(Role::time, "--time", if_given(flags.time));
  roles.claim(Role::episode, "--episode", if_given(flags.episode));
  return roles;
}

/// The training table with its roles, without the columns that nobody reads.
Table training_table(const FitFlags& flags, const Roles& roles) {
  CsvOptions csv{.text = roles.names(Role::label), .only = {}, .skip = roles.names(Role::ignored)};
  for (const std::string& name : roles.names(Role::episode)) csv.text.push_back(name);
  if (!roles.names(Role::input).empty()) csv.only = roles.all_but_ignored();
  Table table = read_table(flags.train, csv);
  roles.assign_to(table);
  return table;
}

/// What the library would find later, or without knowing the file's name.
void check_columns(const Table& table, const FitOptions& options) {
  for (const std::string& name : options.context) table.column(name);
  try {
    Space::parse(options.space, table.names(Role::input));
  } catch (const Error& error) {
    throw Error("fit", fmt::format("{}, --space: {}", table.source(), error.what()));
  }
}

/// The labelled pairs that --weights names; none without.
PairLabels labels_of(const FitFlags& flags, const Table& table) {
  const std::string file = label_file(flags);
  if (file.empty()) return {};
  if (file == "-" && flags.train == "-")
    throw Error("fit",
                "standard input holds one table; found '-' for the rows and for --weights; name a file");
  return read_pair_labels(read_table(file, {}), table.rows());
}

struct Summary {
  const FitFlags& flags;
  const Predictor& predictor;
  const TrainOutcome& outcome;
  double seconds = 0;

  bool is_trained() const { return find_model(flags.model).solver == Solver::adam; }
};

nlohmann::ordered_json to_json(const Summary& s) {
  const bool stopped = s.outcome.status == TrainStatus::stopped;
  nlohmann::ordered_json json{{"status", stopped ? "stopped" : "finished"},
                              {"file", s.flags.output},
                              {"model", s.flags.model},
                              {"preset", s.flags.preset},
                              {"rows", s.predictor.training_rows()},
                              {"inputs", s.predictor.inputs()},
                              {"outputs", s.predictor.outputs()},
                              {"parameters", s.predictor.program().parameters()},
                              {"replicas", s.predictor.options().replicas},
                              {"seed", s.predictor.options().seed},
                              {"steps", nullptr},
                              {"steps_planned", nullptr},
                              {"final_loss", nullptr},
                              {"seconds", s.seconds}};
  if (s.is_trained()) {
    json["steps"] = s.outcome.steps;
    json["steps_planned"] = s.predictor.options().training.steps;
    json["final_loss"] = s.predictor.final_loss();
  }
  return json;
}

std::string to_text(const Summary& s) {
  const FitOptions& options = s.predictor.options();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"model", fmt::format("{} ({} preset, {} parameters{})", options.model, options.preset,
                            s.predictor.program().parameters(),
                            options.replicas > 1 ? fmt::format(" x {}", options.replicas) : "")},
      {"rows", fmt::format("{} of {}", s.predictor.training_rows(),
                           s.flags.train == "-" ? "standard input" : s.flags.train)},
      {"inputs", fmt::format("{}", fmt::join(s.predictor.inputs(), ", "))},
      {"targets", fmt::format("{}", fmt::join(s.predictor.outputs(), ", "))}};
  if (s.is_trained()) {
    facts.emplace_back("steps", std::to_string(s.outcome.steps));
    facts.emplace_back("final loss", fmt::format("{:.4g}", s.predictor.final_loss()));
  }
  facts.emplace_back("time", fmt::format("{:.1f} s", s.seconds));
  facts.emplace_back("file", s.flags.output);
  return "fitted\n" + fact_lines(facts);
}

/// Fits with a progress bar; a signal ends the training early.
Predictor fit_watched(const Table& table, const PairLabels& labels, const FitOptions& options,
                      const FitFlags& flags, TrainOutcome& outcome) {
  const Interrupt interrupt;
  const uint64_t training = training_steps(options, table.rows());
  ProgressBar bar("fit",
                  trial_steps(table, options) + joint_steps(options.weights, training) + training +
                      calibration_steps(table, options),
                  {.surface = flags.quiet ? ProgressSurface::hidden : ProgressSurface::detect});
  const auto watch = [&](const Progress& progress) {
    bar.update(progress.step, progress.loss);
    return !interrupt.requested();
  };
  Predictor predictor = Predictor::fit(table, options, watch, &outcome, flags.threads, labels);
  bar.clear();
  const uint64_t steps = predictor.options().training.steps;
  if (outcome.status == TrainStatus::diverged)
    throw Error("fit", fmt::format("training diverged after step {} of {}: the loss is no longer finite; "
                                   "take a smaller --learning-rate than {}{}",
                                   outcome.steps, steps, options.training.adam.learning_rate,
                                   options.inputs == Scaling::none
                                       ? ", or a preset that standardizes inputs (--preset default)"
                                       : ", or look for extreme values in the table"));
  predictor.save(flags.output);
  if (outcome.status == TrainStatus::stopped)
    std::fputs(fmt::format("kedge: stopped at step {} of {}; the best model so far is in {}\n", outcome.steps,
                           steps, flags.output)
                   .c_str(),
               stderr);
  return predictor;
}

void run(const FitFlags& flags) {
  const FitOptions options = options_of(flags);
  const Roles roles = roles_of(flags);
  if (flags.output == "-")
    throw Error("fit", "a model needs a file; found '-', which is standard output; name a file with -o");
  check_output(flags.output, {flags.train, label_file(flags)});
  const Table table = training_table(flags, roles);
  check_columns(table, options);
  const PairLabels labels = labels_of(flags, table);
  const auto start = std::chrono::steady_clock::now();
  TrainOutcome outcome;
  const Predictor predictor = fit_watched(table, labels, options, flags, outcome);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const Summary summary{flags, predictor, outcome, taken.count()};
  if (flags.json)
    print(to_json(summary).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  else if (!flags.quiet && outcome.status == TrainStatus::finished)
    print(to_text(summary));
}

}  // namespace

void add_fit(CLI::App& app) {
  const auto flags = std::make_shared<FitFlags>();
  CLI::App* sub = app.add_subcommand("fit", "Fit a model to a table and write it to a file");
  sub->footer(
      "Ctrl-C ends the training and keeps the best model so far; a second Ctrl-C ends\n"
      "at once. A comma in a column name is written '\\,'.\n"
      "\n"
      "Examples:\n"
      "  kedge fit train.csv --target y -o model.kedge\n"
      "  kedge fit arm.csv --target torque --space elbow=angle,load=log -o arm.kedge\n"
      "  kedge fit grasps.csv --target gx,gy,gz --label object -o grasps.kedge\n"
      "  kedge fit grasps.csv --target gx,gy,gz --ignore object --weights pairs.csv -o grasps.kedge");
  declare(*sub, *flags);
  sub->callback([flags] { run(*flags); });
}

}  // namespace kedge
