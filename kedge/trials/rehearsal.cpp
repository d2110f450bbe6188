#include "kedge/trials/rehearsal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_set>

#include "kedge/anchors/anchors.h"
#include "kedge/core/error.h"
#include "kedge/predictor/requirements.h"
#include "kedge/predictor/workload.h"
#include "kedge/table/split.h"
#include "kedge/table/standardizer.h"
#include "kedge/trials/choice.h"
#include "kedge/trials/extent.h"

namespace kedge {
namespace {

constexpr size_t most_spread_rows = 100;

std::vector<size_t> all_rows(size_t count) {
  std::vector<size_t> rows(count);
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

std::vector<size_t> thinned(const std::vector<size_t>& rows, size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<size_t> kept;
  for (size_t i = 0; i < most; ++i) kept.push_back(rows[i * rows.size() / most]);
  return kept;
}

OuterShell with_equals_outside(MatrixView<const double> points, OuterShell split) {
  const auto key = [&](size_t r) { return content_key(points.row(r)); };
  const auto same = [&](size_t a, size_t b) { return std::ranges::equal(points.row(a), points.row(b)); };
  std::unordered_set<size_t, decltype(key), decltype(same)> outer(split.outside.begin(), split.outside.end(),
                                                                  split.outside.size(), key, same),
      inner(2, key, same);
  std::vector<size_t> inside;
  for (size_t r : split.inside) {
    if (outer.contains(r)) {
      split.outside.push_back(r);
    } else {
      inside.push_back(r);
      if (inner.size() < 2) inner.insert(r);
    }
  }
  if (inner.size() < 2)
    throw Error("rehearse", "needs two different rows inside the shell; too many rows have the same inputs");
  split.inside = std::move(inside);
  std::sort(split.outside.begin(), split.outside.end());
  return split;
}

End end_of(Shell shell) { return shell == Shell::low_end || shell == Shell::smallest ? End::low : End::high; }

/// The options of the whole fit, for fewer rows: it has the steps that it has for all.
FitOptions whole_options(const RehearsalRequest& request) {
  FitOptions whole = request.options;
  whole.training.steps = training_steps(request.options, request.table.rows());
  whole.epochs = 0;
  whole.constants = ConstantInputs::keep;
  whole.calibration = Calibration::none;
  return whole;
}

/// The options of the trial itself.
FitOptions trial_options(const FitOptions& whole, const RehearsalOptions& rehearsal) {
  FitOptions trial = whole;
  const double steps = rehearsal.effort * static_cast<double>(whole.training.steps);
  trial.training.steps = std::max<uint64_t>(1, static_cast<uint64_t>(steps));
  trial.replicas = std::min(trial.replicas, rehearsal.replicas);
  trial.pool = std::min(trial.pool, rehearsal.pool);
  return trial;
}

/// Rows that a rehearsal predicts, at most: held out on the shell and inside, and of those that were fitted.
size_t predicted_rows(const RehearsalRequest& request) {
  const RehearsalOptions& how = request.rehearsal;
  const auto rows = static_cast<double>(std::min(request.table.rows(), most_rehearsal_rows));
  const auto share = [&](double part) { return std::min(how.queries, static_cast<size_t>(part * rows)); };
  return share(how.fraction) + share((1 - how.fraction) * how.inside_fraction) + most_spread_rows;
}

/// A rehearsal on its way.
struct Trial {
  size_t request = 0;
  Table fitted, queries;
  std::vector<bool> outside;
  PairExamples examples;
};

HeldOut hold_out(const RehearsalRequest& request) {
  const std::vector<size_t> used = rehearsal_rows(request.table, request.options);
  const bool is_all = used.size() == request.table.rows();
  const std::vector<std::string> inputs = request.table.names(Role::input);
  const auto numbers = [&](const std::vector<std::string>& names) {
    return is_all ? request.table.matrix(names) : request.table.select(used).matrix(names);
  };
  const std::vector<std::string> outputs = request.table.names(Role::output);
  const Matrix<double> canonical =
      Spaces::parse(request.options.space, inputs, outputs).outputs.canonical(numbers(outputs));
  HeldOut rows = hold_out(numbers(inputs), request.rehearsal, request.options.seed, canonical);
  for (size_t& row : rows.fitted) row = used[row];
  for (size_t& row : rows.queries) row = used[row];
  return rows;
}

Trial trial_of(const RehearsalRequest& request, size_t number) {
  const HeldOut rows = hold_out(request);
  return {number, request.table.select(rows.fitted), request.table.select(rows.queries), rows.outside,
          request.examples.among(rows.fitted)};
}

std::vector<double> extents_of(const Predictor& predictor, const Table& all, const Table& fitted,
                               const Table& queries) {
  const auto points = [&](const Table& table) {
    return canonical_points(table, predictor.inputs(), predictor.encoder().space(), "rehearse");
  };
  return relative_extents(points(all), points(fitted), points(queries));
}

Rehearsal rehearsed(const FitResult& fit, const Table& all, const Table& fitted, const Table& queries,
                    const std::vector<bool>& outside, const std::vector<AnchorOptions>& rules,
                    const PredictOptions& predicting) {
  Rehearsal result;
  result.status = fit.outcome.status;
  if (result.status == TrainStatus::stopped) return result;  // nobody waits for its answers
  result.predictions = fit.predictor.predict(queries, predicting);
  result.fitted_outputs = fit.predictor.training_outputs();
  if (!rules.empty() && fit.predictor.options().anchors.rule != AnchorRule::none) {
    result.in_support = fit.predictor.in_support(queries);
    for (const AnchorOptions& rule : rules) {
      PredictOptions by_rule = predicting;
      by_rule.judging = Judging::none;
      by_rule.anchors = rule;
      result.by_rule.push_back(fit.predictor.predict(queries, by_rule).y);
    }
  }
  result.truth = queries.matrix(fit.predictor.outputs());
  for (size_t r = 0; r < result.predictions.rows(); ++r) {
    const std::span<const double> y = result.predictions.y.row(r);
    result.excess.push_back(fit.predictor.output_range().excess(y));
    result.gap.push_back(fit.predictor.output_range().gap(y).amount);
  }
  result.outside = outside;
  if (predicting.judging == Judging::verdicts)
    result.extent = extents_of(fit.predictor, all, fitted, queries);
  result.output_scale = output_scale(fitted);
  result.scale = answer_scales(fit.predictor, result.predictions, result.output_scale);
  result.loss = fit.predictor.final_loss();
  result.usual_spread = usual_spread(fit.predictor, fitted, predicting);
  result.fourier = fit.predictor.options().architecture.fourier;
  result.trained_on = fit.trained_on;
  return result;
}

/// Numbers the values of the column that says which rows are paired; empty where all are.
std::vector<size_t> groups_of(const Table& table, const FitOptions& options) {
  if (options.pairs == PairRule::any) return {};
  const auto names = table.names(options.pairs == PairRule::same_label ? Role::label : Role::time);
  if (names.size() != 1) return {};
  std::map<double, size_t> numbers;
  std::vector<size_t> groups;
  for (double value : table.column(names[0]).values)
    groups.push_back(numbers.try_emplace(value, numbers.size()).first->second);
  return groups;
}

}  // namespace

std::vector<size_t> rehearsal_rows(const Table& table, const FitOptions& options) {
  const size_t rows = table.rows();
  if (rows <= most_rehearsal_rows) return all_rows(rows);
  const auto kept_of = [&](size_t count, size_t all) {
    return random_split(all, 1 - static_cast<double>(most_rehearsal_rows) / static_cast<double>(count),
                        options.seed)
        .kept;
  };
  if (const std::vector<size_t> groups = groups_of(table, options); !groups.empty()) {
    const size_t count = 1 + *std::max_element(groups.begin(), groups.end());
    std::vector<bool> is_kept(count);
    if (count > 1)
      for (size_t group : kept_of(rows, count)) is_kept[group] = true;
    std::vector<size_t> kept;
    for (size_t r = 0; r < rows; ++r)
      if (is_kept[groups[r]]) kept.push_back(r);
    if (kept.size() >= most_rehearsal_rows / 2 && kept.size() <= 2 * most_rehearsal_rows) return kept;
  }
  return kept_of(rows, rows);
}

HeldOut hold_out(MatrixView<const double> points, const RehearsalOptions& rehearsal, uint64_t seed,
                 MatrixView<const double> outputs) {
  const OuterShell split = with_equals_outside(
      points, rehearsal.shell == Shell::around ? outer_shell(points, rehearsal.fraction)
                                               : outer_end(is_of_outputs(rehearsal.shell) ? outputs : points,
                                                           rehearsal.fraction, end_of(rehearsal.shell)));
  HeldOut rows{split.inside, thinned(split.outside, rehearsal.queries), {}};
  rows.outside.assign(rows.queries.size(), true);
  if (rehearsal.inside_fraction > 0 && split.inside.size() >= 2) {
    const RandomSplit inside = random_split(split.inside.size(), rehearsal.inside_fraction, seed);
    rows.fitted.clear();
    for (size_t i : inside.kept) rows.fitted.push_back(split.inside[i]);
    for (size_t i : thinned(inside.held_out, rehearsal.queries)) rows.queries.push_back(split.inside[i]);
    rows.outside.resize(rows.queries.size(), false);
  }
  return rows;
}

double output_scale(const Table& table) {
  const Matrix<double> outputs = table.matrix(table.names(Role::output));
  const Standardizer scale = Standardizer::fit(outputs);
  double squares = 0;
  for (size_t k = 0; k < outputs.cols(); ++k) {
    // A constant column has scale 1 by definition, but no deviation.
    bool varies = false;
    for (size_t r = 1; r < outputs.rows(); ++r) varies = varies || outputs(r, k) != outputs(0, k);
    if (varies) squares += scale.scale[k] * scale.scale[k];
  }
  return std::sqrt(squares);
}

std::vector<double> answer_scales(const Predictor& predictor, const Predictions& answers,
                                  double output_scale) {
  std::vector<double> scales;
  for (size_t r = 0; r < answers.rows(); ++r)
    scales.push_back(predictor.encoder().output_scaling().relative_deviation(answers.y.row(r), output_scale));
  return scales;
}

double usual_spread(const Predictor& predictor, const Table& fitted, const PredictOptions& predicting) {
  const Table rows = fitted.select(thinned(all_rows(fitted.rows()), most_spread_rows));
  PredictOptions unjudged = predicting;
  unjudged.judging = Judging::none;
  const Predictions answers = predictor.predict(rows, unjudged);
  const std::vector<double> scale = answer_scales(predictor, answers, output_scale(fitted));
  double sum = 0;
  for (size_t r = 0; r < scale.size(); ++r) sum += answers.spread[r] / scale[r];
  return sum / static_cast<double>(scale.size());
}

Workload rehearsal_load(const RehearsalRequest& request) {
  const FitOptions whole = whole_options(request);
  const FitRequest trial{request.table, trial_options(whole, request.rehearsal), request.examples};
  const double used = static_cast<double>(std::min(request.table.rows(), most_rehearsal_rows));
  const auto rows = static_cast<size_t>((1 - request.rehearsal.fraction) * used);
  return choice_load({request.table, whole, request.examples}) + fit_load(trial, rows) +
         Workload{.work = prediction_work(trial, rows, predicted_rows(request))};
}

std::vector<RehearsalAttempt> rehearse(std::span<const RehearsalRequest> requests, const RunOptions& run) {
  std::vector<RehearsalAttempt> attempts(requests.size());
  std::vector<Trial> trials;
  Workload total;
  for (size_t i = 0; i < requests.size(); ++i) {
    try {
      total.steps += rehearsal_load(requests[i]).steps;
      trials.push_back(trial_of(requests[i], i));
    } catch (const Error& error) {
      attempts[i].error = error;
    }
  }
  std::vector<FitRequest> choices;
  std::vector<double> predicting;  // work, by trial
  Workload choosing, fitting;
  for (const Trial& trial : trials) {
    const RehearsalRequest& request = requests[trial.request];
    choices.push_back({trial.fitted, whole_options(request), trial.examples});
    const FitRequest fit{trial.fitted, trial_options(choices.back().options, request.rehearsal),
                         trial.examples};
    choosing += choice_load(choices.back());
    fitting += fit_load(fit);
    predicting.push_back(prediction_work(fit, trial.fitted.rows(), predicted_rows(request)));
    total.work += predicting.back();
  }
  total.work += choosing.work + fitting.work;
  StopNote note(run);
  const RunOptions noted = note.run();
  const auto all_stopped = [&] {
    for (const Trial& trial : trials) {
      attempts[trial.request] = {};
      attempts[trial.request].result.emplace().status = TrainStatus::stopped;
    }
    return attempts;
  };
  // What cannot be held out, or chosen on too few rows, has no steps left to do.
  Workload before{.steps = total.steps - choosing.steps - fitting.steps};
  if (before.steps > 0 && run.progress)
    noted.progress({before.steps, total.steps, std::numeric_limits<double>::quiet_NaN(), 0, total.work});
  if (trials.empty()) return attempts;
  const std::vector<FitOptions> chosen =
      choose(choices, noted.as_phase({"choosing", before, choosing, total}));
  if (note.is_wished()) return all_stopped();
  before += choosing;
  std::vector<FitRequest> fits;
  for (size_t t = 0; t < trials.size(); ++t)
    fits.push_back({trials[t].fitted, trial_options(chosen[t], requests[trials[t].request].rehearsal),
                    trials[t].examples});
  fit_models(fits, noted.as_phase({"rehearsing", before, fitting, total}), [&](size_t t, FitAttempt&& fit) {
    const Trial& trial = trials[t];
    RehearsalAttempt& attempt = attempts[trial.request];
    attempt.error = fit.error;
    try {
      if (fit.result)
        attempt.result = rehearsed(*fit.result, requests[trial.request].table, trial.fitted, trial.queries,
                                   trial.outside, requests[trial.request].rehearsal.anchors,
                                   {.judging = requests[trial.request].rehearsal.judging,
                                    .threads = 1,
                                    .stop_check = [&note] { note.check(); }});
    } catch (const Error& error) {
      attempt.error = error;
    }
    note.add_work(predicting[t]);
  });
  if (note.is_wished()) return all_stopped();
  return attempts;
}

double shell_error(const Table& table, const Rehearsal& rehearsal) {
  if (rehearsal.status == TrainStatus::diverged) return std::numeric_limits<double>::infinity();
  const Standardizer scale = Standardizer::fit(table.matrix(rehearsal.predictions.outputs));
  double squares = 0, count = 0;
  for (size_t r = 0; r < rehearsal.truth.rows(); ++r) {
    if (!rehearsal.outside[r]) continue;
    for (size_t k = 0; k < rehearsal.truth.cols(); ++k) {
      const double e = (rehearsal.predictions.y(r, k) - rehearsal.truth(r, k)) / scale.scale[k];
      squares += e * e;
      ++count;
    }
  }
  return std::sqrt(squares / count);
}

}  // namespace kedge
