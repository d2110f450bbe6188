#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "cli/choosing.h"
#include "cli/commands.h"
#include "cli/hints.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/score_text.h"
#include "cli/terminal.h"
#include "cli/training_table.h"
#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/report/tables.h"
#include "kedge/table/csv.h"
#include "kedge/trials/trial_json.h"

namespace kedge {
namespace {

struct CvFlags {
  FitFlags fit;
  std::string models;
  double effort = CrossValidationOptions().effort;
};

CrossValidationOptions validation_of(const CvFlags& flags) {
  if (!(flags.effort > 0 && flags.effort <= 1))
    throw Error(
        "options",
        fmt::format("--effort needs a number above 0, at most 1; found {}; take a number in that range",
                    flags.effort));
  CrossValidationOptions options = trial_of(flags.fit, split_names(flags.models, "--models"));
  options.effort = flags.effort;
  for (const std::string& name : options.models) find_model(name);
  return options;
}

/// Least error out of support first, models without a score last.
std::vector<const ModelScore*> sorted(const CrossValidation& found) {
  std::vector<const ModelScore*> scores;
  for (const ModelScore& score : found.models) scores.push_back(&score);
  std::stable_sort(scores.begin(), scores.end(), [](const ModelScore* a, const ModelScore* b) {
    if (a->failure.empty() != b->failure.empty()) return a->failure.empty();
    return a->out.mean < b->out.mean;
  });
  return scores;
}

std::string percent_text(const Estimate& part) {
  return std::isnan(part.mean) ? "-" : fmt::format("{:.0f} %", 100 * part.mean);
}

TextTable text_table(const CrossValidation& found) {
  TextTable table{.columns = {{"model"},
                              {"in support", Align::right},
                              {"out of support", Align::right},
                              {"beyond outputs", Align::right},
                              {"found", Align::right}}};
  for (const ModelScore* score : sorted(found)) {
    const Emphasis emphasis = score->name() == found.recommendation.model ? Emphasis::strong : Emphasis::none;
    table.rows.push_back({{score->name(), emphasis},
                          {estimate_text(score->in), emphasis},
                          {estimate_text(score->out), emphasis},
                          {estimate_text(score->beyond), emphasis},
                          {percent_text(score->found), emphasis}});
  }
  return table;
}

/// What was found: scores, and the recommended model's with variants.
struct Found {
  CrossValidation scores;
  std::vector<VariantScore> variants;

