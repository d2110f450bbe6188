#include "kedge/trials/budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/predictor/counted_requests.h"
#include "kedge/predictor/sizes.h"
#include "kedge/predictor/workload.h"
#include "kedge/trials/calibration.h"
#include "kedge/trials/fit.h"
#include "kedge/trials/rehearsal.h"

namespace kedge {
namespace {

constexpr double pace_share = 0.02, shortest_pace = 0.1, longest_pace = 1;  // seconds of estimated work
constexpr int most_replicas = 8;  // more of them cost predictions more than they gain
constexpr double trial_efforts[] = {1.0 / 16, 1.0 / 8, 1.0 / 4};

FitOptions with_steps(FitOptions options, uint64_t steps) {
  options.training.steps = steps;
  options.epochs = 0;
  return options;
}

/// Work of so many equal parts, of which some go at once.
double seconds_of(double work, size_t parts, const Pace& pace) {
  const auto threads = static_cast<size_t>(std::max(1, pace.threads));
  const size_t rounds = (parts + threads - 1) / threads;
  return pace.seconds * work / static_cast<double>(parts) * static_cast<double>(rounds);
}

/// None where too little would be learned of them.
std::vector<RehearsalRequest> trials_of(const FitRequest& request) {
  std::vector<RehearsalRequest> trials;
  if (request.table.rows() < fewest_rehearsal_rows) return trials;
  for (double effort : trial_efforts) {
    const RehearsalOptions rehearsal{
        .fraction = 0, .inside_fraction = 0.1, .effort = effort, .judging = Judging::none};
    trials.push_back({request.table, request.options, rehearsal, request.examples});
  }
  return trials;
}

/// Errors on rows held out inside. Throws Error when it was stopped.
std::vector<InsideError> errors_of(const std::vector<RehearsalRequest>& trials, const RunOptions& run) {
  StopNote note(run);
  const std::vector<RehearsalAttempt> attempts = rehearse(trials, note.run());
  if (note.is_wished()) throw fit_stopped();
  std::vector<InsideError> errors;
  for (size_t t = 0; t < trials.size(); ++t) {
    if (!attempts[t].result) continue;
    Rehearsal inside = *attempts[t].result;
    inside.outside.flip();
    errors.push_back({trials[t].rehearsal.effort * static_cast<double>(trials[t].options.training.steps),
                      shell_error(trials[t].table, inside)});
  }
  return errors;
}

/// Of the trials, which go side by side: the largest lasts as long as the others together.
double seconds_of_trials(const FitRequest& request, const Pace& pace) {
  double work = 0;
  for (const RehearsalRequest& trial : trials_of(request)) work += rehearsal_load(trial).work;
  return seconds_of(work, 2, pace);
}

/// Of all that a budget pays for.
double seconds_of_all(const FitRequest& request, const FitOptions& options, const Pace& pace) {
  const FitRequest settled{request.table, options, request.examples};
  return seconds_of_fit(settled, pace) + seconds_of_trials(settled, pace);
}

/// Steps that fill the seconds; time grows in proportion to them.
FitOptions filled(const FitRequest& request, const FitOptions& options, double seconds, const Pace& pace) {
  constexpr uint64_t unit = 1'000'000;
  const double none = seconds_of_all(request, with_steps(options, 1), pace);
  const double unit_more = seconds_of_all(request, with_steps(options, 1 + unit), pace) - none;
  const double steps = (seconds - none) / unit_more * static_cast<double>(unit);
  // Round numbers are easier to repeat.
  const double round = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(steps, 1.0))) - 1));
  const double rounded = std::floor(steps / round) * round;
  constexpr double most = 1e12;
  return with_steps(
      options, static_cast<uint64_t>(std::clamp(rounded, static_cast<double>(fewest_budget_steps), most)));
}

}  // namespace

double parse_duration(const std::string& text) {
  const auto wrong = [&] {
    return Error("budget",
                 fmt::format("a budget needs a time as 90s, 5m or 1.5h; found {}; write a positive number "
                             "and its unit",
                             shown(text)));
  };
  static const std::string units = "smh";
  if (text.size() < 2) throw wrong();
  const size_t unit = units.find(text.back());
  const std::string number = text.substr(0, text.size() - 1);
  if (unit == std::string::npos || number.find_first_not_of("0123456789.") != std::string::npos)
    throw wrong();
  double value = 0;
  try {
    size_t read = 0;
    value = std::stod(number, &read);
    if (read != number.size()) throw wrong();
  } catch (const std::logic_error&) {
    throw wrong();
  }
  constexpr double seconds_of_unit[] = {1, 60, 3600}, most = 1e7;
  const double seconds = value * seconds_of_unit[unit];
  if (!(seconds > 0 && seconds <= most)) throw wrong();
  return seconds;
}

