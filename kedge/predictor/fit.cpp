#include "kedge/predictor/fit.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "kedge/predictor/counted_requests.h"
#include "kedge/predictor/draft.h"
#include "kedge/predictor/workload.h"

namespace kedge {
namespace {

constexpr double no_loss = std::numeric_limits<double>::quiet_NaN();
// Error of a model over that of a constant, on some hundred pairs, that noise alone can give.
constexpr double most_by_chance = 1.1;
// Whoever trains on a device waits for it: so many fleets side by side fill it.
constexpr int fleets_on_device = 32;

/// One count of steps and work and one wish to stop, for fits that run side by side.
class JointProgress {
 public:
  JointProgress(std::span<const FitRequest> requests, const ProgressFn& progress)
      : progress_(progress), fits_(requests.size()) {
    for (size_t i = 0; i < requests.size() && progress_; ++i) {
      try {
        check(requests[i].options);
        fits_[i].load = fit_load(requests[i]);
        fits_[i].draft = draft_work(requests[i], requests[i].table.rows());
      } catch (const Error&) {
        // It has no steps; its draft will say why.
      }
      total_ += fits_[i].load;
    }
  }

  /// What has ended, or cannot be fitted, has nothing left to do.
  void end(size_t fit) { advance(fit, fits_[fit].load, no_loss); }
  /// The draft of a fit is there.
  void drafted(size_t fit) { advance(fit, {0, fits_[fit].draft}, no_loss); }

  /// Fit `fit` has come to `step` of its own steps. False when all are to stop.
  bool reached(size_t fit, uint64_t step, double loss) {
    const Fit& f = fits_[fit];
    const double share =
        f.load.steps > 0 ? static_cast<double>(step) / static_cast<double>(f.load.steps) : 0.0;
    return advance(fit, {step, step > 0 ? f.draft + share * (f.load.work - f.draft) : 0}, loss);
  }

 private:
  struct Fit {
    Workload load = {}, done = {};
    double draft = 0;  // of the work
  };

  bool advance(size_t fit, const Workload& to, double loss) {
    if (!progress_) return true;
    const std::lock_guard lock(mutex_);
    Workload& done = fits_[fit].done;
    done = {std::max(done.steps, to.steps), std::max(done.work, to.work)};
    Workload all;
    for (const Fit& f : fits_) all += f.done;
    if (!stopped_) stopped_ = !progress_({all.steps, total_.steps, loss, all.work, total_.work});
    return !stopped_;
  }

  const ProgressFn& progress_;
  std::mutex mutex_;
  std::vector<Fit> fits_;
  Workload total_;
  bool stopped_ = false;
};

/// A request on its way: where its runs stand among the fleets, and what they have reported.
struct Work {
  std::optional<FitDraft> draft = {};
  size_t fleet = 0, first_run = 0, runs = 0;
  std::vector<Progress> progress = {};    // by replica
  std::vector<BestParameters> best = {};  // by replica, on validation rows
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

ValidationResult mean_of(const std::vector<BestParameters>& replicas) {
  ValidationResult mean;
  for (const BestParameters& best : replicas) {
    mean.error += best.error;
    mean.step += best.step;
  }
  mean.error /= static_cast<double>(replicas.size());
  mean.step /= replicas.size();
  return mean;
}

/// A name that is none is told of by its draft.
bool is_trained(const FitRequest& request) {
  const std::vector<Model>& models = all_models();
  return std::any_of(models.begin(), models.end(), [&](const Model& model) {
    return model.name == request.options.model && model.is_trained();
  });
}

/// Requests on their way from drafts over fleets to predictors.
class SideBySide {
 public:
  SideBySide(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done)
      : requests_(requests),
        done_(done),
        device_(run.device),
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
    const FleetWatch watch{.progress = progress, .ended = ended};
    const bool on_device = std::any_of(devices_.begin(), devices_.end(),
                                       [](const UsedDevice& used) { return used.device != Device::cpu; });
    if (!on_device) return train(fleets_, threads_, watch);
    ThreadPool waiting(
        std::max(threads_.threads(), std::min(fleets_on_device, static_cast<int>(fleets_.size()))));
    train(fleets_, waiting, watch);
  }

 private:
  /// Does a part of a request; an Error ends that request alone.
  template <class Part>
  void attempt(size_t i, const Part& part) {
    try {
      part();
    } catch (const Error& error) {
      joint_.end(i);
      done_(i, {.error = error});
    }
  }

