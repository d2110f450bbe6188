#include "kedge/trials/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>

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
bool transduces(const FitOptions& options) {
  const AnchorRule rule = options.anchors.rule;
  return rule != AnchorRule::none && rule != AnchorRule::neighbour;
}

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

void observe(const Rehearsal& rehearsal, Counted counted, double improvement,
             std::vector<ObservedError>& observed) {
  if (rehearsal.status != TrainStatus::finished || !(rehearsal.output_scale > 0)) return;
  const Predictions& p = rehearsal.predictions;
  const ErrorModel scales{.usual_spread = rehearsal.usual_spread};
  const std::vector<double> errors = distances(p.y, rehearsal.truth);
  for (size_t r = 0; r < p.rows(); ++r) {
    if (!counts(counted, p.verdict[r], errors[r])) continue;
    observed.push_back({.evidence = {.verdict = p.verdict[r],
                                     .support_distance = p.support_distance[r],
                                     .delta_distance = p.delta_distance[r],
                                     .relative_spread = scales.relative_spread(p.spread[r])},
                        .error = errors[r] / rehearsal.output_scale,
                        .improvement = improvement,
                        .extent = rehearsal.extent[r]});
  }
}

/// What the rehearsals of one predictor, one for each of its trials, tell.
ErrorModel learned(const CalibrationRequest& calibration, std::span<const RehearsalAttempt> attempts,
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
  ErrorModel errors = error_model_of(observed, output_scale(table),
                                     usual_spread(predictor, table, predicting), by_differences ? 1 : 2);
  // Of the others the distance to the rows tells, beyond the differences too.
  if (!by_differences) errors.knows_beyond = true;
  return errors;
}

}  // namespace

std::span<const CalibrationTrial> calibration_trials() {
  constexpr size_t queries = 150;
  static const std::array trials = {trial_with(Shell::around, 0.2, queries, Counted::all),
                                    trial_with(Shell::low_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::high_end, 0.4, queries, Counted::all),
                                    trial_with(Shell::around, 0.8, queries, Counted::beyond)};
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
                                    trial_with(Shell::around, 0.8, queries, Counted::beyond)};
  return trials;
}

double improvement_of(double final_loss, double trial_loss, Loss loss) {
  const double ratio = loss == Loss::mse ? std::sqrt(final_loss / trial_loss) : final_loss / trial_loss;
  return ratio > 0 && ratio < 1 ? ratio : 1;
}

bool counts(Counted counted, Verdict verdict, double error) {
  return std::isfinite(error) && (counted == Counted::all || is_beyond(verdict));
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

uint64_t calibration_steps(const FitRequest& request) {
  if (!is_wanted(request)) return 0;
  uint64_t steps = 0;
  for (const RehearsalRequest& rehearsal : rehearsals_of(request)) steps += rehearsal_steps(rehearsal);
  return steps;
}

std::vector<ErrorModel> calibrate(std::span<const CalibrationRequest> requests, const RunOptions& run) {
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
  std::vector<ErrorModel> models(requests.size());
  size_t first = 0;  // attempt of a request
  for (size_t w = 0; w < wanted.size() && !note.is_wished(); ++w) {
    const CalibrationRequest& request = requests[wanted[w]];
    const size_t trials = trials_of(request.request.options).size();
    try {
      models[wanted[w]] = learned(request, std::span(attempts).subspan(first, trials), predicting);
    } catch (const Error&) {
      if (!note.is_wished()) throw;
    }
    first += trials;
  }
  return models;
}

}  // namespace kedge
