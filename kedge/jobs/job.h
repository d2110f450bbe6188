#pragma once

// Job: the unit of an experiment. Mostly a question to a fit: the fit is trained once, whoever asks it, and
// what it answers is the job's result. Fits and results are files named by their content, so a run that was
// stopped loses only what was in flight, and running again does only what is missing.
//
// The numerics (kedge/jobs/numerics.h) and the device are part of every name: no result of another numerics
// version, another compiler, another instruction set or another device is ever taken for one of this run.
// Where a job ran and the sources of its program are kept beside its result.
//
// Several machines share a list in two ways: each computes a shard of it (JobOptions::shard), or ranks of one
// run are handed jobs as they get done (JobOptions::ranks).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kedge/jobs/ranks.h"
#include "kedge/jobs/shard.h"
#include "kedge/nn/device.h"
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
  /// What is fitted; made when its turn comes, beside others.
  std::function<Source()> source;
  /// Seconds of one core by an estimate, for sharing out; cheap, so not made from the source. Empty: not
  /// known. Without questions, which are Job::work.
  std::function<double()> work = {};
  /// A text that fits of one program share, so that a device can train them together; as cheap as `work`. The
  /// text is empty where nothing is trained. No function: not known.
  std::function<std::string()> program = {};
  /// Whether its model is kept as a file where that is below a megabyte; one that holds a large table is
  /// not.
  bool kept = true;
};

/// A question to a fit, or a computation of its own.
struct Job {
  /// JSON of everything that decides the result. Equal keys, equal results.
  std::string key;
  /// Computes the result, a JSON text. May run on any thread, beside other jobs; is to return early, with any
  /// text or an Error, once `stopped` says so.
  std::function<std::string(const std::function<bool()>& stopped)> run = {};
  /// With a fit: the result of asking it, a JSON text; `stopped` as for `run`. May run on any thread.
  std::optional<Fit> fit = {};
  std::function<std::string(const Predictor&, const std::function<bool()>& stopped)> ask = {};
  /// Of asking, or of a computation: as Fit::work.
  std::function<double()> work = {};
};

/// The text for Fit::program: empty for closed forms. A few rows of the table are enough.
std::string program_text(const FitRequest& request);

/// The result of every question to a fit whose training diverged: {"failed": reason}.
std::string failed_result(const std::string& reason);
/// Whether a result is one of these.
bool is_failed(const std::string& result);

/// How jobs are run.
struct JobOptions {
  /// Where results are kept. Empty: all are computed and none is kept.
  std::string folder = {};
  int threads = 0;  ///< 0: every core
  /// Where networks are trained. It decides bits, so it is part of the names of files.
  UsedDevice device = {};
  /// Computes these jobs only; of the others what the folder holds is taken.
  Shard shard = {};
  /// Computes nothing: takes what the folder holds.
  bool only_kept = false;
  /// Other processes that take part. Null: none.
  Ranks* ranks = nullptr;
};

/// Name of the file that keeps the job's result.
std::string file_name(const Job& job, const JobOptions& options = {});

struct JobResult {
  std::string text;     ///< JSON; empty where it is missing
  std::string machine;  ///< where it was computed
};

/// Seconds that something took.
struct Spent {
  double core = 0;    ///< of one core
  double device = 0;  ///< of the device; fleets that are trained side by side share them
};

struct JobWatch {
  /// Called as jobs end, from one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  /// Asked often, from any thread; true stops the run.
  std::function<bool()> stopped = {};
  /// Called once for each place of the list whose result is there, found or computed, before the progress
  /// that counts it; from one thread at a time.
  std::function<void(size_t place, const JobResult& result)> result = {};
  /// Called after a fit, its questions or a computation with the first place that asked for it and what it
  /// took; from one thread at a time. Fits that were trained together share their time by an estimate of
  /// their work.
  std::function<void(size_t place, const Spent& spent)> spent = {};
};

/// What became of a list of jobs.
struct JobRun {
  std::vector<JobResult> results;  ///< in the order of the jobs
  Shard shard;
  size_t own = 0;  ///< jobs of this shard
  /// Jobs that are missing, by the index of the shard that owes them.
  std::map<size_t, size_t> missing = {};

  bool is_whole() const { return missing.empty(); }
};

/// "shard 2/4: 31 of 31 jobs; the whole needs shards 1, 3: 40 jobs are missing"
std::string to_text(const JobRun& run);

/// By job the index of its shard, of `count`: what run_jobs goes by. Estimates are made by so many threads.
std::vector<size_t> shards_of(const std::vector<Job>& jobs, size_t count, int threads = 0);

/// The jobs' results, from files of the folder where they are and computed where not; jobs with equal keys
/// are computed once. All of this shard's are there in the end, unless nothing was to be computed. Throws
/// Error when the folder cannot be written, when another run computes in it that is not another shard of the
/// same list, when a job throws, and when the run was stopped; what was computed by then is kept. A training
/// that diverges is a result like any other.
///
/// With ranks each of them calls this with the same list. Rank 0 gets the run; the others compute what rank 0
/// gives them, read and write no file, and get a run without results.
JobRun run_jobs(const std::vector<Job>& jobs, const JobOptions& options, const JobWatch& watch = {});

/// Results of jobs, found by the job that they belong to.
class JobResults {
 public:
  JobResults(const std::vector<Job>& jobs, const std::vector<JobResult>& results);
  JobResults(const std::vector<Job>& jobs, const JobRun& run) : JobResults(jobs, run.results) {}

  /// Throws Error for a job that is not among them, or whose result is missing.
  const std::string& of(const Job& job) const;
  /// All machines that took part.
  const std::set<std::string>& machines() const { return machines_; }

 private:
  std::map<std::string, std::string> by_key_;
  std::set<std::string> machines_;
};

}  // namespace kedge