  void draft(size_t i) {
    attempt(i, [&] {
      check(requests_[i].options);
      require_trainable(requests_[i], device_);
      const StopCheck stop_check = [this, i] {
        if (!joint_.reached(i, 0, no_loss)) throw fit_stopped();
      };
      stop_check();
      work_[i].draft.emplace(
          requests_[i], [&](const Progress& p) { return joint_.reached(i, p.step, p.loss); }, stop_check);
      joint_.drafted(i);
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
      w.best.resize(runs.size());
      w.before = fit_load(requests_[i]).steps - runs[0].options.steps;
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
      devices_.push_back(device_of(f));
      engines_.push_back(make_engine(programs_[f], parameters, devices_[f].device));
      fleets_[f].engine = engines_[f].get();
    }
  }

  UsedDevice device_of(size_t f) const {
    FleetSize size{.runs = fleets_[f].runs.size(), .parameters = programs_[f].parameters()};
    for (const TrainingRun& run : fleets_[f].runs) {
      size.batch = std::max(size.batch, run.options.batch);
      size.steps = std::max(size.steps, run.options.steps);
    }
    // Validation rows look at parameters all the way, and a device has them only at the end.
    const bool is_watched = std::any_of(owners_[f].begin(), owners_[f].end(),
                                        [&](size_t i) { return work_[i].draft->validation() != nullptr; });
    return device_for(is_watched ? Device::cpu : device_, size);
  }

  bool reached(size_t fleet, size_t r, const Progress& p) {
    Work& w = work_[owners_[fleet][r]];
    if (const ValidationRows* rows = w.draft->validation())
      w.best[r - w.first_run].look(*rows, *fleets_[fleet].engine, r, p);
    Progress mean;
    {
      const std::lock_guard lock(w.mutex);
      w.progress[r - w.first_run] = p;
      mean = mean_of(w.progress);
    }
    return joint_.reached(owners_[fleet][r], w.before + mean.step, mean.loss);
  }

  UsedDevice used_device(const Work& w) const {
    UsedDevice used = devices_[w.fleet];
    for (size_t r = w.first_run; r < w.first_run + w.runs; ++r)
      if (const size_t held = fleets_[w.fleet].outcomes[r].at_once; held > 0)
        used.at_once = used.at_once > 0 ? std::min(used.at_once, held) : held;
    return used;
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
        BestParameters& best = w.best[r - w.first_run];
        parameters.push_back(best.parameters.empty() ? fleets_[w.fleet].engine->read(r) : best.parameters);
        outcomes.push_back(fleets_[w.fleet].outcomes[r]);
      }
      const bool is_validated = w.draft->validation() != nullptr;
      FitResult result = w.draft->finish(std::move(parameters), std::move(outcomes));
      if (is_validated) result.validation = mean_of(w.best);
      if (w.runs > 0) result.trained_on = used_device(w);
      w.draft.reset();
      w.result = std::move(result);
    });
    // Outside of the attempt: an Error of the caller's own is the caller's.
    if (work_[i].result && work_[i].runs == 0) joint_.end(i);
    if (work_[i].result) done_(i, {.result = std::move(work_[i].result)});
  }

  std::span<const FitRequest> requests_;
  const FitDone& done_;
  const Device device_;
  JointProgress joint_;
  std::vector<Work> work_;  // by request
  ThreadPool threads_;
  // By fleet; owners also by run: its request.
  std::vector<Program> programs_;
  std::vector<Fleet> fleets_;
  std::vector<UsedDevice> devices_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::vector<size_t>> owners_;
};

}  // namespace

Error fit_stopped() { return {"fit", "stopped before the training began"}; }

bool TrainingErrors::is_worse_than_constant() const {
  // Outputs that do not vary leave nothing to be worse at.
  return constant > 0 && !(model <= most_by_chance * constant);
}

void require_trainable(const FitRequest& request, Device device) {
  if (device == Device::cuda && request.validation && find_model(request.options.model).is_trained())
    throw Error("fit",
                "validation rows need parameters during the training, which stay on a CUDA device until its "
                "end; found both; train on the CPU, or leave the rows out",
                "device,validation");
}

void fit_models(std::span<const FitRequest> requests, const RunOptions& run, const FitDone& done) {
  if (requests.empty()) return;
  // A device that is not there is no fault of one fit.
  if (std::any_of(requests.begin(), requests.end(), is_trained)) require_device(run.device);
  const CountedRequests counted(requests);
  SideBySide(counted.all(), run, done).run();
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
