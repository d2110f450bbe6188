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
// Error of a model over that of a constant, on some hundred pairs, that noise alone can give.
constexpr double most_by_chance = 1.1;

/// One count of steps and one wish to stop, for fits that run side by side.
class JointProgress {
 public:
  JointProgress(std::span<const FitRequest> requests, const ProgressFn& progress)
      : progress_(progress), done_(requests.size()), steps_(requests.size()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      try {
        check(requests[i].options);
        steps_[i] = fit_steps(requests[i]);
      } catch (const Error&) {
        // It has no steps; its draft will say why.
      }
    }
    total_ = std::accumulate(steps_.begin(), steps_.end(), uint64_t{0});
  }

  /// What cannot be fitted has no steps left to do.
  void give_up(size_t fit) { reached(fit, steps_[fit], no_loss); }

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
  std::vector<uint64_t> done_, steps_;  // by fit
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
  uint64_t before = 0;  // steps that its training does not count: of weights
  std::optional<FitResult> result = {};
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

/// Requests on their way from drafts over fleets to predictors.
class SideBySide {
 public:
  SideBySide(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done)
      : requests_(requests),
        done_(done),
        joint_(requests, run.progress),
        work_(requests.size()),
        threads_(requests.size() == 1 && requests[0].options.replicas == 1 ? 1 : run.threads) {}

  void run() {
    threads_.run(requests_.size(), [&](size_t i) {
      draft(i);
      // What needs no training is finished at once: of large tables few drafts fit in memory.
      if (!work_[i].draft || !work_[i].draft->runs().empty()) return;
      finish(i);
      work_[i].draft.reset();
    });
    assign_fleets();
    make_engines();
    const auto progress = [&](size_t fleet, size_t r, const Progress& p) { return reached(fleet, r, p); };
    const auto ended = [&](size_t fleet, size_t r) {
      if (is_last_run(fleet, r)) finish(owners_[fleet][r]);
    };
    train(fleets_, threads_, {.progress = progress, .ended = ended});
  }

 private:
  /// Does a part of a request; an Error ends that request alone.
  template <class Part>
  void attempt(size_t i, const Part& part) {
    try {
      part();
    } catch (const Error& error) {
      joint_.give_up(i);
      done_(i, {.error = error});
    }
  }

  void draft(size_t i) {
    attempt(i, [&] {
      check(requests_[i].options);
      const StopCheck stop_check = [this, i] {
        if (!joint_.reached(i, 0, no_loss)) throw fit_stopped();
      };
      stop_check();
      work_[i].draft.emplace(
          requests_[i], [&](const Progress& p) { return joint_.reached(i, p.step, p.loss); }, stop_check);
    });
  }

  /// Fits of one program make a fleet.
  void assign_fleets() {
    for (size_t i = 0; i < work_.size(); ++i) {
      Work& w = work_[i];
      if (!w.draft) continue;
      const std::vector<TrainingRun> runs = w.draft->runs();
      w.fleet = fleet_of(w.draft->program());
      Fleet& fleet = fleets_[w.fleet];
      w.first_run = fleet.runs.size();
      w.runs = w.unfinished = runs.size();
      w.progress.resize(runs.size());
      w.before = fit_steps(requests_[i]) - runs[0].options.steps;
      fleet.runs.insert(fleet.runs.end(), runs.begin(), runs.end());
      owners_[w.fleet].insert(owners_[w.fleet].end(), runs.size(), i);
    }
  }

  size_t fleet_of(const Program& program) {
    size_t f = 0;
    while (f < programs_.size() && !(programs_[f] == program)) ++f;
    if (f == programs_.size()) {
      programs_.push_back(program);
      fleets_.emplace_back();
      owners_.emplace_back();
    }
    return f;
  }

  void make_engines() {
    for (size_t f = 0; f < fleets_.size(); ++f) {
      std::vector<std::vector<float>> parameters;
      for (const TrainingRun& run : fleets_[f].runs)
        parameters.push_back(initial_parameters(programs_[f], run.seed));
      engines_.push_back(make_engine(programs_[f], parameters));
      fleets_[f].engine = engines_[f].get();
    }
  }

  bool reached(size_t fleet, size_t r, const Progress& p) {
    Work& w = work_[owners_[fleet][r]];
    Progress mean;
    {
      const std::lock_guard lock(w.mutex);
      w.progress[r - w.first_run] = p;
      mean = mean_of(w.progress);
    }
    return joint_.reached(owners_[fleet][r], w.before + mean.step, mean.loss);
  }

  bool is_last_run(size_t fleet, size_t r) {
    Work& w = work_[owners_[fleet][r]];
    const std::lock_guard lock(w.mutex);
    return --w.unfinished == 0;
  }

  void finish(size_t i) {
    attempt(i, [&] {
      Work& w = work_[i];
      std::vector<std::vector<float>> parameters;
      std::vector<TrainOutcome> outcomes;
      for (size_t r = w.first_run; r < w.first_run + w.runs; ++r) {
        parameters.push_back(fleets_[w.fleet].engine->read(r));
        outcomes.push_back(fleets_[w.fleet].outcomes[r]);
      }
      FitResult result = w.draft->finish(std::move(parameters), std::move(outcomes));
      w.draft.reset();
      w.result = std::move(result);
    });
    // Outside of the attempt: an Error of the caller's own is the caller's.
    if (work_[i].result) done_(i, {.result = std::move(work_[i].result)});
  }

  std::span<const FitRequest> requests_;
  const FitDone& done_;
  JointProgress joint_;
  std::vector<Work> work_;  // by request
  ThreadPool threads_;
  // By fleet; owners also by run: its request.
  std::vector<Program> programs_;
  std::vector<Fleet> fleets_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::vector<size_t>> owners_;
};

}  // namespace

RunOptions RunOptions::as_phase(uint64_t before, uint64_t total) const {
  if (!progress) return *this;
  return {.progress =
              [whole = progress, before, total](const Progress& p) {
                return whole({before + p.step, total, p.loss});
              },
          .threads = threads};
}

Error fit_stopped() { return {"fit", "stopped before the training began"}; }

RunOptions StopNote::run() {
  if (!run_.progress) return run_;
  return {.progress = [this](const Progress& p) { return report(p); }, .threads = run_.threads};
}

void StopNote::check() {
  if (!run_.progress) return;
  const std::lock_guard lock(mutex_);
  if (!ask(last_)) throw fit_stopped();
}

bool StopNote::report(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  last_ = progress;
  return ask(last_);
}

bool StopNote::ask(const Progress& progress) {
  if (!wished_ && !run_.progress(progress)) wished_ = true;
  return !wished_;
}

bool TrainingErrors::is_worse_than_constant() const {
  // Outputs that do not vary leave nothing to be worse at.
  return constant > 0 && !(model <= most_by_chance * constant);
}

uint64_t fit_steps(const FitRequest& request) {
  const FitOptions& options = request.options;
  if (!find_model(options.model).is_trained()) return 0;
  const uint64_t training = training_steps(options, request.table.rows());
  return weight_steps(options.weights, training, request.examples.size()) + training;
}

void fit_models(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done) {
  if (!requests.empty()) SideBySide(requests, run, done).run();
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
