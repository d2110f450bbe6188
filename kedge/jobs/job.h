#pragma once

// Job: the unit of an experiment. Mostly a question to a fit: the fit is trained once, whoever asks it, and
// what it answers is the job's result. Fits and results are files named by their content, so a run that was
// stopped loses only what was in flight, and running again does only what is missing.
//
// The build (kedge/jobs/build.h) is part of every name: no result of other sources, another compiler or
// another instruction set is ever taken for one of this program. Where a job ran is kept beside its result.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kedge/trials/fit.h"

namespace kedge {

/// What is trained once and asked by any number of jobs. Fits are trained together, as fleets.
struct Fit {
  /// JSON of everything that decides it. Equal keys, equal predictors.
  std::string key;
  struct Source {
    Table table;
    FitOptions options;
    PairExamples examples = {};
  };
  /// What is fitted; made when its turn comes.
  std::function<Source()> source;
};

/// A question to a fit, or a computation of its own.
struct Job {
  /// JSON of everything that decides the result. Equal keys, equal results.
  std::string key;
  /// Computes the result, a JSON text. May run on any thread, beside other jobs; is to return early, with any
  /// text or an Error, once `stopped` says so.
  std::function<std::string(const std::function<bool()>& stopped)> run = {};
  /// With a fit: the result of asking it, a JSON text. May run on any thread.
  std::optional<Fit> fit = {};
  std::function<std::string(const Predictor&)> ask = {};
};

/// The result of every question to a fit whose training diverged: {"failed": reason}.
std::string failed_result(const std::string& reason);
/// Whether a result is one of these.
bool is_failed(const std::string& result);

/// Name of the file that keeps the job's result.
std::string file_name(const Job& job);

struct JobWatch {
  /// Called as jobs end, from one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  /// Asked often, from any thread; true stops the run.
  std::function<bool()> stopped = {};
};

struct JobResult {
  std::string text;     ///< JSON
  std::string machine;  ///< where it was computed
};

/// The jobs' results in their order, from files of `folder` where they are and computed where not; jobs with
/// equal keys are computed once. Without a folder all are computed and none is kept. Throws Error when the
/// folder cannot be written, when a job throws, and when the run was stopped; what was computed by then is
/// kept. A training that diverges is a result like any other.
std::vector<JobResult> run_jobs(const std::vector<Job>& jobs, const std::string& folder, int threads,
                                const JobWatch& watch);

/// Results of jobs, found by the job that they belong to.
class JobResults {
 public:
  JobResults(const std::vector<Job>& jobs, const std::vector<JobResult>& results);

  /// Throws Error for a job that is not among them.
  const std::string& of(const Job& job) const;
  /// All machines that took part.
  const std::set<std::string>& machines() const { return machines_; }

 private:
  std::map<std::string, std::string> by_key_;
  std::set<std::string> machines_;
};

}  // namespace kedge
