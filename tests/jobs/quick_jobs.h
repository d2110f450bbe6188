#pragma once

// Jobs that take milliseconds, and a folder for them.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kedge/jobs/fit_job.h"

namespace kedge {

inline FitSpec quick_fit(const std::string& model, uint64_t seed) {
  FitSpec spec{.domain = "sawtooth",
               .options = experiment_options("sawtooth", "default", model, seed),
               .train_rows = 60,
               .test_rows = 10};
  spec.options.training.steps = 200;
  spec.options.architecture.width = 8;
  return spec;
}

/// Fits, each asked twice, and computations; one of them is listed twice.
inline std::vector<Job> mixed_jobs() {
  std::vector<Job> jobs;
  for (uint64_t seed : {0u, 1u})
    for (const char* model : {"bilinear", "mlp", "quadratic"}) {
      FitSpec spec = quick_fit(model, seed);
      jobs.push_back(fit_job(spec));
      spec.test_rows = 5;
      jobs.push_back(fit_job(spec));
    }
  for (int n = 0; n < 7; ++n)
    jobs.push_back({.key = "{\"n\":" + std::to_string(n) + "}",
                    .run = [n](const auto&) { return std::to_string(n * n); }});
  jobs.push_back(jobs[3]);
  return jobs;
}

inline std::vector<std::string> texts(const JobRun& run) {
  std::vector<std::string> all;
  for (const JobResult& result : run.results) all.push_back(result.text);
  return all;
}

class JobFolders : public testing::Test {
 protected:
  JobFolders() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kedge-jobs-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~JobFolders() override { std::filesystem::remove_all(root_); }

  std::string folder(const std::string& name) const { return (root_ / name).string(); }

  /// The content of each file that is kept.
  std::map<std::string, std::string> kept(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / name)) {
      if (entry.path().filename().string().starts_with(".")) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      files[entry.path().filename().string()] = text.str();
    }
    return files;
  }

  std::filesystem::path root_;
};

}  // namespace kedge
