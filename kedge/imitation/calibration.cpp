#include "kedge/imitation/calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kedge/core/score.h"
#include "kedge/table/standardizer.h"
#include "kedge/trials/calibration.h"

namespace kedge {
namespace {

bool is_wanted(const ImitationRequest& request) {
  return request.options.fit.calibration != Calibration::none &&
         request.demonstrations.size() >= fewest_rehearsal_rows;
}

PolicyOptions trial_options(const ImitationRequest& request, const RehearsalOptions& rehearsal) {
  PolicyOptions trial = request.options;
  const auto steps = static_cast<double>(training_steps(trial, request.demonstrations.size()));
  trial.fit.training.steps = std::max<uint64_t>(1, static_cast<uint64_t>(rehearsal.effort * steps));
  trial.fit.epochs = 0;
  trial.fit.replicas = std::min(trial.fit.replicas, rehearsal.replicas);
  trial.fit.pool = std::min(trial.fit.pool, rehearsal.pool);
  trial.fit.calibration = Calibration::none;
  return trial;
}

/// Deviation of the actions over all steps of all episodes, norm over actions.
double action_scale(const Demonstrations& demonstrations) {
  const size_t width = demonstrations.columns().actions.size();
  double squares = 0;
  for (size_t k = 0; k < width; ++k) {
    double sum = 0, sum_squares = 0, count = 0;
    for (const Episode& episode : demonstrations.episodes())
      for (size_t t = 0; t < episode.steps(); ++t) {
        sum += episode.actions(t, k);
        ++count;
      }
    const double mean = sum / count;
    for (const Episode& episode : demonstrations.episodes())
      for (size_t t = 0; t < episode.steps(); ++t)
        sum_squares += (episode.actions(t, k) - mean) * (episode.actions(t, k) - mean);
    squares += sum_squares / count;
  }
  return std::sqrt(squares);
}

double mean_error(const Policy& policy, const Episode& episode) {
  const std::vector<double> errors = distances(policy.actions(episode), episode.actions);
  double sum = 0;
  for (double e : errors) sum += e;
  return sum / static_cast<double>(errors.size());
}

double loss_of(const Policy& policy) {
  return policy.predictor() ? policy.predictor()->final_loss() : std::numeric_limits<double>::quiet_NaN();
}

/// A rehearsal on its way.
struct Trial {
  size_t policy = 0;  // whose
  Counted counted = Counted::all;
  std::vector<size_t> held_out;  // episodes
  std::unique_ptr<Demonstrations> fitted;
};

void observe(const CalibratedPolicy& of, const Trial& trial, const Policy& rehearsed,
             const StopCheck& stop_check, std::vector<ObservedError>& observed) {
  const double scale = action_scale(*trial.fitted);
  if (!(scale > 0)) return;
  const double improvement =
      improvement_of(loss_of(of.policy), loss_of(rehearsed), of.request.options.fit.training.loss);
  const Demonstrations held = of.request.demonstrations.select(trial.held_out);
  const std::vector<GoalAnswer> answers = rehearsed.judge(held.goals());
  for (size_t e = 0; e < held.size(); ++e) {
    check_stop(stop_check);
    const double error = mean_error(rehearsed, held[e]);
    if (!counts(trial.counted, answers[e].verdict, error)) continue;
    observed.push_back({.evidence = {.verdict = answers[e].verdict,
                                     .support_distance = answers[e].support_distance,
                                     .delta_distance = answers[e].delta_distance},
                        .error = error / scale,
                        .improvement = improvement});
  }
}

}  // namespace

uint64_t calibration_steps(const ImitationRequest& request) {
  if (!is_wanted(request) || !find_policy_model(request.options.model).is_trained()) return 0;
  uint64_t steps = 0;
  for (const CalibrationTrial& trial : calibration_trials())
    if (!is_of_outputs(trial.rehearsal.shell))
      steps += training_steps(trial_options(request, trial.rehearsal), request.demonstrations.size());
  return steps;
}

void calibrate(std::span<const CalibratedPolicy> policies, const RunOptions& run) {
  std::vector<Trial> trials;
  std::vector<ImitationRequest> requests;
  for (size_t p = 0; p < policies.size(); ++p) {
    const ImitationRequest& request = policies[p].request;
    if (!is_wanted(request)) continue;
    for (const CalibrationTrial& trial : calibration_trials()) {
      if (is_of_outputs(trial.rehearsal.shell)) continue;  // goals are inputs
      try {
        HeldOut held = hold_out(request.demonstrations.goals(), trial.rehearsal, request.options.fit.seed);
        auto fitted = std::make_unique<Demonstrations>(request.demonstrations.select(held.fitted));
        requests.push_back({*fitted, trial_options(request, trial.rehearsal)});
        trials.push_back({p, trial.counted, std::move(held.queries), std::move(fitted)});
      } catch (const Error&) {
        // Where the demonstrations that are left cannot be learned from, this trial tells nothing.
      }
    }
  }
  StopNote note(run);
  const std::vector<ImitationAttempt> attempts = fit_policies(requests, note.run());
  if (note.is_wished()) return;
  std::vector<std::vector<ObservedError>> observed(policies.size());
  for (size_t t = 0; t < trials.size(); ++t) {
    if (!attempts[t].result) continue;
    if (attempts[t].result->outcome.status != TrainStatus::finished) continue;
    try {
      observe(
          policies[trials[t].policy], trials[t], attempts[t].result->policy, [&note] { note.check(); },
          observed[trials[t].policy]);
    } catch (const Error&) {
      if (note.is_wished()) return;
      throw;
    }
  }
  for (size_t p = 0; p < policies.size(); ++p)
    if (!observed[p].empty())
      policies[p].policy.set_errors(
          error_model_of(observed[p], action_scale(policies[p].request.demonstrations), 0));
}

}  // namespace kedge
