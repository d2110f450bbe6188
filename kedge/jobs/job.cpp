#include "kedge/jobs/job.h"

#include <algorithm>
#include <mutex>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/json.h"
#include "kedge/core/message_of.h"
#include "kedge/core/thread_pool.h"
#include "kedge/jobs/folder_lock.h"
#include "kedge/jobs/hand_out.h"
#include "kedge/jobs/job_store.h"
#include "kedge/jobs/job_work.h"
#include "kedge/predictor/requirements.h"

namespace kedge {
namespace {

class Run {
 public:
  Run(const std::vector<Job>& jobs, const JobOptions& options, const JobWatch& watch)
      : jobs_(jobs), options_(options), watch_(watch), store_(options.folder, to_text(options.device)) {
    run_.results.resize(jobs.size());
    run_.shard = options.shard;
    sink_ = {.stopped = [this] { return watch_.stopped && watch_.stopped(); },
             .trained = [this](const Work& work, const JobResult& result,
                               const std::string& model) { keep_fit(work, result, model); },
             .answered = [this](const Places& places, const JobResult& result) { keep(places, result); },
             .spent =
                 [this](size_t place, const Spent& spent) {
                   const std::lock_guard lock(mutex_);
                   if (watch_.spent) watch_.spent(place, spent);
                 }};
  }

  JobRun finish() {
    if (!options_.only_kept) store_.make_folder();
    // Over the whole list, whatever of it is done.
    shard_of_ = shards_of(jobs_, options_.shard.count, options_.threads);
    run_.own = static_cast<size_t>(std::count(shard_of_.begin(), shard_of_.end(), options_.shard.index));
    look();
    tell_progress();
    if (!options_.only_kept && done_ < run_.own) {
      const FolderLock lock(options_.folder, options_.shard, list_name(jobs_));
      look();  // another run may have ended in between
      try {
        compute_missing();
      } catch (const Error& error) {
        // A device may have come back by then, and its memory may be free.
        if (error.option() != "device" || options_.folder.empty()) throw;
        throw Error("jobs",
                    fmt::format("{}; {} of {} jobs are kept, and the same command goes on from there",
                                message_of(error), done_, run_.own),
                    error.option());
      }
      if (done_ < run_.own)
        throw Error("reproduce", fmt::format("stopped after {} of {} jobs; run it again to go on from there",
                                             done_, run_.own));
    }
    look();  // other shards may have ended in between
    for (size_t i = 0; i < jobs_.size(); ++i)
      if (is_missing(i)) ++run_.missing[shard_of_[i]];
    return std::move(run_);
  }

  /// The other ranks wait for work until they are told that there is none.
  void end_ranks() {
    if (options_.ranks && !has_handed_out_) hand_out({});
  }

 private:
  bool is_missing(size_t place) const { return run_.results[place].text.empty(); }

  /// Looks for the results that are missing.
  void look() {
    std::map<std::string, JobResult> found;  // by key
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (!is_missing(i)) continue;
      const std::string& key = jobs_[i].key;
      const auto known = found.find(key);
      if (known == found.end()) {
        std::optional<JobResult> result = store_.result(key);
        if (!result) continue;
        take(i, found.emplace(key, std::move(*result)).first->second);
      } else {
        take(i, known->second);
      }
    }
  }

  void take(size_t place, const JobResult& result) {
    run_.results[place] = result;
    if (shard_of_[place] == options_.shard.index) ++done_;
    if (watch_.result) watch_.result(place, result);
  }

  void tell_progress() const {
    if (watch_.progress) watch_.progress(done_, run_.own);
  }

  void compute_missing() {
    std::vector<size_t> places;
    for (size_t i = 0; i < jobs_.size(); ++i)
      if (is_missing(i) && shard_of_[i] == options_.shard.index) places.push_back(i);
    const std::vector<Work> work = still_to_compute(work_of(jobs_, places));
    if (options_.ranks)
      hand_out(work);
    else
      compute(jobs_, work, options_, sink_);
  }

  void hand_out(const std::vector<Work>& work) {
    has_handed_out_ = true;
    kedge::hand_out(jobs_, work, options_, sink_);
  }

