#include "kedge/trials/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kedge/core/format.h"
#include "kedge/core/score.h"
#include "kedge/trials/rehearsal.h"

namespace kedge {
namespace {

bool is_wanted(const FitRequest& request) {
  return request.options.calibration != Calibration::none && request.table.rows() >= fewest_rehearsal_rows;
}

std::span<const CalibrationTrial> trials_of(const FitOptions& options) {
  return find_model(options.model).is_trained() ? calibration_trials() : closed_form_trials();
}

/// Whether a model answers by differences that were seen.
bool transduces(const FitOptions& options) { return goes_by_difference(options.anchors.rule); }

std::vector<RehearsalRequest> rehearsals_of(const FitRequest& request) {
  std::vector<RehearsalRequest> rehearsals;
  for (const CalibrationTrial& trial : trials_of(request.options))
    rehearsals.push_back({request.table, request.options, trial.rehearsal, request.examples});
  return rehearsals;
}

CalibrationTrial trial_with(Shell shell, double fraction, size_t queries, Counted counted) {
  return {{.shell = shell,
           .fraction = fraction,
           .inside_fraction = 0.1,
           .effort = 0.2,
           .queries = queries,
           .pool = 10000,
           .replicas = 2},
          counted};
}

bool tells(const Rehearsal& rehearsal) {
  return rehearsal.status == TrainStatus::finished && rehearsal.output_scale > 0;
}

ErrorEvidence evidence_of(const Rehearsal& rehearsal, size_t row) {
  const Predictions& p = rehearsal.predictions;
  const ErrorModel scales{.usual_spread = rehearsal.usual_spread};
  return {.verdict = p.verdict[row],
          .support_distance = p.support_distance[row],
          .delta_distance = p.delta_distance[row],
          .relative_spread = scales.relative_spread(p.spread[row] / rehearsal.scale[row]),
          .output_excess = rehearsal.excess[row],
          .outside_outputs = !p.outputs_outside[row].empty()};
}

void observe(const Rehearsal& rehearsal, Counted counted, double improvement,
             std::vector<ObservedError>& observed) {
  if (!tells(rehearsal)) return;
  const Predictions& p = rehearsal.predictions;
  const std::vector<double> errors = distances(p.y, rehearsal.truth);
  for (size_t r = 0; r < p.rows(); ++r) {
    if (!counts(counted, p.verdict[r], errors[r])) continue;
    if (counted == Counted::told && rehearsal.outside[r] && p.outputs_outside[r].empty()) continue;
    observed.push_back({.evidence = evidence_of(rehearsal, r),
                        .error = errors[r] / (rehearsal.output_scale * rehearsal.scale[r]),
                        .improvement = improvement,
                        .extent = rehearsal.extent[r]});
  }
}

/// Over the deviation of the outputs, how much larger errors on a shell of outputs are than the way from the
/// answers to the end; NaN where there is no such shell.
double past_end(std::span<const RehearsalAttempt> attempts, std::span<const CalibrationTrial> trials,
                Shell shell) {
  double sum = 0, count = 0;
  for (size_t t = 0; t < trials.size(); ++t) {
    if (trials[t].rehearsal.shell != shell || !attempts[t].result || !tells(*attempts[t].result)) continue;
    const Rehearsal& rehearsal = *attempts[t].result;
    const std::vector<double> errors = distances(rehearsal.predictions.y, rehearsal.truth);
    for (size_t r = 0; r < errors.size(); ++r) {
      if (!rehearsal.outside[r] || !std::isfinite(errors[r])) continue;
      sum += (errors[r] - rehearsal.gap[r]) / rehearsal.output_scale;
      ++count;
    }
  }
  return count > 0 ? std::max(0.0, sum / count) : std::numeric_limits<double>::quiet_NaN();
}

std::string held_out_text(const RehearsalOptions& rehearsal) {
  const double percent = 100 * rehearsal.fraction;
  switch (rehearsal.shell) {
    case Shell::around:
      return fmt::format("the outermost {:.0f} %", percent);
    case Shell::low_end:
      return fmt::format("{:.0f} % at the low end", percent);
    case Shell::high_end:
      return fmt::format("{:.0f} % at the high end", percent);
    case Shell::smallest:
      return fmt::format("the {:.0f} % of smallest outputs", percent);
    case Shell::largest:
      return fmt::format("the {:.0f} % of largest outputs", percent);
  }
  return "";
}

RehearsedRows rehearsed_rows(const Rehearsal& rehearsal, const RehearsalOptions& options,
                             const ErrorModel& learned) {
  RehearsedRows rows{held_out_text(options), rehearsal.truth, rehearsal.predictions.y, rehearsal.outside, {}};
  ErrorModel errors = learned;
  if (errors.is_known()) errors.output_scale = rehearsal.output_scale;
  for (size_t r = 0; r < rows.outside.size(); ++r)
    rows.expected.push_back(rehearsal.scale[r] * errors.expected(evidence_of(rehearsal, r)));
  return rows;
}

/// What the rehearsals of one predictor, one for each of its trials, tell.
Calibrated learned(const CalibrationRequest& calibration, std::span<const RehearsalAttempt> attempts,
                   const PredictOptions& predicting) {
  const std::span<const CalibrationTrial> trials = trials_of(calibration.request.options);
  const Predictor& predictor = calibration.predictor;
  const Table& table = calibration.request.table;
  std::vector<ObservedError> observed;
  for (size_t t = 0; t < trials.size(); ++t) {
    // Where the rows that are left cannot be fitted, this trial tells nothing.
    if (!attempts[t].result) continue;
    const Rehearsal& rehearsal = *attempts[t].result;
    if (rehearsal.status == TrainStatus::stopped) return {};
    observe(rehearsal, trials[t].counted,
            improvement_of(predictor.final_loss(), rehearsal.loss, predictor.options().training.loss),
            observed);
  }
  if (observed.empty()) return {};
  // Models that transduce have seen differences as large as those that take a query out.
  const bool by_differences = transduces(predictor.options());
  Calibrated found{error_model_of(observed, output_scale(table), usual_spread(predictor, table, predicting),
                                  by_differences ? 1 : 2),
                   {}};
  found.errors.past_low = past_end(attempts, trials, Shell::smallest);
  found.errors.past_high = past_end(attempts, trials, Shell::largest);
  // Of the others the distance to the rows tells, beyond the differences too.
  if (!by_differences) found.errors.knows_beyond = true;
  for (size_t t = 0; t < trials.size(); ++t)
    if (attempts[t].result && tells(*attempts[t].result))
      found.rehearsed.push_back(rehearsed_rows(*attempts[t].result, trials[t].rehearsal, found.errors));
  return found;
}

}  // namespace

std::span<const CalibrationTrial> calibration_trials() {
  constexpr size_t queries = 150;
  static const std::array trials = {trial_with(Shell::around, 0.2, queries, Counted::all),
                                    trial_with(Shell::low_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::high_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::around, 0.8, queries, Counted::beyond),
                                    trial_with(Shell::smallest, 0.2, queries, Counted::told),
                                    trial_with(Shell::largest, 0.2, queries, Counted::told)};
  return trials;
}

std::span<const CalibrationTrial> closed_form_trials() {
  constexpr size_t queries = 80;
  static const std::array trials = {trial_with(Shell::around, 0.2, queries, Counted::all),
                                    trial_with(Shell::around, 0.4, queries, Counted::all),
                                    trial_with(Shell::low_end, 0.2, queries, Counted::all),
                                    trial_with(Shell::high_end, 0.2, queries, Counted::all),
                                    trial_with(Shell::low_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::high_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::low_end, 0.6, queries, Counted::all),
                                    trial_with(Shell::high_end, 0.6, queries, Counted::all),
                                    trial_with(Shell::around, 0.8, queries, Counted::beyond),
                                    trial_with(Shell::smallest, 0.2, queries, Counted::told),
                                    trial_with(Shell::largest, 0.2, queries, Counted::told)};
  return trials;
}

double improvement_of(double final_loss, double trial_loss, Loss loss) {
  const double ratio = loss == Loss::mse ? std::sqrt(final_loss / trial_loss) : final_loss / trial_loss;
  return ratio > 0 && ratio < 1 ? ratio : 1;
}

bool counts(Counted counted, Verdict verdict, double error) {
  return std::isfinite(error) && (counted != Counted::beyond || is_beyond(verdict));
}

ErrorModel error_model_of(std::span<const ObservedError> observed, double output_scale, double usual_spread,
                          double power) {
  if (observed.empty()) return {};
  return {.coefficients = fit_error_model(observed, power),
          .output_scale = output_scale,
          .usual_spread = usual_spread,
          .knows_beyond = std::any_of(observed.begin(), observed.end(),
                                      [](const ObservedError& o) { return is_beyond(o.evidence.verdict); })};
}

Workload calibration_load(const FitRequest& request) {
  Workload load;
  if (!is_wanted(request)) return load;
  for (const RehearsalRequest& rehearsal : rehearsals_of(request)) load += rehearsal_load(rehearsal);
  return load;
}

std::vector<Calibrated> calibrate(std::span<const CalibrationRequest> requests, const RunOptions& run) {
  std::vector<RehearsalRequest> rehearsals;
  std::vector<size_t> wanted;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!is_wanted(requests[i].request)) continue;
    wanted.push_back(i);
    for (RehearsalRequest& rehearsal : rehearsals_of(requests[i].request))
      rehearsals.push_back(std::move(rehearsal));
  }
  StopNote note(run);
  const std::vector<RehearsalAttempt> attempts = rehearse(rehearsals, note.run());
  const PredictOptions predicting{.threads = run.threads, .stop_check = [&note] { note.check(); }};
  std::vector<Calibrated> found(requests.size());
  size_t first = 0;  // attempt of a request
  for (size_t w = 0; w < wanted.size() && !note.is_wished(); ++w) {
    const CalibrationRequest& request = requests[wanted[w]];
    const size_t trials = trials_of(request.request.options).size();
    try {
      found[wanted[w]] = learned(request, std::span(attempts).subspan(first, trials), predicting);
    } catch (const Error&) {
      if (!note.is_wished()) throw;
    }
    first += trials;
  }
  return found;
}

}  // namespace kedge
