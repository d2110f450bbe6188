#include "kedge/jobs/job_work.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/thread_pool.h"
#include "kedge/jobs/machine.h"

namespace kedge {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Enough to fill a device. The tables of that many policies take some gigabytes.
constexpr size_t fits_on_device = 192;

FitRequest request_of(const Fit::Source& source) { return {source.table, source.options, source.examples}; }

void run_computation(const std::vector<Job>& jobs, const Work& work, const WorkSink& sink) {
  if (sink.stopped()) return;
  const Stopwatch watch;
  try {
    const std::string result = jobs[work.first_place()].run(sink.stopped);
    // A job that saw the wish to stop may have come to nothing.
    if (sink.stopped()) return;
    sink.spent(work.first_place(), watch.seconds());
    sink.answered(work.questions.front(), {result, machine()});
  } catch (const Error&) {
    // What it says of the stop is less than what is said of all jobs.
    if (!sink.stopped()) throw;
  }
}

void end_fit(const std::vector<Job>& jobs, const Work& work, const FitAttempt& attempt,
             const WorkSink& sink) {
  if (attempt.error) throw Error(*attempt.error);
  const TrainOutcome& outcome = attempt.result->outcome;
  if (outcome.status == TrainStatus::diverged) {
    const JobResult failed{failed_result(fmt::format("training diverged after step {}", outcome.steps)),
                           machine()};
    if (work.fit->kept) sink.trained(work, failed, "");
    return tell_failed(work, failed, sink);
  }
  const Predictor& predictor = attempt.result->predictor;
  if (work.fit->kept)
    sink.trained(work, {Json{{"steps", outcome.steps}}.dump(), machine()}, predictor.to_bytes());
  ask(jobs, work, predictor, sink);
}

/// Fits that are trained together share the time of their threads by the estimate of their work.
void tell_spent(std::span<const Work> fits, std::span<const FitRequest> requests, double seconds,
                const WorkSink& sink) {
  std::vector<double> parts;
  double total = 0;
  for (const FitRequest& request : requests) total += parts.emplace_back(fit_loads(request).total().work);
  for (size_t i = 0; i < fits.size() && total > 0; ++i)
    sink.spent(fits[i].first_place(), seconds * parts[i] / total);
}

/// `ended` is called as FitDone is.
void train(std::span<const Work> fits, const JobOptions& options, const WorkSink& sink,
           const FitDone& ended) {
  const Stopwatch watch;
  std::vector<Fit::Source> sources(fits.size());
  ThreadPool(options.threads).run(fits.size(), [&](size_t i) { sources[i] = fits[i].fit->source(); });
  std::vector<FitRequest> requests;
  for (const Fit::Source& source : sources) requests.push_back(request_of(source));
  // One that fails ends them all: what is done by then is kept.
  std::atomic<bool> failed = false;
  const RunOptions run{.progress = [&](const Progress&) { return !sink.stopped() && !failed; },
                       .threads = options.threads,
                       .device = options.device.device};
  fit_all(requests, run, [&](size_t i, FitAttempt&& attempt) {
    if (sink.stopped() || failed) return;
    try {
      ended(i, std::move(attempt));
    } catch (...) {
      failed = true;
      throw;
    }
  });
  const size_t busy = std::min(fits.size(), static_cast<size_t>(ThreadPool(options.threads).threads()));
  if (!sink.stopped()) tell_spent(fits, requests, watch.seconds() * static_cast<double>(busy), sink);
}

/// Fits of one program side by side, in the order in which a program is first asked for.
std::vector<Work> by_program(std::span<const Work> fits, int threads) {
  std::vector<std::string> programs(fits.size());
  ThreadPool(threads).run(fits.size(), [&](size_t i) {
    if (fits[i].fit->program) programs[i] = fits[i].fit->program();
  });
  std::map<std::string, std::vector<size_t>> places;
  for (size_t i = 0; i < fits.size(); ++i) places[programs[i]].push_back(i);
  std::vector<Work> sorted;
  for (size_t i = 0; i < fits.size(); ++i)
    for (size_t place : std::exchange(places[programs[i]], {})) sorted.push_back(fits[place]);
  return sorted;
}

}  // namespace

