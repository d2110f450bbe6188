#pragma once

// Work: what the jobs of a list come to, each thing once, and how it is computed. Nothing here knows of
// files, of shards or of other processes.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kedge/jobs/job.h"

namespace kedge {

/// Jobs of one key, by their places in the list.
using Places = std::vector<size_t>;

/// A fit with the questions that wait for it, or a computation.
struct Work {
  const Fit* fit = nullptr;       ///< null: a computation
  std::vector<Places> questions;  ///< of a computation one

  size_t first_place() const { return questions.front().front(); }
};

/// The work of the jobs at these places, in the order in which they first ask for it. It must not outlive the
/// jobs.
std::vector<Work> work_of(const std::vector<Job>& jobs, const std::vector<size_t>& places);

/// Seconds of one core by an estimate, 0 where there is none: of a fit or computation with all its questions,
/// and of these alone.
double estimated_seconds(const std::vector<Job>& jobs, const Work& work);
double asking_seconds(const std::vector<Job>& jobs, const Work& work);

/// Whoever keeps what is computed. Called from any thread, several at once.
struct WorkSink {
  std::function<bool()> stopped;
  /// A fit has ended; `model` is its file, empty where its training diverged.
  std::function<void(const Work& work, const JobResult& result, const std::string& model)> trained;
  std::function<void(const Places& places, const JobResult& result)> answered;
  std::function<void(size_t first_place, const Spent&)> spent;
};

/// Fits that are trained at a time: enough to keep all threads busy. Results are kept when the fits of a
/// batch end, so more would be lost by a stop.
size_t fits_together(int threads);

/// Returns when all of it is done, or early once a stop is wished. Throws what a job throws; the others that
/// run beside it end first.
void compute(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
             const WorkSink& sink);

/// The same without a device: each thread trains a fit and asks it.
void compute_on_threads(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
                        const WorkSink& sink);

// Parts of it.

/// Makes the sources of fits and trains them together. `ended` is called as FitDone is.
void train(std::span<const Work> fits, const JobOptions& options, const WorkSink& sink, const FitDone& ended);
/// Keeps a fit that was trained and asks it.
void end_fit(const std::vector<Job>& jobs, const Work& work, const FitAttempt& attempt, const WorkSink& sink);
void run_computation(const std::vector<Job>& jobs, const Work& work, const WorkSink& sink);

/// Asks a fit that is there.
void ask(const std::vector<Job>& jobs, const Work& work, const Predictor& predictor, const WorkSink& sink);
/// Gives all questions the result of a training that diverged.
void tell_failed(const Work& work, const JobResult& result, const WorkSink& sink);

}  // namespace kedge
