#include "kedge/jobs/job.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/thread_pool.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/machine.h"

namespace kedge {
namespace {

// FNV-1a. The file also holds build and key, so a collision would be noticed, not believed.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string name_of(const std::string& key) {
  return fmt::format("{:016x}", hash_of(to_text(build()) + "\n" + key));
}

/// The files of a run; without a folder there are none.
class Store {
 public:
  explicit Store(const std::string& folder) : folder_(folder) {
    if (folder.empty()) return;
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    if (failed)
      throw Error("reproduce",
                  fmt::format("needs a folder for results; {} cannot be made: {}", folder, failed.message()));
  }

  std::optional<JobResult> result(const std::string& key) const {
    const std::filesystem::path file = path_of(key, ".json");
    if (!holds(file)) return std::nullopt;
    try {
      const Json json = Json::parse(read_file(file.string(), "reproduce"));
      const Json& result = json.at("result");
      if (json.at("key") == Json::parse(key) && json.at("build") == to_text(build()) && !result.empty())
        return JobResult{result.dump(), exactly<std::string>(json.at("machine"), "machine")};
    } catch (const JsonError&) {
      // Not a result: it is computed again and replaced.
    }
    return std::nullopt;
  }

  void keep(const std::string& key, const std::string& result) const {
    if (folder_.empty()) return;
    const Json json{{"build", to_text(build())},
                    {"key", Json::parse(key)},
                    {"machine", machine()},
                    {"result", Json::parse(result)}};
    write_atomically(path_of(key, ".json").string(),
                     [&](std::ostream& out) { out << json.dump(JsonText::lines) << "\n"; });
  }

  std::optional<Predictor> predictor(const Fit& fit) const {
    const std::filesystem::path file = path_of(fit.key, ".kedge");
    if (!holds(file)) return std::nullopt;
    try {
      return Predictor::load(file.string());
    } catch (const Error&) {
      return std::nullopt;  // damaged: it is trained again
    }
  }

  void keep(const Fit& fit, const Predictor& predictor) const {
    if (!folder_.empty()) predictor.save(path_of(fit.key, ".kedge").string());
  }

 private:
  std::filesystem::path path_of(const std::string& key, const char* ending) const {
    return folder_ / (name_of(key) + ending);
  }

  /// A pipe would never end, and a link would have what it leads to read, or replaced.
  bool holds(const std::filesystem::path& file) const {
    if (folder_.empty()) return false;
    std::error_code failed;
    const std::filesystem::file_status status = std::filesystem::symlink_status(file, failed);
    if (status.type() == std::filesystem::file_type::not_found) return false;
    if (std::filesystem::is_regular_file(status)) return true;
    throw Error("reproduce", fmt::format("needs a plain file in {}; found {}", one_line(file.string()),
                                         failed ? failed.message() : "something else; remove it"));
  }

  std::filesystem::path folder_;
};

/// Jobs of one key, by their places in the list.
using Places = std::vector<size_t>;

/// A fit and the questions that wait for it.
struct FitWork {
  const Fit* fit;
  std::vector<Places> questions;
};

/// Enough to keep all threads busy. Results are kept when the fits of a batch end, so more would be lost by a
/// stop.
size_t fits_together(int threads) { return 4 * static_cast<size_t>(ThreadPool(threads).threads()); }

class Run {
 public:
  Run(const std::vector<Job>& jobs, const std::string& folder, int threads, const JobWatch& watch)
      : jobs_(jobs), store_(folder), threads_(threads), watch_(watch), results_(jobs.size()) {}

  std::vector<JobResult> results() {
    std::map<std::string, Places> missing;  // by key
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (std::optional<JobResult> found = store_.result(jobs_[i].key)) {
        results_[i] = std::move(*found);
        ++done_;
      } else {
        missing[jobs_[i].key].push_back(i);
      }
    }
    if (watch_.progress) watch_.progress(done_, jobs_.size());
    // In the order of the list, which the caller chose.
    std::vector<Places> work;
    for (const auto& [key, places] : missing) work.push_back(places);
    std::sort(work.begin(), work.end());

    std::vector<Places> computations;
    std::vector<FitWork> fits;
    std::map<std::string, size_t> fit_of;  // by key of the fit
    for (const Places& places : work) {
      const Job& job = jobs_[places.front()];
      if (!job.fit) {
        computations.push_back(places);
        continue;
      }
      const auto [found, is_new] = fit_of.emplace(job.fit->key, fits.size());
      if (is_new) fits.push_back({&*job.fit, {}});
      fits[found->second].questions.push_back(places);
    }
    ThreadPool(threads_).run(computations.size(), [&](size_t w) {
      const Places& places = computations[w];
      if (stopped()) return;
      try {
        keep(places, jobs_[places.front()].run([this] { return stopped(); }));
      } catch (const Error&) {
        // What it says of the stop is less than what is said of all jobs below.
        if (!stopped()) throw;
      }
    });
    fits = still_to_train(fits);
    const size_t together = fits_together(threads_);
    for (size_t first = 0; first < fits.size() && !stopped(); first += together)
      train(std::span(fits).subspan(first, std::min(together, fits.size() - first)));
    if (done_ < jobs_.size())
      throw Error("reproduce", fmt::format("stopped after {} of {} jobs; run it again to go on from there",
                                           done_, jobs_.size()));
    return std::move(results_);
  }

