#include "kedge/predictor/fit.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

#include "kedge/predictor/draft.h"
#include "kedge/weights/joint_weights.h"

namespace kedge {
namespace {

constexpr double no_loss = std::numeric_limits<double>::quiet_NaN();

/// One count of steps and one wish to stop, for fits that run side by side.
class JointProgress {
 public:
  JointProgress(std::span<const FitRequest> requests, const ProgressFn& progress)
      : progress_(progress), done_(requests.size()) {
    for (const FitRequest& request : requests) total_ += fit_steps(request);
  }

  /// Fit `fit` has come to `step` of its own steps. False when all are to stop.
  bool reached(size_t fit, uint64_t step, double loss) {
    if (!progress_) return true;
    const std::lock_guard lock(mutex_);
    done_[fit] = std::max(done_[fit], step);
    const uint64_t done = std::accumulate(done_.begin(), done_.end(), uint64_t{0});
    if (!stopped_) stopped_ = !progress_({done, total_, loss});
    return !stopped_;
  }

 private:
  const ProgressFn& progress_;
  std::mutex mutex_;
  std::vector<uint64_t> done_;
  uint64_t total_ = 0;
  bool stopped_ = false;
};

/// A request on its way: where its runs stand among the fleets, and what they have reported.
struct Work {
  std::optional<FitDraft> draft = {};
  size_t fleet = 0, first_run = 0, runs = 0;
  std::vector<Progress> progress = {};  // by replica
  std::mutex mutex{};
  size_t unfinished = 0;
};

/// Steps are the mean over replicas, which go side by side; so is the loss.
Progress mean_of(const std::vector<Progress>& replicas) {
  Progress mean;
  size_t begun = 0;
  for (const Progress& p : replicas) {
    mean.step += p.step;
    if (p.step == 0) continue;
    mean.loss += p.loss;
    ++begun;
  }
  mean.step /= replicas.size();
  mean.loss /= static_cast<double>(begun);
  return mean;
}

}  // namespace

uint64_t fit_steps(const FitRequest& request) {
  const FitOptions& options = request.options;
  if (find_model(options.model).solver != Solver::adam) return 0;
  const uint64_t training = training_steps(options, request.table.rows());
  return joint_steps(options.weights, training) + training;
}

void fit_models(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done) {
  if (requests.empty()) return;
  JointProgress joint(requests, run.progress);
  std::vector<Work> work(requests.size());
  ThreadPool pool(requests.size() == 1 && requests[0].options.replicas == 1 ? 1 : run.threads);
  const auto attempt = [&](size_t i, const auto& part) {
    try {
      part();
    } catch (const Error& error) {
      // What cannot be fitted has no steps left to do.
      joint.reached(i, fit_steps(requests[i]), no_loss);
      done(i, {.error = error});
    }
  };
  const auto before = [&](size_t i) {
    return joint_steps(requests[i].options.weights,
                       training_steps(requests[i].options, requests[i].table.rows()));
  };
  pool.run(requests.size(), [&](size_t i) {
    attempt(i, [&] {
      // A closed form cannot be stopped once it has begun.
      if (find_model(requests[i].options.model).solver != Solver::adam && !joint.reached(i, 0, no_loss))
        throw Error("fit", "stopped before it began");
      work[i].draft.emplace(requests[i], [&](const Progress& p) { return joint.reached(i, p.step, p.loss); });
    });
  });

  // Those of one program make a fleet.
  std::vector<Fleet> fleets;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::vector<size_t>> owners;  // by fleet and run: the request
  std::vector<size_t> closed_forms;
  for (size_t i = 0; i < work.size(); ++i) {
    if (!work[i].draft) continue;
    const std::vector<TrainingRun> runs = work[i].draft->runs();
    if (runs.empty()) {
      closed_forms.push_back(i);
      continue;
    }
    size_t f = 0;
    while (f < fleets.size() && !(work[owners[f][0]].draft->program() == work[i].draft->program())) ++f;
    if (f == fleets.size()) {
      fleets.emplace_back();
      owners.emplace_back();
    }
    work[i].fleet = f;
    work[i].first_run = fleets[f].runs.size();
    work[i].runs = work[i].unfinished = runs.size();
    work[i].progress.resize(runs.size());
    fleets[f].runs.insert(fleets[f].runs.end(), runs.begin(), runs.end());
    owners[f].insert(owners[f].end(), runs.size(), i);
  }
  for (size_t f = 0; f < fleets.size(); ++f) {
    const Program& program = work[owners[f][0]].draft->program();
    std::vector<std::vector<float>> parameters;
    for (const TrainingRun& one : fleets[f].runs) parameters.push_back(initial_parameters(program, one.seed));
    engines.push_back(make_engine(program, parameters));
    fleets[f].engine = engines[f].get();
  }

  const auto finish = [&](size_t i) {
    attempt(i, [&] {
      Work& w = work[i];
      std::vector<std::vector<float>> parameters;
      std::vector<TrainOutcome> outcomes;
      for (size_t r = w.first_run; r < w.first_run + w.runs; ++r) {
        parameters.push_back(fleets[w.fleet].engine->read(r));
        outcomes.push_back(fleets[w.fleet].outcomes[r]);
      }
      FitResult result = w.draft->finish(std::move(parameters), std::move(outcomes));
      w.draft.reset();
      done(i, {.result = std::move(result)});
    });
  };
  pool.run(closed_forms.size(), [&](size_t c) { finish(closed_forms[c]); });
  const FleetWatch watch{.progress =
                             [&](size_t fleet, size_t r, const Progress& p) {
                               const size_t i = owners[fleet][r];
                               Progress mean;
                               {
                                 const std::lock_guard lock(work[i].mutex);
                                 work[i].progress[r - work[i].first_run] = p;
                                 mean = mean_of(work[i].progress);
                               }
                               return joint.reached(i, before(i) + mean.step, mean.loss);
                             },
                         .ended =
                             [&](size_t fleet, size_t r) {
                               Work& w = work[owners[fleet][r]];
                               bool is_last = false;
                               {
                                 const std::lock_guard lock(w.mutex);
                                 is_last = --w.unfinished == 0;
                               }
                               if (is_last) finish(owners[fleet][r]);
                             }};
  train(fleets, pool, watch);
}

std::vector<FitAttempt> fit_models(std::span<const FitRequest> requests, const RunOptions& run) {
  std::vector<FitAttempt> attempts(requests.size());
  fit_models(requests, run, [&](size_t i, FitAttempt&& attempt) { attempts[i] = std::move(attempt); });
  return attempts;
}

FitResult fit_model(const FitRequest& request, const RunOptions& run) {
  std::vector<FitAttempt> attempts = fit_models({&request, 1}, run);
  if (attempts[0].error) throw Error(*attempts[0].error);
  return std::move(*attempts[0].result);
}

}  // namespace kedge
