#include "kedge/trials/fit.h"

#include <chrono>

#include "kedge/abi/guard.h"
#include "kedge/abi/handles.h"
#include "kedge/core/format.h"
#include "kedge/predictor/columns.h"
#include "kedge/table/row_weights.h"
#include "kedge/trials/settings.h"
#include "kedge/trials/trial_json.h"

namespace kedge {
namespace {

std::string first_name(const Table& table, Role role) {
  const std::vector<std::string> names = table.names(role);
  return names.empty() ? "" : names.front();
}

/// A table as a fit takes it, and the options for it.
struct Prepared {
  Table table;
  JsonSettings settings;
  FitOptions options = {};
  std::vector<std::string> constants = {};

  Prepared(const Table& given, const char* text)
      : table(given), settings(settings_from_json(text_or(text, ""))) {
    settings.fit.label = first_name(table, Role::label);
    settings.fit.time = first_name(table, Role::time);
    options = fit_options(settings.fit);
    // Examples of pairs name rows of the whole table; with them a fit refuses row weights.
    if (settings.fit.weights == WeightSource::none)
      if (auto counted = counted_rows(table)) table = std::move(*counted);
    constants = drop_constants(table, options);
  }
};

PairExamples examples_of(const kedge_pair_example* examples, size_t count, size_t rows) {
  PairExamples read;
  if (count > 0) required(examples, "examples");
  for (size_t e = 0; e < count; ++e) {
    const auto [query, anchor, weight] = examples[e];
    if (query >= rows || anchor >= rows || query == anchor || (weight != 0 && weight != 1))
      throw Error("fit",
                  fmt::format("example {} needs two rows below {} and a weight of 0 or 1; found {}, {} "
                              "and {}; mend it",
                              e, rows, query, anchor, weight));
    read.pairs.push_back({query, anchor});
    read.weights.push_back(weight);
  }
  return read;
}

/// What a trial of several models gives. Throws Error when none could be scored.
CrossValidation tried(const Prepared& fit, const CrossValidationOptions& trial, const RunOptions& run) {
  CrossValidation found = cross_validate(fit.table, fit.options, trial, run);
  if (found.status == TrainStatus::finished && found.recommendation.carries == Carries::unknown)
    throw Error("cv", fmt::format("needs a model that can be fitted to {}; {}: {}", fit.table.source(),
                                  found.models.front().name(), found.models.front().failure));
  return found;
}

struct Fitted {
  std::optional<CrossValidation> choice = {};
  std::optional<BudgetPlan> plan = {};
  std::optional<FitResult> result = {};
};

Fitted fitted(Prepared& fit, const PairExamples& examples, const Table* validation, const RunOptions& run) {
  const auto start = std::chrono::steady_clock::now();
  Fitted done;
  const std::optional<double> budget = budget_of(fit.settings.fit);
  if (needs_trial(fit.settings.fit)) {
    done.choice = tried(fit, trial_of_fit(fit.settings.fit), run);
    if (done.choice->status != TrainStatus::finished) throw fit_stopped();
    fit.options = options_after(*done.choice, fit.options);
  }
  const FitRequest request{fit.table, fit.options, examples, validation};
  if (budget && find_model(fit.options.model).is_trained()) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    BudgetedFit within = fit_within(request, *budget - taken.count(), run);
    done.plan = std::move(within.plan);
    done.result = std::move(within.result);
  } else {
    done.result = kedge::fit(request, run);
  }
  return done;
}

void require_convergence(const FitResult& result, const FitOptions& options) {
  if (result.outcome.status != TrainStatus::diverged) return;
  throw Diverged(
      "fit",
      fmt::format("training diverged after step {} of {}: the loss is no longer finite; take a smaller "
                  "learning rate than {}, or look for extreme values in the table",
                  result.outcome.steps, result.predictor.options().training.steps,
                  options.training.adam.learning_rate),
      "learning-rate");
}

Intake intake_without(const std::vector<std::string>& constants) {
  Intake intake;
  intake.constants = constants;
  return intake;
}

}  // namespace
}  // namespace kedge

using namespace kedge;

kedge_status kedge_fit(const kedge_table* table, const kedge_table* validation, const char* settings,
                       const kedge_pair_example* examples, size_t example_count, const kedge_run* run,
                       kedge_predictor** predictor, kedge_text** report) {
  return guarded([&] {
    kedge_predictor*& handle = cleared(predictor, "predictor");
    if (report) *report = nullptr;
    Prepared fit(required(table, "table").table, settings);
    const PairExamples pairs = examples_of(examples, example_count, fit.table.rows());
    WatchedRun watched(run, device_of(fit.settings.fit));
    Fitted done = watched([&](const RunOptions& options) {
      return fitted(fit, pairs, validation ? &validation->table : nullptr, options);
    });
    require_convergence(*done.result, fit.options);
    if (!fit.constants.empty()) done.result->predictor.set_intake(intake_without(fit.constants));
    Json json = fit_json(*done.result, done.choice, done.plan);
    json["left_out"] = fit.constants;
    const auto& errors = done.result->training_errors;
    json["worse_than_constant"] = errors && errors->is_worse_than_constant();
    auto made = std::make_unique<kedge_predictor>(std::move(done.result->predictor));
    give(report, json);
    handle = made.release();
  });
}

kedge_status kedge_cross_validate(const kedge_table* table, const char* settings, const kedge_run* run,
                                  kedge_text** report) {
  return guarded([&] {
    cleared(report, "report");
    const Prepared fit(required(table, "table").table, settings);
    CrossValidationOptions trial = trial_of(fit.settings.fit, fit.settings.models);
    if (fit.settings.effort) trial.effort = *fit.settings.effort;
    if (!(trial.effort > 0 && trial.effort <= 1))
      throw Error("options", fmt::format("effort needs a number above 0, at most 1; found {}; take another",
                                         trial.effort));
    for (const std::string& name : trial.models) find_model(name);
    WatchedRun watched(run, device_of(fit.settings.fit));
    const CrossValidation found =
        watched([&](const RunOptions& options) { return tried(fit, trial, options); });
    Json models = Json::array();
    for (const ModelScore& score : found.models) models.push_back(to_json(score));
    give(report, Json{{"rows", fit.table.rows()},
                      {"inputs", fit.table.names(Role::input)},
                      {"outputs", fit.table.names(Role::output)},
                      {"left_out", fit.constants},
                      {"effort", trial.effort},
                      {"models", std::move(models)},
                      {"recommendation", to_json(found.recommendation)}});
  });
}
