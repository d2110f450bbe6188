#include "kedge/jobs/job_work.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <set>

#include "kedge/core/error.h"
#include "kedge/jobs/fit_job.h"

namespace kedge {
namespace {

Job tiny_job(const std::string& domain, int width, uint64_t seed) {
  FitSpec spec{.domain = domain, .options = preset_options("released", "bilinear")};
  spec.options.seed = seed;
  spec.options.architecture.width = width;
  spec.options.epochs = 0;
  spec.options.training.steps = 20;
  spec.train_rows = 40;
  spec.test_rows = 5;
  return fit_job(spec);
}

/// Keeps what is computed.
struct Kept {
  std::mutex mutex;
  std::map<size_t, std::string> answers;  // by place
  std::vector<std::string> trained;       // keys of fits, in their order
  bool is_stopped = false;

  WorkSink sink() {
    return {.stopped = [this] { return is_stopped; },
            .trained =
                [this](const Work& work, const JobResult&, const std::string&) {
                  const std::lock_guard lock(mutex);
                  trained.push_back(work.fit->key);
                },
            .answered =
                [this](const Places& places, const JobResult& result) {
                  const std::lock_guard lock(mutex);
                  for (size_t place : places) answers[place] = result.text;
                },
            .spent = [](size_t, double) {}};
  }
};

std::vector<Work> all_work(const std::vector<Job>& jobs) {
  std::vector<size_t> places(jobs.size());
  std::iota(places.begin(), places.end(), size_t{0});
  return work_of(jobs, places);
}

TEST(JobWork, gives_the_same_answers_on_threads_and_as_a_device_is_given_it) {
  std::vector<Job> jobs;
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (int width : {8, 16})
      for (const char* domain : {"sawtooth", "polynomial"}) jobs.push_back(tiny_job(domain, width, seed));
  const std::vector<Work> work = all_work(jobs);
  Kept on_threads, on_device;
  train_on_threads(jobs, work, {.threads = 2}, on_threads.sink());
  train_on_device(jobs, work, {.threads = 2}, on_device.sink());
  EXPECT_EQ(on_threads.answers.size(), jobs.size());
  EXPECT_EQ(on_device.answers, on_threads.answers);
  EXPECT_EQ(on_device.trained.size(), jobs.size());
}

TEST(JobWork, names_programs_alike_whatever_seed_and_domain_they_are_trained_with) {
  const auto program = [](const char* domain, int width, uint64_t seed) {
    return tiny_job(domain, width, seed).fit->program();
  };
  EXPECT_EQ(program("sawtooth", 8, 0), program("polynomial", 8, 1));
  EXPECT_NE(program("sawtooth", 8, 0), program("sawtooth", 16, 0));
  EXPECT_NE(program("sawtooth", 8, 0), program("grasp-mug", 8, 0));
}

TEST(JobWork, of_a_device_that_fails_is_told_after_the_others_have_ended) {
  std::vector<Job> jobs = {tiny_job("sawtooth", 8, 0), tiny_job("sawtooth", 8, 1)};
  jobs[0].ask = [](const Predictor&, const std::function<bool()>&) -> std::string {
    throw Error("ask", "refuses");
  };
  Kept kept;
  EXPECT_THROW(train_on_device(jobs, all_work(jobs), {.threads = 1}, kept.sink()), Error);
  EXPECT_TRUE(kept.answers.contains(1));
}

TEST(JobWork, of_a_device_that_is_stopped_answers_nothing) {
  const std::vector<Job> jobs = {tiny_job("sawtooth", 8, 0)};
  Kept kept;
  kept.is_stopped = true;
  train_on_device(jobs, all_work(jobs), {.threads = 1}, kept.sink());
  EXPECT_TRUE(kept.answers.empty());
}

}  // namespace
}  // namespace kedge