std::vector<Work> work_of(const std::vector<Job>& jobs, const std::vector<size_t>& places) {
  std::vector<Work> all;
  std::map<std::string, std::pair<size_t, size_t>> question_of;  // by key of the job
  std::map<std::string, size_t> fit_of;                          // by key of the fit
  for (size_t place : places) {
    const Job& job = jobs[place];
    if (const auto known = question_of.find(job.key); known != question_of.end()) {
      all[known->second.first].questions[known->second.second].push_back(place);
      continue;
    }
    size_t at = all.size();
    if (job.fit) at = fit_of.emplace(job.fit->key, at).first->second;
    if (at == all.size()) all.push_back({job.fit ? &*job.fit : nullptr, {}});
    question_of[job.key] = {at, all[at].questions.size()};
    all[at].questions.push_back({place});
  }
  return all;
}

double estimated_seconds(const std::vector<Job>& jobs, const Work& work) {
  const std::function<double()>& estimate = work.fit ? work.fit->work : jobs[work.first_place()].work;
  return estimate ? estimate() : 0;
}

size_t fits_together(int threads) { return 4 * static_cast<size_t>(ThreadPool(threads).threads()); }

void train_on_threads(const std::vector<Job>& jobs, std::span<const Work> fits, const JobOptions& options,
                      const WorkSink& sink) {
  const size_t together = fits_together(options.threads);
  for (size_t first = 0; first < fits.size() && !sink.stopped(); first += together) {
    const auto batch = fits.subspan(first, std::min(together, fits.size() - first));
    train(batch, options, sink,
          [&](size_t i, FitAttempt&& attempt) { end_fit(jobs, batch[i], attempt, sink); });
  }
}

void train_on_device(const std::vector<Job>& jobs, std::span<const Work> fits, const JobOptions& options,
                     const WorkSink& sink) {
  const std::vector<Work> sorted = by_program(fits, options.threads);
  std::future<void> asking;
  for (size_t first = 0; first < sorted.size() && !sink.stopped(); first += fits_on_device) {
    const auto batch = std::span(sorted).subspan(first, std::min(fits_on_device, sorted.size() - first));
    std::vector<FitAttempt> attempts(batch.size());
    train(batch, options, sink, [&](size_t i, FitAttempt&& attempt) { attempts[i] = std::move(attempt); });
    if (asking.valid()) asking.get();
    asking = std::async(std::launch::async, [&jobs, &options, &sink, batch, ended = std::move(attempts)] {
      ThreadPool(options.threads).run(batch.size(), [&](size_t i) {
        if (!sink.stopped()) end_fit(jobs, batch[i], ended[i], sink);
      });
    });
  }
  if (asking.valid()) asking.get();
}

void compute(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
             const WorkSink& sink) {
  std::vector<Work> computations, fits;
  for (const Work& one : work) (one.fit ? fits : computations).push_back(one);
  ThreadPool(options.threads).run(computations.size(), [&](size_t w) {
    run_computation(jobs, computations[w], sink);
  });
  if (options.device.device == Device::cpu)
    train_on_threads(jobs, fits, options, sink);
  else
    train_on_device(jobs, fits, options, sink);
}

void ask(const std::vector<Job>& jobs, const Work& work, const Predictor& predictor, const WorkSink& sink) {
  for (const Places& places : work.questions) {
    try {
      sink.answered(places, {jobs[places.front()].ask(predictor, sink.stopped), machine()});
    } catch (const Error&) {
      // What it says of the stop is less than what is said of all jobs.
      if (!sink.stopped()) throw;
    }
  }
}

void tell_failed(const Work& work, const JobResult& result, const WorkSink& sink) {
  for (const Places& places : work.questions) sink.answered(places, result);
}

}  // namespace kedge
