#include "kedge/trials/rehearsal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>

#include "kedge/core/error.h"
#include "kedge/core/parallel.h"
#include "kedge/core/score.h"
#include "kedge/table/split.h"
#include "kedge/table/standardizer.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

// A sine of every mixture of many columns fits anything and carries nothing outward (the paper's Fourier
// table).
constexpr size_t most_fourier_inputs = 8;
// With fewer rows a shell says nothing.
constexpr size_t fewest_rows = 20;
constexpr size_t most_spread_rows = 100;

bool worth_a_trial(const Table& table, const FitOptions& options) {
  return find_model(options.model).solver == Solver::adam &&
         options.architecture.fourier == Fourier::automatic && table.rows() >= fewest_rows &&
         table.names(Role::input).size() <= most_fourier_inputs;
}

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

struct HeldOut {
  std::vector<size_t> fitted, queries;
  std::vector<bool> outside;  // by query
};

/// Rows with the inputs of an outside row go outside too: repeated measurements would give a held-out row
/// away. Throws Error when fewer than two different rows are left inside.
OuterShell with_equals_outside(const Matrix<double>& points, OuterShell split) {
  const auto inputs = [&](size_t r) {
    return std::vector<double>(points.row(r).begin(), points.row(r).end());
  };
  std::set<std::vector<double>> outer, inner;
  for (size_t r : split.outside) outer.insert(inputs(r));
  std::vector<size_t> inside;
  for (size_t r : split.inside) {
    if (outer.contains(inputs(r))) {
      split.outside.push_back(r);
    } else {
      inside.push_back(r);
      if (inner.size() < 2) inner.insert(inputs(r));
    }
  }
  if (inner.size() < 2)
    throw Error("rehearse", "needs two different rows inside the shell; too many rows have the same inputs");
  split.inside = std::move(inside);
  std::sort(split.outside.begin(), split.outside.end());
  return split;
}

HeldOut hold_out(const Table& table, const RehearsalOptions& rehearsal, uint64_t seed) {
  const Matrix<double> points = table.matrix(table.names(Role::input));
  const OuterShell split = with_equals_outside(
      points,
      rehearsal.shell == Shell::around
          ? outer_shell(points, rehearsal.fraction)
          : outer_end(points, rehearsal.fraction, rehearsal.shell == Shell::low_end ? End::low : End::high));
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

uint64_t steps_of_a_trial(const Table& table, const FitOptions& options, double effort) {
  const auto steps = static_cast<double>(training_steps(options, table.rows()));
  return std::max<uint64_t>(1, static_cast<uint64_t>(effort * steps));
}

/// Deviation of the outputs, norm over outputs; 0 where none varies.
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

/// Mean spread on rows the predictor was fitted on.
double usual_spread(const Predictor& predictor, const Table& fitted, const PredictOptions& options) {
  const Table rows = fitted.select(thinned(all_rows(fitted.rows()), most_spread_rows));
  const std::vector<double> spread = predictor.predict(rows, options).spread;
  return std::accumulate(spread.begin(), spread.end(), 0.0) / static_cast<double>(spread.size());
}

// Around and at both ends for what lies in reach. A deep shell for what does not: inside it so few rows are
// left that they may not show what repeats, so of its errors only those beyond all differences count.
enum class Counted { all, beyond };
struct CalibrationTrial {
  RehearsalOptions rehearsal;
  Counted counted = Counted::all;
};
constexpr double calibration_effort = 0.2;
std::array<CalibrationTrial, 4> calibration_trials() {
  const RehearsalOptions common{
      .inside_fraction = 0.1, .effort = calibration_effort, .queries = 150, .pool = 10000, .replicas = 2};
  const auto with = [&](Shell shell, double fraction, Counted counted) {
    CalibrationTrial trial{common, counted};
    trial.rehearsal.shell = shell;
    trial.rehearsal.fraction = fraction;
    return trial;
  };
  return {with(Shell::around, 0.2, Counted::all), with(Shell::low_end, 0.4, Counted::all),
          with(Shell::high_end, 0.4, Counted::all), with(Shell::around, 0.8, Counted::beyond)};
}

/// How much better trained the final model is than a trial: its loss over the trial's, at most 1.
double improvement_of(double final_loss, double trial_loss, Loss loss) {
  const double ratio = loss == Loss::mse ? std::sqrt(final_loss / trial_loss) : final_loss / trial_loss;
  return ratio > 0 && ratio < 1 ? ratio : 1;
}

void observe(const Rehearsal& rehearsal, Counted counted, double improvement,
             std::vector<ObservedError>& observed) {
  if (rehearsal.status != TrainStatus::finished || !(rehearsal.output_scale > 0)) return;
  const Predictions& p = rehearsal.predictions;
  const ErrorModel scales{.usual_spread = rehearsal.usual_spread};
  const std::vector<double> errors = distances(p.y, rehearsal.truth);
  for (size_t r = 0; r < p.rows(); ++r) {
    if (counted == Counted::beyond && !is_beyond(p.verdict[r])) continue;
    if (!std::isfinite(errors[r])) continue;
    observed.push_back({.evidence = {.verdict = p.verdict[r],
                                     .support_distance = p.support_distance[r],
                                     .delta_distance = p.delta_distance[r],
                                     .relative_spread = scales.relative_spread(p.spread[r])},
                        .error = errors[r] / rehearsal.output_scale,
                        .improvement = improvement});
  }
}

}  // namespace

