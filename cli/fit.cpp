#include "cli/fit.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/anchor_rows.h"
#include "cli/budget_words.h"
#include "cli/choosing.h"
#include "cli/commands.h"
#include "cli/fit_flags.h"
#include "cli/fit_page.h"
#include "cli/hints.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/training_table.h"
#include "cli/unread_flags.h"
#include "cli/watched_training.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/trials/fit.h"
#include "kedge/trials/trial_json.h"

namespace kedge {
namespace {

/// The example pairs that --weights names; none without.
PairExamples examples_of(const FitFlags& flags, const TrainingTable& training) {
  const std::string file = example_file(flags);
  if (file.empty()) return {};
  if (training.dropped > 0)
    throw Error("fit",
                "--weights counts the rows of the file; found --missing drop, which leaves some out; drop "
                "them from both files");
  if (file == "-" && flags.train == "-")
    throw Error("fit",
                "standard input holds one table; found '-' for the rows and for --weights; name a file");
  return read_pair_examples(read_table(file, {}), training.table.rows());
}

/// The rows that --validation names; nothing without.
std::optional<Table> validation_of(const FitFlags& flags, const TrainingTable& training) {
  if (flags.validation.empty()) return std::nullopt;
  const Intake& intake = training.intake;
  CsvOptions options;
  for (const IntakeColumn& column : intake.columns)
    if (column.kind == IntakeKind::category) options.text.push_back(column.name);
  Table raw = read_table(flags.validation, options);
  raw.assign(Role::input, intake.sources(training.table.names(Role::input)));
  raw.assign(Role::output, training.table.names(Role::output));
  TakenIn taken = intake.apply(std::move(raw));
  if (const auto bad =
          std::find_if(taken.notes.begin(), taken.notes.end(), [](const auto& n) { return !n.empty(); });
      bad != taken.notes.end())
    throw Error("fit", fmt::format("{}: {}",
                                   taken.table.where(static_cast<size_t>(bad - taken.notes.begin())), *bad));
  return std::move(taken.table);
}

struct Summary {
  const FitFlags& flags;
  const FitResult& result;
  const std::optional<CrossValidation>& choice;
  double seconds = 0;
  const std::optional<BudgetPlan>& plan;
  const Predictor& predictor = result.predictor;

