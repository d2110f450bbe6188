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

std::vector<RehearsalRequest> rehearsals_of(const FitRequest& request) {
  std::vector<RehearsalRequest> rehearsals;
  for (const CalibrationTrial& trial : calibration_trials())
    rehearsals.push_back({request.table, request.options, trial.rehearsal, request.examples});
  return rehearsals;
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
                        .improvement = improvement});
  }
}

/// What the rehearsals of one predictor, one for each of calibration_trials, tell.
ErrorModel learned(const CalibrationRequest& calibration, std::span<const RehearsalAttempt> attempts,
                   const PredictOptions& predicting) {
  const std::span<const CalibrationTrial> trials = calibration_trials();
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
  return error_model_of(observed, output_scale(table), usual_spread(predictor, table, predicting));
}

}  // namespace

std::span<const CalibrationTrial> calibration_trials() {
  static const std::array<CalibrationTrial, 4> trials = [] {
    const RehearsalOptions common{
        .inside_fraction = 0.1, .effort = 0.2, .queries = 150, .pool = 10000, .replicas = 2};
    const auto with = [&](Shell shell, double fraction, Counted counted) {
      CalibrationTrial trial{common, counted};
      trial.rehearsal.shell = shell;
      trial.rehearsal.fraction = fraction;
      return trial;
    };
    return std::array{with(Shell::around, 0.2, Counted::all), with(Shell::low_end, 0.4, Counted::all),
                      with(Shell::high_end, 0.4, Counted::all), with(Shell::around, 0.8, Counted::beyond)};
  }();
  return trials;
}

double improvement_of(double final_loss, double trial_loss, Loss loss) {
  const double ratio = loss == Loss::mse ? std::sqrt(final_loss / trial_loss) : final_loss / trial_loss;
  return ratio > 0 && ratio < 1 ? ratio : 1;
}

bool counts(Counted counted, Verdict verdict, double error) {
  return std::isfinite(error) && (counted == Counted::all || is_beyond(verdict));
}

ErrorModel error_model_of(std::span<const ObservedError> observed, double output_scale, double usual_spread) {
  if (observed.empty()) return {};
  return {.coefficients = fit_error_model(observed),
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
  const size_t trials = calibration_trials().size();
  std::vector<ErrorModel> models(requests.size());
  for (size_t w = 0; w < wanted.size() && !note.is_wished(); ++w) {
    try {
      models[wanted[w]] =
          learned(requests[wanted[w]], std::span(attempts).subspan(w * trials, trials), predicting);
    } catch (const Error&) {
      if (!note.is_wished()) throw;
    }
  }
  return models;
}

}  // namespace kedge