Pace measured_pace(const FitRequest& request, double budget, const RunOptions& run) {
  Pace pace{.threads = ThreadPool(run.threads).threads()};
  // A device trains replicas side by side, however many cores there are.
  if (run.device == Device::cuda) pace.threads = std::max(pace.threads, most_replicas);
  FitRequest probe{request.table, with_steps(sized(request.options, request.table), fewest_budget_steps),
                   request.examples};
  probe.options.replicas = static_cast<size_t>(std::min(pace.threads, 2));
  if (probe.options.architecture.fourier == Fourier::automatic)
    probe.options.architecture.fourier = Fourier::off;
  const double draft = draft_work(probe, request.table.rows());
  const double replica = (fit_load(probe).work - draft) / static_cast<double>(probe.options.replicas);
  const double wanted = std::clamp(pace_share * budget, shortest_pace, longest_pace);
  const auto steps = static_cast<uint64_t>(static_cast<double>(fewest_budget_steps) * wanted / replica);
  probe.options.training.steps = std::max<uint64_t>(1, steps);
  StopNote note(run);
  // It is no part of what progress counts.
  const RunOptions uncounted = note.run().as_phase({"choosing", {}, {}, {.steps = 1, .work = 1}});
  if (run.device == Device::cuda) {
    // A device takes long to start, once.
    FitRequest first{request.table, with_steps(probe.options, 1), request.examples};
    fit_model(first, uncounted);
  }
  const auto start = std::chrono::steady_clock::now();
  fit_model(probe, uncounted);
  if (note.is_wished()) throw fit_stopped();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const double estimated = draft + replica * static_cast<double>(probe.options.training.steps) /
                                       static_cast<double>(fewest_budget_steps);
  pace.seconds = taken.count() / estimated;
  return pace;
}

double seconds_of_fit(const FitRequest& request, const Pace& pace) {
  const FitLoads loads = fit_loads(request);
  const size_t replicas = request.options.replicas;
  return seconds_of(loads.choosing.work, 2, pace) + seconds_of(loads.fitting.work, replicas, pace) +
         seconds_of(loads.calibrating.work, calibration_trials().size() * std::min<size_t>(replicas, 2),
                    pace) +
         seconds_of(loads.measuring.work, 1, pace);
}

FitOptions options_within(const FitRequest& request, double seconds, const Pace& pace) {
  const OpenOptions open = request.options.open;
  FitOptions options = sized(request.options, request.table);
  const auto threads = static_cast<size_t>(std::clamp(pace.threads, 1, most_replicas));
  if (open.replicas && seconds > seconds_of_all(request, options, pace))
    options.replicas = std::max(options.replicas, threads);
  return open.steps ? filled(request, options, seconds, pace) : options;
}

std::optional<double> error_of_twice(std::span<const InsideError> trials) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const InsideError& trial : trials) {
    if (!(trial.error > 0) || !std::isfinite(trial.error) || !(trial.steps > 0)) continue;
    const double s = std::log2(trial.steps), e = std::log2(trial.error);
    n += 1;
    x += s;
    y += e;
    xx += s * s;
    xy += s * e;
  }
  const double spread = n * xx - x * x;
  if (n < 2 || !(spread > 0)) return std::nullopt;
  return std::min(1.0, std::exp2((n * xy - x * y) / spread));
}

BudgetedFit fit_within(const FitRequest& given, double seconds, const RunOptions& asked) {
  // The pace is that of one device: the probe and the fit might not take the same.
  RunOptions run = asked;
  if (run.device == Device::automatic) run.device = Device::cpu;
  const CountedRequests counted({&given, 1});
  const FitRequest& request = counted.all()[0];
  require_fittable(request);
  require_trainable(request, run.device);
  if (!find_model(request.options.model).is_trained())
    throw Error("budget",
                fmt::format("needs a model that is trained; found {}, which has a closed form; leave "
                            "the budget out",
                            request.options.model));
  const auto start = std::chrono::steady_clock::now();
  const Pace pace = measured_pace(request, seconds, run);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  BudgetPlan plan{.options = options_within(request, seconds - taken.count(), pace)};
  plan.seconds = taken.count() + seconds_of_all(request, plan.options, pace);
  const FitRequest settled{request.table, plan.options, request.examples, request.validation};
  const std::vector<RehearsalRequest> trials = trials_of(settled);
  Workload trying;
  for (const RehearsalRequest& trial : trials) trying += rehearsal_load(trial);
  const Workload fitting = fit_loads(settled).total();
  plan.trials = errors_of(trials, run.as_phase({"choosing", {}, trying, trying + fitting}));
  FitResult result = fit(settled, run.as_phase({"", trying, fitting, trying + fitting}));
  return {std::move(plan), std::move(result)};
}

}  // namespace kedge
