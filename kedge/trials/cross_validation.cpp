#include "kedge/trials/cross_validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/predictor/sizes.h"

namespace kedge {
namespace {

// Beyond this a quadratic takes minutes.
constexpr size_t most_quadratic_features = 2000;
constexpr size_t trial_pool = 10000, trial_queries = 200;

/// Candidates with the options of their fits; why, for those that are skipped.
std::vector<ModelScore> candidates(const Table& table, const FitOptions& base,
                                   const CrossValidationOptions& options) {
  const bool chosen_by_user = !options.models.empty();
  std::vector<ModelScore> scores;
  for (const std::string& name : chosen_by_user ? options.models : default_candidates(base)) {
    find_model(name);
    ModelScore score;
    score.options = base;
    score.options.model = name;
    score.options = sized(score.options, table);
    if (name == "quadratic" && !chosen_by_user) {
      const auto inputs = static_cast<size_t>(
          Spaces::parse(base.space, table.names(Role::input), table.names(Role::output)).inputs.features());
      const size_t features = inputs * (inputs + 3) / 2;
      if (std::min(features, table.rows()) > most_quadratic_features)
        score.failure = fmt::format("skipped: it would make {} features of {} inputs, which takes long",
                                    features, inputs);
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

/// Throws what a fit of any model would: better once than for each of them.
void require_rows(const Table& table, const FitOptions& base) {
  if (table.rows() < fewest_rehearsal_rows)
    throw Error("cv", fmt::format("{} needs at least {} rows, to hold some of them out; found {}",
                                  table.source(), fewest_rehearsal_rows, table.rows()));
  FitOptions probe = base;
  probe.model = "extreme";
  require_fittable({table, probe});
}

double rank_of(const Rehearsal& rehearsal) {
  std::vector<double> by_output;
  for (size_t k = 0; k < rehearsal.truth.cols(); ++k) {
    std::vector<double> predicted, truth;
    for (size_t r = 0; r < rehearsal.truth.rows(); ++r) {
      if (!rehearsal.outside[r]) continue;
      predicted.push_back(rehearsal.predictions.y(r, k));
      truth.push_back(rehearsal.truth(r, k));
    }
    const double rank = rank_correlation(predicted, truth);
    if (!std::isnan(rank)) by_output.push_back(rank);
  }
  return by_output.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(by_output);
}

ShellScore score_of(const Table& table, Shell shell, const RehearsalAttempt& attempt) {
  ShellScore score{.shell = shell};
  if (!attempt.result) {
    score.failure = attempt.error->what();
    return score;
  }
  Rehearsal done = *attempt.result;
  if (done.status == TrainStatus::diverged) {
    score.failure = "training diverged";
    return score;
  }
  score.fourier = done.fourier;
  score.rank = rank_of(done);
  score.out = shell_error(table, done);
  done.outside.flip();
  score.in = shell_error(table, done);
  if (!std::isfinite(score.out)) score.failure = "its predictions are not finite";
  return score;
}

Estimate estimate(const std::vector<ShellScore>& shells, double ShellScore::*number) {
  std::vector<double> values;
  for (const ShellScore& shell : shells)
    if (!std::isnan(shell.*number)) values.push_back(shell.*number);
  if (values.empty()) return {};
  return {mean(values), deviation(values)};
}

void summarize(ModelScore& score) {
  for (const ShellScore& shell : score.shells) {
    if (shell.failure.empty()) continue;
    score.failure = fmt::format("failed on the shell {}: {}", to_text(shell.shell), shell.failure);
    return;
  }
  score.in = estimate(score.shells, &ShellScore::in);
  score.out = estimate(score.shells, &ShellScore::out);
  score.rank = estimate(score.shells, &ShellScore::rank);
}

}  // namespace

std::string to_text(Shell shell) {
  switch (shell) {
    case Shell::around:
      return "around";
    case Shell::low_end:
      return "low end";
    case Shell::high_end:
      return "high end";
  }
  return "";
}

std::vector<std::string> default_candidates(const FitOptions& base) {
  std::vector<std::string> names;
  // Trained models first: left to the end, a core would wait for the last of them.
  for (const Model& model : all_models())
    if (!model.needs_context || !base.context.empty()) names.push_back(model.name);
  return names;
}

const ModelScore& CrossValidation::score(const std::string& model) const {
  for (const ModelScore& score : models)
    if (score.model() == model) return score;
  throw Error("cv", fmt::format("needs the name of a candidate; found '{}'", model));
}

TrainStatus score_all(const Table& table, std::vector<ModelScore>& scores,
                      const CrossValidationOptions& options, const RunOptions& run) {
  std::vector<ModelScore*> tried;
  std::vector<RehearsalRequest> rehearsals;
  for (ModelScore& score : scores) {
    if (!score.failure.empty()) continue;
    tried.push_back(&score);
    for (Shell shell : options.shells)
      rehearsals.push_back({.table = table,
                            .options = score.options,
                            .rehearsal = {.shell = shell,
                                          .fraction = options.fraction,
                                          .inside_fraction = options.inside_fraction,
                                          .effort = options.effort,
                                          .queries = trial_queries,
                                          .pool = trial_pool,
                                          .judging = Judging::none}});
  }
  StopNote note(run);
  const std::vector<RehearsalAttempt> attempts = rehearse(rehearsals, note.run());
  if (note.is_wished()) return TrainStatus::stopped;
  for (size_t m = 0; m < tried.size(); ++m) {
    for (size_t s = 0; s < options.shells.size(); ++s)
      tried[m]->shells.push_back(score_of(table, options.shells[s], attempts[m * options.shells.size() + s]));
    summarize(*tried[m]);
  }
  return TrainStatus::finished;
}

CrossValidation cross_validate(const Table& table, const FitOptions& base,
                               const CrossValidationOptions& options, const RunOptions& run) {
  CrossValidation result;
  result.models = candidates(table, base, options);
  require_rows(table, base);
  result.status = score_all(table, result.models, options, run);
  if (result.status == TrainStatus::finished) result.recommendation = recommend(result.models);
  return result;
}

}  // namespace kedge
