#pragma once

// Job: mostly one fit and its scores, the unit of an experiment. Its result is a file named by the job's
// content, so a run that was stopped loses only the jobs in flight, and running again does only what is
// missing.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kedge/trials/fit.h"

namespace kedge {

/// A fit and what is asked of it. Fits are trained together, as fleets.
struct FitJob {
  /// What is fitted; made when its turn comes.
  struct Source {
    Table table;
    FitOptions options;
    PairExamples examples = {};
  };
  std::function<Source()> source;
  /// The result, a JSON text. May run on any thread.
  std::function<std::string(const Predictor&)> ask;
};

/// Either `run` or `fit` is there.
struct Job {
  /// JSON of everything that decides the result. Equal keys, equal results.
  std::string key;
  /// Computes the result, a JSON text. May run on any thread, beside other jobs; is to return early, with any
  /// text, once `stopped` says so.
  std::function<std::string(const std::function<bool()>& stopped)> run = {};
  std::optional<FitJob> fit = {};
};

/// Name of the file that keeps the job's result.
std::string file_name(const Job& job);

struct JobWatch {
  /// Called as jobs end, from one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  /// Asked often, from any thread; true stops the run.
  std::function<bool()> stopped = {};
};

/// The jobs' results in their order, from files of `folder` where they are and computed where not; jobs with
/// equal keys are computed once. Without a folder all are computed and none is kept. Throws Error when the
/// folder cannot be written, when a job throws, and when the run was stopped; what was computed by then is
/// kept.
std::vector<std::string> run_jobs(const std::vector<Job>& jobs, const std::string& folder, int threads,
                                  const JobWatch& watch);

/// Results of jobs, found by the job that they belong to.
class JobResults {
 public:
  JobResults(const std::vector<Job>& jobs, const std::vector<std::string>& results);

  /// Throws Error for a job that is not among them.
  const std::string& of(const Job& job) const;

 private:
  std::map<std::string, std::string> by_key_;
};

}  // namespace kedge