 private:
  bool stopped() const { return watch_.stopped && watch_.stopped(); }

  void keep(const Places& places, const std::string& result) {
    // A job that saw the wish to stop may have come to nothing.
    if (stopped()) return;
    store_.keep(jobs_[places.front()].key, result);
    const std::lock_guard lock(mutex_);
    for (size_t place : places) results_[place] = {result, machine()};
    done_ += places.size();
    if (watch_.progress) watch_.progress(done_, jobs_.size());
  }

  void ask(const FitWork& work, const Predictor& predictor) {
    for (const Places& places : work.questions) keep(places, jobs_[places.front()].ask(predictor));
  }

  void tell_failed(const FitWork& work, const std::string& result) {
    for (const Places& places : work.questions) keep(places, result);
  }

  /// Asks the fits that an earlier run has kept; the rest is left.
  std::vector<FitWork> still_to_train(const std::vector<FitWork>& fits) {
    std::vector<char> answered(fits.size(), 0);
    ThreadPool(threads_).run(fits.size(), [&](size_t w) {
      if (stopped()) return;
      const std::optional<JobResult> kept = store_.result(fits[w].fit->key);
      if (!kept) return;
      if (is_failed(kept->text)) {
        tell_failed(fits[w], kept->text);
        answered[w] = 1;
      } else if (const std::optional<Predictor> predictor = store_.predictor(*fits[w].fit)) {
        ask(fits[w], *predictor);
        answered[w] = 1;
      }
    });
    std::vector<FitWork> left;
    for (size_t w = 0; w < fits.size(); ++w)
      if (!answered[w]) left.push_back(fits[w]);
    return left;
  }

  void train(std::span<const FitWork> fits) {
    std::vector<Fit::Source> sources;
    for (const FitWork& work : fits) sources.push_back(work.fit->source());
    std::vector<FitRequest> requests;
    for (const Fit::Source& source : sources)
      requests.push_back({source.table, source.options, source.examples});
    // One that fails ends them all: what is done by then is kept.
    std::atomic<bool> failed = false;
    const RunOptions run{.progress = [&](const Progress&) { return !stopped() && !failed; },
                         .threads = threads_};
    fit_all(requests, run, [&](size_t i, FitAttempt&& attempt) {
      if (stopped() || failed) return;
      try {
        end(fits[i], attempt);
      } catch (...) {
        failed = true;
        throw;
      }
    });
  }

  void end(const FitWork& work, const FitAttempt& attempt) {
    if (attempt.error) throw Error(*attempt.error);
    const TrainOutcome& outcome = attempt.result->outcome;
    if (outcome.status == TrainStatus::diverged) {
      const std::string result = failed_result(fmt::format("training diverged after step {}", outcome.steps));
      store_.keep(work.fit->key, result);
      return tell_failed(work, result);
    }
    const Predictor& predictor = attempt.result->predictor;
    store_.keep(*work.fit, predictor);
    store_.keep(work.fit->key, Json{{"steps", outcome.steps}}.dump());
    ask(work, predictor);
  }

  const std::vector<Job>& jobs_;
  const Store store_;
  const int threads_;
  const JobWatch& watch_;
  std::mutex mutex_;
  std::vector<JobResult> results_;
  size_t done_ = 0;
};

}  // namespace

std::string failed_result(const std::string& reason) { return Json{{"failed", reason}}.dump(); }

bool is_failed(const std::string& result) {
  const Json json = Json::parse(result);
  return json.is_object() && json.contains("failed");
}

std::string file_name(const Job& job) { return name_of(job.key) + ".json"; }

std::vector<JobResult> run_jobs(const std::vector<Job>& jobs, const std::string& folder, int threads,
                                const JobWatch& watch) {
  return Run(jobs, folder, threads, watch).results();
}

JobResults::JobResults(const std::vector<Job>& jobs, const std::vector<JobResult>& results) {
  for (size_t i = 0; i < jobs.size(); ++i) {
    by_key_.emplace(jobs[i].key, results.at(i).text);
    machines_.insert(results[i].machine);
  }
}

const std::string& JobResults::of(const Job& job) const {
  const auto found = by_key_.find(job.key);
  if (found == by_key_.end())
    throw Error("reproduce", fmt::format("needs the result of a job that was not listed: {}", job.key));
  return found->second;
}

}  // namespace kedge