uint64_t rehearsal_steps(const Table& table, const FitOptions& options, double effort) {
  if (find_model(options.model).solver != Solver::adam) return 0;
  const uint64_t steps = steps_of_a_trial(table, options, effort);
  return steps + joint_steps(options.weights, steps);
}

Rehearsal rehearse(const Table& table, const FitOptions& options, const RehearsalOptions& rehearsal,
                   const ProgressFn& progress, const PairLabels& labels) {
  const HeldOut rows = hold_out(table, rehearsal, options.seed);
  FitOptions trial = options;
  trial.training.steps = steps_of_a_trial(table, options, rehearsal.effort);
  trial.epochs = 0;
  trial.replicas = std::min(trial.replicas, rehearsal.replicas);
  trial.pool = std::min(trial.pool, rehearsal.pool);
  trial.constants = ConstantInputs::keep;
  trial.calibration = Calibration::none;
  const Table fitted = table.select(rows.fitted);
  TrainOutcome outcome;
  const Predictor predictor = Predictor::fit(fitted, trial, progress, &outcome, 1, labels.among(rows.fitted));

  const PredictOptions alone{.threads = 1};
  const Table queries = table.select(rows.queries);
  Rehearsal result;
  result.predictions = predictor.predict(queries, alone);
  result.truth = queries.matrix(predictor.outputs());
  result.outside = rows.outside;
  result.output_scale = output_scale(fitted);
  result.loss = predictor.final_loss();
  result.usual_spread = usual_spread(predictor, fitted, alone);
  result.status = outcome.status;
  return result;
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

uint64_t trial_steps(const Table& table, const FitOptions& options) {
  if (!worth_a_trial(table, options)) return 0;
  return rehearsal_steps(table, options, RehearsalOptions{}.effort);
}

FitOptions resolve(const Table& table, const FitOptions& options, const ProgressFn& progress, int threads,
                   const PairLabels& labels) {
  FitOptions resolved = options;
  if (options.architecture.fourier != Fourier::automatic) return resolved;
  resolved.architecture.fourier = Fourier::off;
  if (!worth_a_trial(table, options)) return resolved;

  std::array<FitOptions, 2> candidates{resolved, resolved};
  candidates[1].architecture.fourier = Fourier::on;
  std::array<double, 2> errors{};
  std::atomic<bool> stop = false;
  Pool pool(threads);
  pool.run(candidates.size(), [&](size_t i) {
    // One of the two speaks for both: they take the same number of steps.
    const ProgressFn watch = [&](const Progress& p) {
      if (i == 0 && progress && !progress(p)) stop = true;
      return !stop;
    };
    try {
      errors[i] = shell_error(table, rehearse(table, candidates[i], {}, watch, labels));
    } catch (const Error&) {
      // The rows inside the shell cannot be fitted (no label twice, say): the trial decides nothing.
      errors[i] = std::numeric_limits<double>::infinity();
    }
  });
  return errors[1] < errors[0] ? candidates[1] : candidates[0];
}

uint64_t calibration_steps(const Table& table, const FitOptions& options) {
  if (options.calibration == Calibration::none || table.rows() < fewest_rows) return 0;
  return calibration_trials().size() * rehearsal_steps(table, options, calibration_effort);
}

ErrorModel calibrate(const Table& table, const Predictor& predictor, const ProgressFn& progress, int threads,
                     const PairLabels& labels) {
  const FitOptions& options = predictor.options();
  if (options.calibration == Calibration::none || table.rows() < fewest_rows) return {};
  const auto trials = calibration_trials();
  std::array<std::vector<ObservedError>, trials.size()> observed;
  std::array<uint64_t, trials.size()> steps{};
  std::mutex mutex;
  bool stopped = false;
  Pool pool(threads);
  pool.run(trials.size(), [&](size_t i) {
    const ProgressFn watch = [&](const Progress& p) {
      const std::lock_guard lock(mutex);
      steps[i] = p.step;
      const uint64_t done = std::accumulate(steps.begin(), steps.end(), uint64_t{0});
      if (progress && !progress({done, calibration_steps(table, options), p.loss})) stopped = true;
      return !stopped;
    };
    try {
      const Rehearsal rehearsal = rehearse(table, options, trials[i].rehearsal, watch, labels);
      observe(rehearsal, trials[i].counted,
              improvement_of(predictor.final_loss(), rehearsal.loss, options.training.loss), observed[i]);
    } catch (const Error&) {
      // The rows that are left cannot be fitted: this trial tells nothing, and its steps are done.
      const uint64_t share = rehearsal_steps(table, options, calibration_effort);
      watch({share, share, std::numeric_limits<double>::quiet_NaN()});
    }
  });
  std::vector<ObservedError> all;
  for (const auto& some : observed) all.insert(all.end(), some.begin(), some.end());
  if (stopped || all.empty()) return {};
  return {.coefficients = fit_error_model(all),
          .output_scale = output_scale(table),
          .usual_spread = usual_spread(predictor, table, {.threads = threads}),
          .knows_beyond = std::any_of(all.begin(), all.end(),
                                      [](const ObservedError& o) { return is_beyond(o.evidence.verdict); })};
}

}  // namespace kedge
