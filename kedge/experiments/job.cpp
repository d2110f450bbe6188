#include "kedge/experiments/job.h"

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

namespace kedge {
namespace {

// FNV-1a. The file also holds the key itself, so a collision would be noticed, not believed.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::optional<std::string> stored_result(const std::filesystem::path& file, const std::string& key) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const Json json = Json::parse(read_file(file.string(), "reproduce"));
    const Json& result = json.at("result");
    if (json.at("key") == Json::parse(key) && !result.empty()) return result.dump();
  } catch (const JsonError&) {
    // Not a result: it is computed again and replaced.
  }
  return std::nullopt;
}

void store(const std::filesystem::path& file, const std::string& key, const std::string& result) {
  const Json json{{"key", Json::parse(key)}, {"result", Json::parse(result)}};
  write_atomically(file.string(), [&](std::ostream& out) { out << json.dump(JsonText::lines) << "\n"; });
}

// More would only take memory.
constexpr size_t most_fits_together = 64;

/// Trains the fits of these jobs together and passes each result on as it comes.
void run_fits(const std::vector<Job>& jobs, std::span<const std::vector<size_t>> fits, int threads,
              const std::function<bool()>& stopped,
              const std::function<void(const std::vector<size_t>&, const std::string&)>& keep) {
  std::vector<FitJob::Source> sources;
  for (const std::vector<size_t>& places : fits) sources.push_back(jobs[places.front()].fit->source());
  std::vector<FitRequest> requests;
  for (const FitJob::Source& source : sources)
    requests.push_back({source.table, source.options, source.examples});
  // One that fails ends them all: what is done by then is kept.
  std::atomic<bool> failed = false;
  const RunOptions run{.progress = [&](const Progress&) { return !stopped() && !failed; },
                       .threads = threads};
  const auto keep_result = [&](size_t i, const FitAttempt& attempt) {
    if (attempt.error) throw Error(*attempt.error);
    const TrainOutcome& outcome = attempt.result->outcome;
    if (outcome.status == TrainStatus::diverged)
      throw Error("reproduce",
                  fmt::format("training of {} on {} diverged after step {}", sources[i].options.model,
                              sources[i].table.source(), outcome.steps));
    keep(fits[i], jobs[fits[i].front()].fit->ask(attempt.result->predictor));
  };
  fit_all(requests, run, [&](size_t i, FitAttempt&& attempt) {
    if (stopped() || failed) return;
    try {
      keep_result(i, attempt);
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

}  // namespace

std::string file_name(const Job& job) { return fmt::format("{:016x}.json", hash_of(job.key)); }

std::vector<std::string> run_jobs(const std::vector<Job>& jobs, const std::string& folder, int threads,
                                  const JobWatch& watch) {
  std::error_code failed;
  const bool keeps = !folder.empty();
  if (keeps) std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error("reproduce",
                fmt::format("needs a folder for results; {} cannot be made: {}", folder, failed.message()));
  std::vector<std::string> results(jobs.size());
  std::map<std::string, std::vector<size_t>> missing;  // by key
  size_t done = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::optional<std::string> found;
    if (keeps) found = stored_result(std::filesystem::path(folder) / file_name(jobs[i]), jobs[i].key);
    if (found) {
      results[i] = std::move(*found);
      ++done;
    } else {
      missing[jobs[i].key].push_back(i);
    }
  }
  // In the order of the list, which the caller chose.
  std::vector<std::vector<size_t>> work;
  for (const auto& [key, places] : missing) work.push_back(places);
  std::sort(work.begin(), work.end());

  std::mutex mutex;
  const auto stopped = [&] { return watch.stopped && watch.stopped(); };
  if (watch.progress) watch.progress(done, jobs.size());
  const auto keep = [&](const std::vector<size_t>& places, const std::string& result) {
    // A job that saw the wish to stop may have come to nothing.
    if (stopped()) return;
    const Job& job = jobs[places.front()];
    if (keeps) store(std::filesystem::path(folder) / file_name(job), job.key, result);
    const std::lock_guard lock(mutex);
    for (size_t place : places) results[place] = result;
    done += places.size();
    if (watch.progress) watch.progress(done, jobs.size());
  };
  std::vector<std::vector<size_t>> fits, others;
  for (const std::vector<size_t>& places : work) (jobs[places.front()].fit ? fits : others).push_back(places);
  ThreadPool(threads).run(others.size(), [&](size_t w) {
    if (!stopped()) keep(others[w], jobs[others[w].front()].run(stopped));
  });
  for (size_t first = 0; first < fits.size() && !stopped(); first += most_fits_together)
    run_fits(jobs, std::span(fits).subspan(first, std::min(most_fits_together, fits.size() - first)), threads,
             stopped, keep);
  if (done < jobs.size())
    throw Error("reproduce", fmt::format("stopped after {} of {} jobs; run it again to go on from there",
                                         done, jobs.size()));
  return results;
}

JobResults::JobResults(const std::vector<Job>& jobs, const std::vector<std::string>& results) {
  for (size_t i = 0; i < jobs.size(); ++i) by_key_.emplace(jobs[i].key, results.at(i));
}

const std::string& JobResults::of(const Job& job) const {
  const auto found = by_key_.find(job.key);
  if (found == by_key_.end())
    throw Error("reproduce", fmt::format("needs the result of a job that was not listed: {}", job.key));
  return found->second;
}

}  // namespace kedge
