#include "kedge/trials/cross_validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"

namespace kedge {
namespace {

// Beyond this a quadratic takes minutes.
constexpr size_t most_quadratic_features = 2000;
constexpr size_t trial_pool = 10000, trial_queries = 200;
// Models this close to the best, as a factor or in deviations of the outputs, are as good as it.
constexpr double as_good = 1.05, negligible = 0.001;
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

bool stays_small(const ModelScore& score, const CarryThresholds& t) {
  return score.out.mean <= t.most && !(score.in.mean > t.most) && score.out.mean <= t.small;
}

bool stays_alike(const ModelScore& score, const CarryThresholds& t) {
  return score.out.mean <= t.most && score.in.mean <= t.most && score.out.mean <= t.growth * score.in.mean;
}

std::string reason_for(const ModelScore& best, const CarryThresholds& thresholds) {
  const std::string& model = best.model();
  const std::string beyond =
      fmt::format("errs by {:.2g} of the outputs' deviation on held-out outer rows", best.out.mean);
  const std::string inside = std::isnan(best.in.mean) ? "" : fmt::format(", by {:.2g} inside", best.in.mean);
  if (stays_small(best, thresholds))
    return fmt::format("{} carries over beyond the data: it {}{}.", model, beyond, inside);
  if (stays_alike(best, thresholds))
    return fmt::format("{} carries over beyond the data: it {}, {} inside ({:.2g}).", model, beyond,
                       best.out.mean > best.in.mean ? "little more than" : "no more than", best.in.mean);
  const std::string words =
      model == "extreme"   ? "none does better than a constant, the most extreme output, which " + beyond
      : model == "nearest" ? "none does better than the output of the nearest row, which " + beyond + inside
                           : fmt::format("even the best, {}, {}{}", model, beyond, inside);
  return fmt::format(
      "no model carries over beyond the data: {}. Do not rely on predictions outside the range of this "
      "table.",
      words);
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

Recommendation recommend(const std::vector<ModelScore>& scores, const CarryThresholds& thresholds) {
  const ModelScore* best = nullptr;
  for (const ModelScore& score : scores)
    if (std::isfinite(score.out.mean) && (!best || score.out.mean < best->out.mean)) best = &score;
  if (!best) return {.carries = Carries::unknown, .reason = "no model could be scored"};
  const double bar = std::max(as_good * best->out.mean, best->out.mean + negligible);
  for (const ModelScore& score : scores)
    if (score.out.mean <= bar && find_model(score.model()).complexity < find_model(best->model()).complexity)
      best = &score;
  const bool over = stays_small(*best, thresholds) || stays_alike(*best, thresholds);
  return {.carries = over ? Carries::over : Carries::not_over,
          .model = best->model(),
          .reason = reason_for(*best, thresholds)};
}

const ModelScore& CrossValidation::score(const std::string& model) const {
  for (const ModelScore& score : models)
    if (score.model() == model) return score;
  throw Error("cv", fmt::format("needs the name of a candidate; found '{}'", model));
}

CrossValidation cross_validate(const Table& table, const FitOptions& base,
                               const CrossValidationOptions& options, const RunOptions& run) {
  CrossValidation result;
  result.models = candidates(table, base, options);
  require_rows(table, base);
  std::vector<ModelScore*> tried;
  std::vector<RehearsalRequest> rehearsals;
  for (ModelScore& score : result.models) {
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
                                          .pool = trial_pool}});
  }
  StopNote note(run);
  const std::vector<RehearsalAttempt> attempts = rehearse(rehearsals, note.run());
  if (note.is_wished()) {
    result.status = TrainStatus::stopped;
    return result;
  }
  for (size_t m = 0; m < tried.size(); ++m) {
    for (size_t s = 0; s < options.shells.size(); ++s)
      tried[m]->shells.push_back(score_of(table, options.shells[s], attempts[m * options.shells.size() + s]));
    summarize(*tried[m]);
  }
  result.recommendation = recommend(result.models);
  return result;
}

}  // namespace kedge
