#include "kedge/trials/fit.h"

#include <limits>
#include <mutex>

#include "kedge/predictor/counted_requests.h"
#include "kedge/predictor/sizes.h"
#include "kedge/predictor/workload.h"
#include "kedge/trials/calibration.h"
#include "kedge/trials/choice.h"

namespace kedge {

FitLoads& FitLoads::operator+=(const FitLoads& other) {
  choosing += other.choosing;
  fitting += other.fitting;
  calibrating += other.calibrating;
  measuring += other.measuring;
  return *this;
}

FitLoads fit_loads(const FitRequest& request) {
  return {
      choice_load(request), fit_load(request), calibration_load(request), {.work = measuring_work(request)}};
}

void fit_all(std::span<const FitRequest> given, const RunOptions& run, const FitDone& done) {
  const CountedRequests counted(given);
  const std::span<const FitRequest> requests = counted.all();
  // A table that cannot be fitted is told of before any trial.
  std::vector<FitRequest> good;
  std::vector<size_t> number;  // of each good one among all
  for (size_t i = 0; i < requests.size(); ++i) {
    try {
      require_fittable(requests[i]);
      require_trainable(requests[i], run.device);
      good.push_back({requests[i].table, sized(requests[i].options, requests[i].table), requests[i].examples,
                      requests[i].validation});
      number.push_back(i);
    } catch (const Error& error) {
      done(i, {.error = error});
    }
  }
  FitLoads loads;
  for (const FitRequest& request : good) loads += fit_loads(request);
  const auto& [choosing, fitting, calibrating, measuring] = loads;
  const Workload total = loads.total();
  // Nobody wants a model whose choices were cut short.
  StopNote note(run);
  const std::vector<FitOptions> chosen = choose(good, note.run().as_phase({"choosing", {}, choosing, total}));
  if (note.is_wished()) {
    for (size_t i : number) done(i, {.error = fit_stopped()});
    return;
  }
  std::vector<FitRequest> settled;
  for (size_t i = 0; i < good.size(); ++i)
    settled.push_back({good[i].table, chosen[i], good[i].examples, good[i].validation});

  // Whoever stops now has a model; it goes without this figure.
  const auto measure_anchors = [&](FitResult& result, int threads) {
    try {
      result.predictor.measure_anchors(threads, [&note] { note.check(); });
    } catch (const Error&) {
      if (!note.is_wished()) throw;
    }
  };
  std::mutex mutex;
  std::vector<std::pair<size_t, FitResult>> fitted;  // those that are to be calibrated
  fit_models(settled, note.run().as_phase({"training", choosing, fitting, total}),
             [&](size_t i, FitAttempt&& attempt) {
               const bool is_fit = attempt.result && attempt.result->outcome.status == TrainStatus::finished;
               if (is_fit && settled[i].options.calibration == Calibration::none)
                 measure_anchors(*attempt.result, 1);
               if (!is_fit || settled[i].options.calibration == Calibration::none)
                 return done(number[i], std::move(attempt));
               const std::lock_guard lock(mutex);
               fitted.emplace_back(i, std::move(*attempt.result));
             });
  std::vector<CalibrationRequest> calibrations;
  for (const auto& [i, result] : fitted) calibrations.push_back({good[i], result.predictor});
  std::vector<Calibrated> calibrated =
      calibrate(calibrations, note.run().as_phase({"rehearsing", choosing + fitting, calibrating, total}));
  if (measuring.work > 0 && run.progress)
    note.run()
        .as_phase({"measuring", choosing + fitting + calibrating, measuring, total})
        .progress({.loss = std::numeric_limits<double>::quiet_NaN()});
  for (size_t k = 0; k < fitted.size(); ++k) {
    const ErrorModel& errors = calibrated[k].errors;
    fitted[k].second.predictor.set_errors(errors);
    measure_anchors(fitted[k].second, run.threads);
    fitted[k].second.rehearsed = std::move(calibrated[k].rehearsed);
    fitted[k].second.calibration_stopped = note.is_wished() && !errors.is_known();
    done(number[fitted[k].first], {.result = std::move(fitted[k].second)});
  }
}

FitResult fit(const FitRequest& request, const RunOptions& run) {
  FitAttempt attempt;
  fit_all({&request, 1}, run, [&](size_t, FitAttempt&& ended) { attempt = std::move(ended); });
  if (attempt.error) throw Error(*attempt.error);
  return std::move(*attempt.result);
}

}  // namespace kedge