  /// Asks the fits that an earlier run has kept; the rest is left.
  std::vector<Work> still_to_compute(const std::vector<Work>& work) {
    std::vector<char> answered(work.size(), 0);
    ThreadPool(options_.threads).run(work.size(), [&](size_t w) {
      if (!work[w].fit || sink_.stopped()) return;
      const std::optional<JobResult> kept = store_.result(work[w].fit->key);
      if (!kept) return;
      if (is_failed(kept->text)) {
        tell_failed(work[w], *kept, sink_);
        answered[w] = 1;
      } else if (const std::optional<Predictor> predictor = store_.predictor(*work[w].fit)) {
        ask(jobs_, work[w], *predictor, sink_);
        answered[w] = 1;
      }
    });
    std::vector<Work> left;
    for (size_t w = 0; w < work.size(); ++w)
      if (!answered[w]) left.push_back(work[w]);
    return left;
  }

  void keep_fit(const Work& work, const JobResult& result, const std::string& model) {
    if (!model.empty()) store_.keep_model(*work.fit, model);
    store_.keep(work.fit->key, result);
  }

  void keep(const Places& places, const JobResult& result) {
    // A job that saw the wish to stop may have come to nothing.
    if (sink_.stopped()) return;
    store_.keep(jobs_[places.front()].key, result);
    const std::lock_guard lock(mutex_);
    for (size_t place : places) take(place, result);
    tell_progress();
  }

  const std::vector<Job>& jobs_;
  const JobOptions& options_;
  const JobWatch& watch_;
  const JobStore store_;
  WorkSink sink_;
  std::mutex mutex_;
  JobRun run_;
  std::vector<size_t> shard_of_;  // by place
  size_t done_ = 0;               // of this shard
  bool has_handed_out_ = false;
};

}  // namespace

std::string program_text(const FitRequest& request) {
  FitOptions options = request.options;
  if (!find_model(options.model).is_trained()) return "";
  if (options.architecture.fourier == Fourier::automatic) options.architecture.fourier = Fourier::off;
  const Program program = program_for(options, FitColumns(request));
  return fmt::format("{} {} {} {}", options.model, options.architecture.width, options.architecture.layers,
                     program.parameters());
}

std::string failed_result(const std::string& reason) { return Json{{"failed", reason}}.dump(); }

bool is_failed(const std::string& result) {
  const Json json = Json::parse(result);
  return json.is_object() && json.contains("failed");
}

std::string file_name(const Job& job, const JobOptions& options) {
  return name_of(job.key, origin_text(to_text(options.device))) + ".json";
}

std::string to_text(const JobRun& run) {
  size_t missing = 0, own_missing = 0;
  std::string shards;
  for (const auto& [shard, jobs] : run.missing) {
    missing += jobs;
    if (shard == run.shard.index) own_missing = jobs;
    shards += fmt::format("{}{}", shards.empty() ? "" : ", ", shard);
  }
  std::string text =
      fmt::format("shard {}: {} of {} jobs", to_text(run.shard), run.own - own_missing, run.own);
  if (missing > 0)
    text += fmt::format("; the whole needs shard{} {}: {} {} missing", run.missing.size() == 1 ? "" : "s",
                        shards, missing, missing == 1 ? "job is" : "jobs are");
  return text;
}

std::vector<size_t> shards_of(const std::vector<Job>& jobs, size_t count, int threads) {
  std::vector<size_t> shard_of(jobs.size(), 1);
  if (count == 1) return shard_of;
  std::vector<size_t> all(jobs.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<Work> work = work_of(jobs, all);
  std::vector<Piece> pieces(work.size());
  ThreadPool(threads).run(work.size(), [&](size_t w) {
    const Job& first = jobs[work[w].first_place()];
    pieces[w] = {work[w].fit ? work[w].fit->key : first.key, estimated_seconds(jobs, work[w])};
  });
  const std::vector<size_t> shards = share_out(pieces, count);
  for (size_t w = 0; w < work.size(); ++w)
    for (const Places& places : work[w].questions)
      for (size_t place : places) shard_of[place] = shards[w];
  return shard_of;
}

JobRun run_jobs(const std::vector<Job>& jobs, const JobOptions& options, const JobWatch& watch) {
  if (options.ranks && options.ranks->rank() > 0) {
    take_work(jobs, options, [&] { return watch.stopped && watch.stopped(); });
    return {.results = std::vector<JobResult>(jobs.size()), .shard = options.shard};
  }
  Run run(jobs, options, watch);
  try {
    JobRun finished = run.finish();
    run.end_ranks();
    return finished;
  } catch (...) {
    run.end_ranks();
    throw;
  }
}

JobResults::JobResults(const std::vector<Job>& jobs, const std::vector<JobResult>& results) {
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (results.at(i).text.empty()) continue;
    by_key_.emplace(jobs[i].key, results[i].text);
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