  const ModelScore& recommended() const { return scores.score(scores.recommendation.model); }
  std::optional<VariantScore> better() const { return best_variant(variants, recommended()); }
};

/// The fit that follows, with a variant that helps.
std::string command_of(const Found& found, const CvFlags& flags) {
  FitFlags fit = flags.fit;
  const auto better = found.better();
  if (!better) return fit_command(fit, found.recommended().options);
  fit.space = joined_space(fit.space, better->variant.space);
  return fit_command(fit, better->score.options);
}

std::string flag_of(const Variant& variant) { return "--space " + quoted(variant.space); }

std::string advice_of(const Found& found) {
  const auto better = found.better();
  if (!better) return "";
  return wrapped(fmt::format("With {} {} errs by {:.2g} instead of {:.2g}{}: add it.",
                             flag_of(better->variant), better->score.model(), better->score.out.mean,
                             found.recommended().out.mean,
                             better->score.model() == found.scores.recommendation.model
                                 ? ""
                                 : fmt::format(" (of {} without)", found.scores.recommendation.model))) +
         "\n\n";
}

/// Every device that trained, each once; empty where --device leaves no doubt of it.
std::string devices_text(const CrossValidation& found, const FitFlags& flags) {
  std::vector<std::string> names;
  for (const ModelScore& score : found.models)
    for (const ShellScore& shell : score.shells) {
      const std::string name = device_text(flags, shell.trained_on);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string to_text(const Found& all, const CvFlags& flags) {
  const CrossValidation& found = all.scores;
  const std::vector<Shell> shells = CrossValidationOptions().shells;
  const size_t by_inputs =
      shells.size() - static_cast<size_t>(std::count_if(shells.begin(), shells.end(), is_of_outputs));
  std::string text = to_text(text_table(found), output_style(), output_columns());
  for (const ModelScore* score : sorted(found))
    if (!score->failure.empty())
      text += wrapped(fmt::format("{}: {}", score->name(), one_line(score->failure))) + "\n";
  text += fmt::format(
      "\nErrors in deviations of the outputs: 0 is perfect, 1 no better than their mean.\n"
      "Mean and deviation over trials that held out the outermost rows ({} by inputs, {}\n"
      "by outputs). Found: the part of the outermost outputs that its ranking finds.\n\n",
      by_inputs, shells.size() - by_inputs);
  if (const std::string devices = devices_text(found, flags.fit); !devices.empty())
    text += fmt::format("Networks were trained on {}.\n\n", devices);
  // A warning that a variant makes void would only confuse.
  const auto better = all.better();
  const bool is_mended = better && carries(better->score) == Carries::over;
  if (!is_mended || found.recommendation.carries == Carries::over)
    text += wrapped(found.recommendation.reason) + "\n\n";
  return text + advice_of(all) + wrapped_command(command_of(all, flags)) + "\n";
}

Json to_json(const Found& all, const CvFlags& flags, const Table& table, double seconds) {
  const CrossValidation& found = all.scores;
  Json models = Json::array(), variants = Json::array();
  const auto better = all.better();
  for (const VariantScore& one : all.variants) {
    Json json = to_json(one.score);
    json["add"] = flag_of(one.variant);
    json["helps"] =
        better && better->variant.space == one.variant.space && better->score.model() == one.score.model();
    variants.push_back(std::move(json));
  }
  for (const ModelScore& score : found.models) models.push_back(to_json(score));
  Json json{{"rows", table.rows()},
            {"inputs", table.names(Role::input)},
            {"outputs", table.names(Role::output)},
            {"seed", flags.fit.seed.value_or(0)},
            {"effort", flags.effort},
            {"models", std::move(models)},
            {"variants", std::move(variants)},
            {"recommendation", to_json(found.recommendation)},
            {"seconds", seconds}};
  json["recommendation"]["command"] = command_of(all, flags);
  return json;
}

/// A row per model, as the text shows them; NaN where there is no number.
Table csv_table(const CrossValidation& found) {
  Table table("cv");
  const std::vector<const ModelScore*> scores = sorted(found);
  const auto words = [&](const std::string& name, auto word) {
    Column column{.name = name, .role = Role::label, .values = {}, .words = {}};
    for (size_t r = 0; r < scores.size(); ++r) {
      column.values.push_back(static_cast<double>(r));
      column.words.push_back(word(*scores[r]));
    }
    table.add(std::move(column));
  };
  const auto numbers = [&](const std::string& name, Estimate ModelScore::*part, double Estimate::*number) {
    Column column{.name = name, .role = Role::ignored, .values = {}, .words = {}};
    for (const ModelScore* score : scores) column.values.push_back(score->*part.*number);
    table.add(std::move(column));
  };
  words("model", [](const ModelScore& score) { return score.name(); });
  numbers("in_support", &ModelScore::in, &Estimate::mean);
  numbers("in_support_sd", &ModelScore::in, &Estimate::deviation);
  numbers("out_of_support", &ModelScore::out, &Estimate::mean);
  numbers("out_of_support_sd", &ModelScore::out, &Estimate::deviation);
  numbers("rank_correlation", &ModelScore::rank, &Estimate::mean);
  numbers("rank_correlation_sd", &ModelScore::rank, &Estimate::deviation);
  numbers("beyond_outputs", &ModelScore::beyond, &Estimate::mean);
  numbers("beyond_outputs_sd", &ModelScore::beyond, &Estimate::deviation);
  numbers("beyond_rank_correlation", &ModelScore::beyond_rank, &Estimate::mean);
  numbers("beyond_found", &ModelScore::found, &Estimate::mean);
  words("carries", [](const ModelScore& score) { return kind_of(carries(score)); });
  words("failure", [](const ModelScore& score) { return score.failure; });
  return table;
}

void run(const CvFlags& flags) {
  FitOptions base = fit_options(settings_of(flags.fit));
  const CrossValidationOptions options = validation_of(flags);
  const bool csv_on_standard_output = flags.fit.output == "-";
  if (csv_on_standard_output && flags.fit.json)
    throw Error("options", "--json and -o - both write to standard output; give one of them");
  check_output(flags.fit.output, {flags.fit.train});
  require_device(device_of(flags.fit));
  const auto [table, intake, dropped] = training_table(flags.fit, base);
  if (!flags.fit.quiet) print_hints(table, base.space, intake);
  const auto start = std::chrono::steady_clock::now();
  Found found{cross_validate_watched(table, base, options, flags.fit), {}};
  found.variants = try_variants_watched(table, found.scores, options, flags.fit);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!flags.fit.output.empty())
    write_result(flags.fit.output,
                 [&](std::ostream& out) { write_csv(out, csv_table(found.scores), {.nan = ""}); });
  if (flags.fit.json)
    print(to_json(found, flags, table, taken.count()).dump(JsonText::replaced) + "\n");
  else if (!csv_on_standard_output)
    print(to_text(found, flags));
}

}  // namespace

void add_cv(const Command& app) {
  const auto flags = std::make_shared<CvFlags>();
  const Command sub = app.add_subcommand("cv", "Find out which model is right for a table, if any is");
  sub.footer(
      "Holds out the outermost fifth of the rows (around, at the low end, at the high\n"
      "end), and the tenth of smallest and of largest outputs; fits each model to the\n"
      "rest, and measures how well it predicts what was held out. Bilinear is tried\n"
      "over the best closed form too. Ctrl-C ends it without a result.\n"
      "\n"
      "Examples:\n"
      "  kedge cv train.csv --target y\n"
      "  kedge cv train.csv --target y --models bilinear,mlp,quadratic --effort 1");
  declare_data(sub, flags->fit);
  sub.add_option("--models", flags->models,
                 "Models to compare, with commas between (default: all that can be fitted); "
                 "'kedge list models'")
      .type_name("NAMES")
      .group("Training");
  sub.add_option("--effort", flags->effort,
                 fmt::format("Part of a fit's updates that each trial takes (default: {})", flags->effort))
      .type_name("X")
      .group("Training");
  declare_training(sub, flags->fit);
  declare_beyond(sub, flags->fit);
  sub.add_option("-o,--output", flags->fit.output,
                 "CSV file to write the table to as well; '-' prints it instead")
      .type_name("FILE")
      .group("Output");
  sub.add_flag("--quiet", flags->fit.quiet, "No progress on standard error").group("Output");
  sub.add_flag("--json", flags->fit.json, "Print one JSON object instead of the table").group("Output");
  sub.callback([flags] { run(*flags); });
}

}  // namespace kedge
