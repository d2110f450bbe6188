#include "kedge/trials/cross_validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/models/base.h"
#include "kedge/predictor/sizes.h"
#include "kedge/table/row_weights.h"
#include "kedge/table/standardizer.h"

namespace kedge {
namespace {

// Beyond this a quadratic takes minutes.
constexpr size_t most_quadratic_features = 2000;
constexpr size_t trial_pool = 10000, trial_queries = 200;
constexpr size_t none = static_cast<size_t>(-1);

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
    if (!find_model(name).is_trained()) score.options.base.clear();
    score.options = sized(score.options, table);
    if (!chosen_by_user) score.failure = reason_to_skip(table, score.options);
    scores.push_back(std::move(score));
  }
  return scores;
}

/// The mean over outputs of what `number` says of the rows of a part; NaN where it says nothing.
template <class Number>
double mean_over_outputs(size_t outputs, const Number& number) {
  std::vector<double> by_output;
  for (size_t k = 0; k < outputs; ++k)
    if (const double value = number(k); !std::isnan(value)) by_output.push_back(value);
  return by_output.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(by_output);
}

double rank_of(const Rehearsal& rehearsal, const Matrix<double>& answers) {
  return mean_over_outputs(answers.cols(), [&](size_t k) {
    std::vector<double> predicted, truth;
    for (size_t r = 0; r < answers.rows(); ++r) {
      if (!rehearsal.outside[r]) continue;
      predicted.push_back(answers(r, k));
      truth.push_back(rehearsal.truth(r, k));
    }
    return rank_correlation(predicted, truth);
  });
}

double found_of(const Rehearsal& rehearsal, const Matrix<double>& answers, Shell shell) {
  if (!is_of_outputs(shell)) return std::numeric_limits<double>::quiet_NaN();
  return mean_over_outputs(answers.cols(), [&](size_t k) {
    std::vector<double> outwardness;
    for (size_t r = 0; r < answers.rows(); ++r)
      outwardness.push_back(shell == Shell::largest ? answers(r, k) : -answers(r, k));
    return found_share(outwardness, rehearsal.outside);
  });
}

/// Why a rehearsal gives no answers; empty when it does.
std::string failure_of(const RehearsalAttempt& attempt) {
  if (!attempt.result) return attempt.error->what();
  if (attempt.result->status == TrainStatus::diverged) return "training diverged";
  if (!all_finite(attempt.result->predictions.y.values())) return "its predictions are not finite";
  return "";
}

ShellScore score_of(const Table& table, const TunedTrial& trial, const Matrix<double>& answers,
                    std::span<const double> scale) {
  const Shell shell = trial.shell;
  const Rehearsal& done = trial.rehearsal;
  ShellScore score{.shell = shell, .fourier = done.fourier, .trained_on = done.trained_on};
  const ShellErrors errors = errors_of(trial, answers, scale);
  score.in_absolute = errors.inside;
  score.out_absolute = errors.outside;
  score.rank = rank_of(done, answers);
  score.found = found_of(done, answers, shell);
  Rehearsal tuned = done;
  tuned.predictions.y = answers;
  score.out = shell_error(table, tuned);
  tuned.outside.flip();
  score.in = shell_error(table, tuned);
  return score;
}

enum class Over { inputs, outputs, all };

Estimate estimate(const std::vector<ShellScore>& shells, Over over, double ShellScore::*number) {
  std::vector<double> values;
  for (const ShellScore& shell : shells)
    if (!std::isnan(shell.*number) &&
        (over == Over::all || is_of_outputs(shell.shell) == (over == Over::outputs)))
      values.push_back(shell.*number);
  if (values.empty()) return {};
  return {mean(values), deviation(values)};
}

/// The rehearsals of one model, and of its base alone where it has one.
struct Rehearsed {
  std::span<const RehearsalAttempt> own, base;
};