  bool is_trained() const { return find_model(predictor.options().model).is_trained(); }
};

Json to_json(const Summary& s) {
  Json json = fit_json(s.result, s.choice, s.plan);
  json["file"] = s.flags.output;
  json["seconds"] = s.seconds;
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
      {"inputs", fmt::format("{}", fmt::join(s.predictor.intake().sources(s.predictor.inputs()), ", "))},
      {"targets", fmt::format("{}", fmt::join(s.predictor.outputs(), ", "))}};
  if (s.is_trained()) {
    facts.emplace_back("steps", std::to_string(s.result.outcome.steps));
    facts.emplace_back("final loss", fmt::format("{:.4g}", s.predictor.final_loss()));
    if (const std::string device = device_text(s.flags, s.result.trained_on); !device.empty())
      facts.emplace_back("trained on", device);
  }
  if (const auto& validation = s.result.validation)
    facts.emplace_back("validation", fmt::format("error {:.4g} at step {}, in deviations of the outputs",
                                                 validation->error, validation->step));
  if (const std::string rows = anchor_rows_text(s.predictor); !rows.empty())
    facts.emplace_back("anchors", rows);
  facts.emplace_back("time", fmt::format("{:.1f} s", s.seconds));
  if (const std::string outlook = s.plan ? outlook_text(*s.plan) : ""; !outlook.empty())
    facts.emplace_back("more time", outlook);
  facts.emplace_back("file", s.flags.output);
  return "fitted\n" + fact_lines(facts);
}

[[noreturn]] void refuse_divergence(const FitResult& result, const FitOptions& options) {
  throw Error("fit", fmt::format("training diverged after step {} of {}: the loss is no longer finite; "
                                 "take a smaller --learning-rate than {}{}",
                                 result.outcome.steps, result.predictor.options().training.steps,
                                 options.training.adam.learning_rate,
                                 options.inputs == Scaling::none
                                     ? ", or a preset that standardizes inputs (--preset default)"
                                     : ", or look for extreme values in the table"));
}

/// Says which model cross-validation found, before the fit that may take long.
void tell(const CrossValidation& choice, const FitFlags& flags) {
  if (flags.quiet) return;
  const Recommendation& recommendation = choice.recommendation;
  const FitOptions& chosen = choice.score(recommendation.model).options;
  const std::string text = fmt::format(
      "{}\nfitting {}{}\n", wrapped(recommendation.reason), recommendation.model,
      (recommendation.carries == Carries::over ? "" : ", the best there is") + tuned_words(chosen));
  if (flags.json)
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

void write_page(const FitFlags& flags, const FitResult& result, const Table& table) {
  const FitSource source{
      .train = flags.train,
      .model = flags.output,
      .command =
          fmt::format("{} --html {}", fit_command(flags, result.predictor.options()), quoted(flags.html))};
  write_result(flags.html, [&](std::ostream& out) { out << to_html(fit_page(result, table, source)); });
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

void fit_and_save(const FitFlags& flags) {
  const FitSettings settings = settings_of(flags);
  const std::optional<double> budget = budget_of(settings);
  FitOptions options = fit_options(settings);
  if (!flags.validation.empty() && device_of(flags) == Device::cuda)
    wrong_usage(
        "--validation measures parameters during the training, which --device cuda cannot; take --device "
        "cpu or auto");
  if (flags.output == "-")
    throw Error("fit", "a model needs a file; found '-', which is standard output; name a file with -o");
  if (flags.model != auto_model) refuse_unread_flags(flags, options.model);
  check_output(flags.output, {flags.train, example_file(flags)});
  if (flags.html == "-") throw Error("fit", "--html needs a file; found '-', which is standard output");
  check_output(flags.html, {flags.train, example_file(flags)});
  check_distinct({{"-o", flags.output}, {"--html", flags.html}});
  refuse_trial_flags(flags);
  require_device(device_of(flags));
  if (needs_trial(flags) && !flags.pair_weights.empty())
    throw Error("fit", fmt::format("{} auto is for models without weights; found --weights; name a {}",
                                   flags.model == auto_model ? "--model" : "--anchors",
                                   flags.model == auto_model ? "model" : "rule"));
  const TrainingTable training_rows = training_table(flags, options);
  const Table& table = training_rows.table;
  const PairExamples examples = examples_of(flags, training_rows);
  const std::optional<Table> validation = validation_of(flags, training_rows);
  if (!flags.quiet) print_hints(table, options.space, training_rows.intake);
  const Clock::time_point start = Clock::now();
  std::optional<CrossValidation> choice;
  if (needs_trial(flags)) {
    choice = cross_validate_watched(table, options, trial_of_fit(flags), flags);
    options = options_after(*choice, options);
    tell(*choice, flags);
  }
  WatchedTraining training("fit", "model", flags);
  std::optional<BudgetPlan> plan;
  FitResult result = training.run([&](const RunOptions& run) {
    if (!budget || !find_model(options.model).is_trained())
      return fit({table, options, examples, validation ? &*validation : nullptr}, run);
    const FitRequest request{table, options, examples, validation ? &*validation : nullptr};
    BudgetedFit fitted = fit_within(request, *budget - seconds_since(start), run);
    plan = std::move(fitted.plan);
    return std::move(fitted.result);
  });
  if (result.outcome.status == TrainStatus::diverged) refuse_divergence(result, options);
  result.predictor.set_intake(training_rows.intake);
  const TrainingEnd end{result.outcome, result.predictor.options().training.steps, result.training_errors,
                        result.calibration_stopped};
  const WatchedTraining::Kept kept = training.keep(end, [&] { result.predictor.save(flags.output); });
  if (kept.is_saved && !flags.html.empty()) write_page(flags, result, table);
  const Summary summary{flags, result, choice, seconds_since(start), plan};
  if (flags.json && kept.is_saved)
    print(to_json(summary).dump(JsonText::replaced) + "\n");
  else if (!flags.quiet && !kept.fault)
    print(to_text(summary));
  if (kept.fault) throw Error(*kept.fault);
}

void add_fit(const Command& app) {
  const auto flags = std::make_shared<FitFlags>();
  const Command sub = app.add_subcommand("fit", "Fit a model to a table and write it to a file");
  sub.footer(
      "Ctrl-C at a terminal ends the training and keeps the best model so far; a second\n"
      "Ctrl-C ends at once. Any other stop writes nothing, unless --keep-partial is\n"
      "given. After a stop the exit status is 1.\n"
      "One of , + = \\ in a column name has a \\ before it.\n"
      "\n"
      "Examples:\n"
      "  kedge fit train.csv --target y -o model.kedge\n"
      "  kedge fit train.csv --target y --model auto -o model.kedge\n"
      "  kedge fit arm.csv --target torque --space elbow=angle,load=log -o arm.kedge\n"
      "  kedge fit houses.csv --target price --missing impute --cycles sold=year \\\n"
      "    -o houses.kedge\n"
      "  kedge fit grasps.csv --target gx,gy,gz --label object -o grasps.kedge\n"
      "  kedge fit grasps.csv --target gx,gy,gz --ignore object --weights pairs.csv \\\n"
      "    -o grasps.kedge");
  declare(sub, *flags);
  sub.add_option("--html", flags->html,
                 "Page to write: how well the model fits, how far it reaches, and what next")
      .type_name("FILE");
  sub.add_option("--validation", flags->validation,
                 "Table of rows that are not trained on: of the parameters at each twentieth of the training "
                 "those are kept that do best on them")
      .type_name("FILE")
      .group("Training");
  sub.add_option("--budget", flags->budget,
                 "Time that the command takes about, as 60s, 5m or 1h, instead of --steps: fills it with "
                 "steps and replicas, and says what more would buy; trials of auto come before and may take "
                 "longer")
      .type_name("TIME")
      .group("Training");
  sub.callback([flags] { fit_and_save(*flags); });
}

}  // namespace kedge
