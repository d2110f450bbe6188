#pragma once

// Fits that take milliseconds, and what keeps what becomes of them.

#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/job_work.h"

namespace kedge {

inline FitSpec tiny_spec(const std::string& domain, const std::string& model) {
  FitSpec spec{.domain = domain, .options = preset_options("released", model)};
  spec.options.pool = 50;
  spec.train_rows = 40;
  spec.test_rows = 5;
  return spec;
}

inline Job tiny_job(const std::string& domain, int width, uint64_t seed) {
  FitSpec spec = tiny_spec(domain, "bilinear");
  spec.options.seed = seed;
  spec.options.architecture.width = width;
  spec.options.epochs = 0;
  spec.options.training.steps = 20;
  return fit_job(spec);
}

/// A fit without training.
inline Job closed_job(const std::string& domain) { return fit_job(tiny_spec(domain, "ridge")); }

struct Kept {
  std::map<size_t, std::string> answers;  // by place
  std::vector<std::string> trained;       // keys of fits, in their order
  std::map<size_t, Spent> spent;          // by first place
  bool is_stopped = false;
  std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();

  void stop() {
    const std::lock_guard lock(*mutex);
    is_stopped = true;
  }

  WorkSink sink() {
    return {.stopped =
                [this] {
                  const std::lock_guard lock(*mutex);
                  return is_stopped;
                },
            .trained =
                [this](const Work& work, const JobResult&, const std::string&) {
                  const std::lock_guard lock(*mutex);
                  trained.push_back(work.fit->key);
                },
            .answered =
                [this](const Places& places, const JobResult& result) {
                  const std::lock_guard lock(*mutex);
                  for (size_t place : places) answers[place] = result.text;
                },
            .spent =
                [this](size_t place, const Spent& took) {
                  const std::lock_guard lock(*mutex);
                  spent[place].core += took.core;
                  spent[place].device += took.device;
                }};
  }
};

inline std::vector<Work> all_work(const std::vector<Job>& jobs) {
  std::vector<size_t> places(jobs.size());
  std::iota(places.begin(), places.end(), size_t{0});
  return work_of(jobs, places);
}

}  // namespace kedge