/// Tunes a model on its answers and scores it.
void score_tuned(const Table& table, ModelScore& score, const Rehearsed& rehearsed,
                 const CrossValidationOptions& options) {
  const std::vector<Shell>& shells = options.shells;
  std::vector<TunedTrial> trials;
  for (size_t s = 0; s < shells.size(); ++s) {
    score.shells.push_back({.shell = shells[s], .failure = failure_of(rehearsed.own[s])});
    if (!score.shells.back().failure.empty()) continue;
    const bool has_base = !rehearsed.base.empty() && failure_of(rehearsed.base[s]).empty();
    trials.push_back(
        {shells[s], *rehearsed.own[s].result, has_base ? &rehearsed.base[s].result->predictions.y : nullptr});
  }
  if (trials.empty()) return summarize(score);
  const std::vector<std::string> outputs = table.names(Role::output);
  const std::vector<double> scale = Standardizer::fit(table.matrix(outputs)).scale;
  Tuning tuning{.anchors = score.options.anchors, .share = score.options.share};
  if (options.tuned) {
    tuning = tune(trials, score.options,
                  Spaces::parse(score.options.space, table.names(Role::input), outputs).outputs, scale,
                  options.beyond);
    score.options.anchors = tuning.anchors;
    if (trials.front().rehearsal.by_rule.empty()) score.options.anchors.rule = AnchorRule::none;
    score.options.inside_anchors = tuning.inside_anchors;
    score.options.share = tuning.share;
    score.options.outward = tuning.outward;
  } else {
    for (const TunedTrial& trial : trials) tuning.answers.push_back(trial.rehearsal.predictions.y);
  }
  for (size_t s = 0, t = 0; s < shells.size(); ++s) {
    if (!score.shells[s].failure.empty()) continue;
    score.shells[s] = score_of(table, trials[t], tuning.answers[t], scale);
    ++t;
  }
  summarize(score);
}

/// The options without what tuning finds.
FitOptions untuned(FitOptions options) {
  options.inside_anchors.reset();
  options.share = 1;
  options.outward = {};
  return options;
}

RehearsalRequest rehearsal_of(const Table& table, const FitOptions& fit, Shell shell,
                              const CrossValidationOptions& options) {
  return {
      .table = table,
      .options = options.tuned ? untuned(fit) : fit,
      .rehearsal = {.shell = shell,
                    .fraction = is_of_outputs(shell) ? options.output_fraction : options.fraction,
                    .inside_fraction = options.inside_fraction,
                    .effort = fit.model == "bilinear" ? std::min(1.0, 2 * options.effort) : options.effort,
                    .queries = trial_queries,
                    .pool = trial_pool,
                    .judging = Judging::none,
                    .anchors = options.tuned ? tried_rules() : std::vector<AnchorOptions>{}}};
}

