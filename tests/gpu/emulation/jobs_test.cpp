// Jobs on a device: what is trained beside what is asked, and what is left of a run that was stopped.

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "block.h"
#include "kedge/core/error.h"
#include "tests/jobs/kept_work.h"
#include "tests/jobs/quick_jobs.h"

namespace kedge {
namespace {

const UsedDevice emulated{Device::cuda, "emulated"};

/// Programs of their own, each a fleet that is trained alone.
std::vector<Job> lonely_jobs() {
  std::vector<Job> jobs = {tiny_job("sawtooth", 4, 0), tiny_job("sawtooth", 8, 0),
                           tiny_job("sawtooth", 12, 0)};
  for (Job& job : jobs) job.fit->work = [] { return 1e6; };
  return jobs;
}

struct EmulatedJobs : JobFolders {
  void TearDown() override { emulation::device() = {}; }
};

TEST_F(EmulatedJobs, are_trained_while_questions_to_those_before_still_run) {
  std::vector<Job> jobs = lonely_jobs();
  std::promise<void> last_was_trained;
  const std::shared_future<void> is_trained = last_was_trained.get_future().share();
  jobs[0].ask = [is_trained, ask = jobs[0].ask](const auto& predictor, const auto& stopped) {
    is_trained.wait();
    return ask(predictor, stopped);
  };
  jobs[2].ask = [&, ask = jobs[2].ask](const auto& predictor, const auto& stopped) {
    last_was_trained.set_value();
    return ask(predictor, stopped);
  };
  const JobRun run = run_jobs(jobs, {.threads = 2, .device = emulated});
  EXPECT_TRUE(run.is_whole());
  EXPECT_GT(emulation::device().most_used, 0u);
}

TEST_F(EmulatedJobs, that_were_answered_when_a_run_was_stopped_are_not_trained_again) {
  std::vector<Job> jobs = lonely_jobs();
  std::atomic<size_t> made = 0;
  for (Job& job : jobs) {
    job.fit->kept = false;
    job.fit->source = [&, source = job.fit->source] {
      ++made;
      return source();
    };
  }
  const JobOptions options{.folder = folder("jobs"), .threads = 1, .device = emulated};
  std::atomic<bool> is_stopped = false;
  const JobWatch watch{.stopped = [&] { return is_stopped.load(); },
                       .result = [&](size_t, const JobResult&) { is_stopped = true; }};
  EXPECT_THROW(run_jobs(jobs, options, watch), Error);
  made = 0;
  const JobRun rest = run_jobs(jobs, options);
  EXPECT_TRUE(rest.is_whole());
  EXPECT_LT(made, jobs.size());
  EXPECT_EQ(texts(rest), texts(run_jobs(jobs, {.threads = 3, .device = emulated})));
}

}  // namespace
}  // namespace kedge
