#include "kedge/trials/choice.h"

#include <limits>

#include "kedge/trials/rehearsal.h"

namespace kedge {
namespace {

// A sine of every mixture of many columns fits anything and carries nothing outward (the paper's Fourier
// table).
constexpr size_t most_fourier_inputs = 8;

// Work of a trial with the layer over that of one without.
constexpr double sinusoids_cost = 3;

bool needs_trial(const FitRequest& request) {
  return find_model(request.options.model).is_trained() &&
         request.options.architecture.fourier == Fourier::automatic &&
         request.table.rows() >= fewest_rehearsal_rows &&
         request.table.names(Role::input).size() <= most_fourier_inputs;
}

RehearsalRequest trial_of(const FitRequest& request, Fourier fourier) {
  RehearsalRequest trial{.table = request.table,
                         .options = request.options,
                         .rehearsal = {.judging = Judging::none},
                         .examples = request.examples};
  trial.options.architecture.fourier = fourier;
  return trial;
}

}  // namespace

Workload choice_load(const FitRequest& request) {
  if (!needs_trial(request)) return {};
  const Workload without = rehearsal_load(trial_of(request, Fourier::off));
  return {2 * without.steps, (1 + sinusoids_cost) * without.work};
}

std::vector<FitOptions> choose(std::span<const FitRequest> requests, const RunOptions& run) {
  std::vector<FitOptions> chosen;
  std::vector<RehearsalRequest> trials;
  std::vector<size_t> tried;  // requests, two trials each
  for (size_t i = 0; i < requests.size(); ++i) {
    Fourier& fourier = chosen.emplace_back(requests[i].options).architecture.fourier;
    if (fourier == Fourier::automatic) fourier = Fourier::off;
    if (!needs_trial(requests[i])) continue;
    tried.push_back(i);
    for (Fourier option : {Fourier::off, Fourier::on}) trials.push_back(trial_of(requests[i], option));
  }
  const std::vector<RehearsalAttempt> attempts = rehearse(trials, run);
  // Where the rows inside the shell cannot be fitted (no label twice, say), the trial decides nothing.
  const auto error_of = [&](size_t t) {
    const std::optional<Rehearsal>& done = attempts[t].result;
    return done && done->status != TrainStatus::stopped ? shell_error(trials[t].table, *done)
                                                        : std::numeric_limits<double>::infinity();
  };
  for (size_t t = 0; t < tried.size(); ++t)
    if (error_of(2 * t + 1) < error_of(2 * t)) chosen[tried[t]].architecture.fourier = Fourier::on;
  return chosen;
}

}  // namespace kedge