/// Of those that may be a base, the one that does best; null when none is there.
const ModelScore* best_base(const std::vector<ModelScore>& scores, Beyond beyond) {
  const ModelScore* best = nullptr;
  for (const ModelScore& score : scores)
    if (can_be_base(score.model()) && score.failure.empty() &&
        (!best || weighed(score.errors, beyond) < weighed(best->errors, beyond)))
      best = &score;
  return best;
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
    case Shell::smallest:
      return "smallest outputs";
    case Shell::largest:
      return "largest outputs";
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

std::string reason_to_skip(const Table& table, const FitOptions& fit) {
  if (fit.model != "quadratic") return "";
  const auto inputs = static_cast<size_t>(
      Spaces::parse(fit.space, table.names(Role::input), table.names(Role::output)).inputs.features());
  const size_t features = inputs * (inputs + 3) / 2;
  if (std::min(features, table.rows()) <= most_quadratic_features) return "";
  return fmt::format("skipped: it would make {} features of {} inputs, which takes long", features, inputs);
}

TrialErrors errors_of(const std::vector<ShellScore>& shells) {
  std::vector<ShellErrors> errors;
  for (const ShellScore& one : shells)
    if (one.failure.empty()) errors.push_back({one.shell, one.in_absolute, one.out_absolute});
  return joined(errors);
}

void summarize(ModelScore& score) {
  for (const ShellScore& shell : score.shells) {
    // Where the outputs have no ends (two values, say), no model can be scored by them.
    if (shell.failure.empty() || is_of_outputs(shell.shell)) continue;
    score.failure = fmt::format("failed on the shell {}: {}", to_text(shell.shell), shell.failure);
    return;
  }
  score.in = estimate(score.shells, Over::all, &ShellScore::in);
  score.out = estimate(score.shells, Over::inputs, &ShellScore::out);
  score.rank = estimate(score.shells, Over::inputs, &ShellScore::rank);
  score.beyond = estimate(score.shells, Over::outputs, &ShellScore::out);
  score.beyond_rank = estimate(score.shells, Over::outputs, &ShellScore::rank);
  score.found = estimate(score.shells, Over::outputs, &ShellScore::found);
  score.errors = errors_of(score.shells);
}

// Better once than for each model.
void require_rows(const Table& table, const FitOptions& base) {
  if (table.rows() < fewest_rehearsal_rows)
    throw Error("cv", fmt::format("{} needs at least {} rows, to hold some of them out; found {}",
                                  table.source(), fewest_rehearsal_rows, table.rows()));
  FitOptions probe = base;
  probe.model = "extreme";
  probe.base.clear();
  probe.share = 1;
  require_fittable({table, probe});
}

const ModelScore& CrossValidation::score(const std::string& name) const {
  for (const ModelScore& score : models)
    if (score.name() == name) return score;
  throw Error("cv", fmt::format("needs the name of a candidate; found '{}'", name));
}

Workload trial_load(const Table& table, const FitOptions& fit, const CrossValidationOptions& options) {
  Workload load;
  for (Shell shell : options.shells) {
    load += rehearsal_load(rehearsal_of(table, fit, shell, options));
    if (!fit.base.empty()) load += rehearsal_load(rehearsal_of(table, base_alone(fit), shell, options));
  }
  return load;
}

TrainStatus score_all(const Table& table, std::vector<ModelScore>& scores,
                      const CrossValidationOptions& options, const RunOptions& run) {
  std::vector<ModelScore*> tried;
  std::vector<RehearsalRequest> rehearsals;
  const size_t shells = options.shells.size();
  const auto add = [&](const FitOptions& fit) {
    for (Shell shell : options.shells) rehearsals.push_back(rehearsal_of(table, fit, shell, options));
    return rehearsals.size() - shells;
  };
  std::vector<size_t> own, base;  // by model: its first rehearsal, and that of its base
  for (ModelScore& score : scores) {
    if (!score.failure.empty() || !score.shells.empty()) continue;
    tried.push_back(&score);
    own.push_back(add(score.options));
    base.push_back(score.options.base.empty() ? none : add(base_alone(score.options)));
  }
  StopNote note(run);
  const std::vector<RehearsalAttempt> attempts = rehearse(rehearsals, note.run());
  if (note.is_wished()) return TrainStatus::stopped;
  for (size_t m = 0; m < tried.size(); ++m)
    score_tuned(table, *tried[m],
                {std::span(attempts).subspan(own[m], shells),
                 base[m] == none ? std::span<const RehearsalAttempt>{}
                                 : std::span(attempts).subspan(base[m], shells)},
                options);
  return TrainStatus::finished;
}

FitOptions base_alone(const FitOptions& options) {
  FitOptions base = options;
  base.model = options.base;
  base.base.clear();
  base.share = 1;
  return base;
}

CrossValidation cross_validate(const Table& given, const FitOptions& base,
                               const CrossValidationOptions& options, const RunOptions& run) {
  const std::optional<Table> counted = counted_rows(given);
  const Table& table = counted ? *counted : given;
  CrossValidation result;
  result.models = candidates(table, base, options);
  require_rows(table, base);
  const auto is_trained = [](const ModelScore& score) { return find_model(score.model()).is_trained(); };
  if (std::any_of(result.models.begin(), result.models.end(), is_trained)) require_device(run.device);
  // Closed forms first: the best of them is a base for bilinear.
  std::vector<ModelScore> closed;
  for (const ModelScore& score : result.models)
    if (can_be_base(score.model())) closed.push_back(score);
  StopNote note(run);
  const bool has_bilinear =
      std::any_of(result.models.begin(), result.models.end(), [](const ModelScore& score) {
        return score.model() == "bilinear" && score.options.base.empty() &&
               score.options.weights.source == WeightSource::none;
      });
  if (options.tuned && has_bilinear && !closed.empty()) {
    RunOptions unwatched = run;
    unwatched.progress = {};
    result.status = score_all(table, closed, options, unwatched);
    for (const ModelScore& scored : closed)
      for (ModelScore& score : result.models)
        if (score.model() == scored.model()) score = scored;
    if (const ModelScore* best = best_base(closed, options.beyond)) {
      ModelScore over;
      over.options = base;
      over.options.model = "bilinear";
      over.options = sized(over.options, table);
      over.options.base = best->model();
      result.models.insert(result.models.begin(), over);
    }
  }
  if (result.status == TrainStatus::finished)
    result.status = score_all(table, result.models, options, note.run());
  if (result.status == TrainStatus::finished)
    result.recommendation = recommend(result.models, options.beyond);
  return result;
}

}  // namespace kedge
