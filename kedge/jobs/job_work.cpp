#include "kedge/jobs/job_work.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/stopwatch.h"
#include "kedge/core/thread_pool.h"
#include "kedge/jobs/device_work.h"
#include "kedge/jobs/machine.h"

namespace kedge {
namespace {

// A folder of a whole search stays small. Who asks a wide network something new trains it again.
constexpr size_t most_model_bytes = 1 << 20;

FitRequest request_of(const Fit::Source& source) { return {source.table, source.options, source.examples}; }

/// Fits that are trained together share the time of their threads by the estimate of their work.
void tell_spent(std::span<const Work> fits, double seconds, const WorkSink& sink) {
  std::vector<double> parts;
  double total = 0;
  for (const Work& one : fits) total += parts.emplace_back(one.fit->work ? one.fit->work() : 1);
  for (size_t i = 0; i < fits.size(); ++i)
    sink.spent(fits[i].first_place(), {.core = seconds * (total > 0 ? parts[i] / total : 0)});
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
  return (work.fit && work.fit->work ? work.fit->work() : 0) + asking_seconds(jobs, work);
}

double asking_seconds(const std::vector<Job>& jobs, const Work& work) {
  double seconds = 0;
  for (const Places& places : work.questions)
    if (const auto& estimate = jobs[places.front()].work) seconds += estimate();
  return seconds;
}

size_t fits_together(int threads) { return 4 * static_cast<size_t>(ThreadPool(threads).threads()); }

void compute(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
             const WorkSink& sink) {
  if (options.device.device == Device::cpu)
    compute_on_threads(jobs, work, options, sink);
  else
    compute_with_device(jobs, work, options, sink);
}

void compute_on_threads(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
                        const WorkSink& sink) {
  std::vector<Work> computations, fits;
  for (const Work& one : work) (one.fit ? fits : computations).push_back(one);
  ThreadPool(options.threads).run(computations.size(), [&](size_t w) {
    run_computation(jobs, computations[w], sink);
  });
  const size_t together = fits_together(options.threads);
  for (size_t first = 0; first < fits.size() && !sink.stopped(); first += together) {
    const auto batch = std::span(fits).subspan(first, std::min(together, fits.size() - first));
    const Stopwatch watch;
    train(batch, options, sink,
          [&](size_t i, FitAttempt&& attempt) { end_fit(jobs, batch[i], attempt, sink); });
    const size_t busy = std::min(batch.size(), together / 4);
    if (!sink.stopped()) tell_spent(batch, watch.seconds() * static_cast<double>(busy), sink);
  }
}

void train(std::span<const Work> fits, const JobOptions& options, const WorkSink& sink,
           const FitDone& ended) {
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
    const bool is_whole = attempt.result && attempt.result->outcome.status == TrainStatus::finished;
    if (!is_whole && (sink.stopped() || failed)) return;
    try {
      ended(i, std::move(attempt));
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

void run_computation(const std::vector<Job>& jobs, const Work& work, const WorkSink& sink) {
  if (sink.stopped()) return;
  const Stopwatch watch;
  try {
    const std::string result = jobs[work.first_place()].run(sink.stopped);
    // A job that saw the wish to stop may have come to nothing.
    if (sink.stopped()) return;
    sink.spent(work.first_place(), {.core = watch.seconds()});
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
  if (const std::string model = work.fit->kept ? predictor.to_bytes() : "";
      !model.empty() && model.size() <= most_model_bytes)
    sink.trained(work, {Json{{"steps", outcome.steps}}.dump(), machine()}, model);
  ask(jobs, work, predictor, sink);
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
