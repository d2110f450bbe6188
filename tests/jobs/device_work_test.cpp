#include "kedge/jobs/device_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "kedge/core/error.h"
#include "tests/jobs/kept_work.h"

namespace kedge {
namespace {

/// So long that no other fleet is trained beside it.
constexpr double alone = 1e6;

/// Something that happens once; others wait for it.
class Event {
 public:
  void happen() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_happened_, true)) promise_.set_value();
  }
  void wait() const { future_.wait(); }

 private:
  std::mutex mutex_;
  bool has_happened_ = false;
  std::promise<void> promise_;
  const std::shared_future<void> future_ = promise_.get_future().share();
};

/// Does something before the source is made, and before the question is asked.
void before_source(Job& job, const std::function<void()>& act) {
  job.fit->source = [act, source = job.fit->source] {
    act();
    return source();
  };
}
void before_question(Job& job, const std::function<void()>& act) {
  job.ask = [act, ask = job.ask](const Predictor& predictor, const std::function<bool()>& stopped) {
    act();
    return ask(predictor, stopped);
  };
}

/// Programs of their own, each a fleet that is trained alone.
std::vector<Job> lonely_jobs(size_t count) {
  std::vector<Job> jobs;
  for (size_t i = 0; i < count; ++i) {
    jobs.push_back(tiny_job("sawtooth", 4 + static_cast<int>(i), 0));
    jobs.back().fit->work = [] { return alone; };
  }
  return jobs;
}

Kept computed(const std::vector<Job>& jobs, int threads) {
  Kept kept;
  compute_with_device(jobs, all_work(jobs), {.threads = threads}, kept.sink());
  return kept;
}

TEST(DeviceWork, gives_the_answers_of_threads_alone_for_any_number_of_threads) {
  std::vector<Job> jobs;
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (int width : {8, 16})
      for (const char* domain : {"sawtooth", "polynomial"}) jobs.push_back(tiny_job(domain, width, seed));
  jobs.push_back(closed_job("sawtooth"));
  jobs.push_back({.key = "{\"n\":1}", .run = [](const auto&) { return "1"; }});
  Kept on_threads;
  compute_on_threads(jobs, all_work(jobs), {.threads = 2}, on_threads.sink());
  EXPECT_EQ(on_threads.answers.size(), jobs.size());
  for (int threads : {1, 2, 5}) {
    const Kept beside = computed(jobs, threads);
    EXPECT_EQ(beside.answers, on_threads.answers);
    EXPECT_EQ(beside.trained.size(), jobs.size() - 1);
  }
}

TEST(DeviceWork, trains_the_next_fleet_while_a_question_to_the_one_before_still_runs) {
  std::vector<Job> jobs = lonely_jobs(2);
  Event second_was_trained;
  before_question(jobs[0], [&] { second_was_trained.wait(); });
  before_question(jobs[1], [&] { second_was_trained.happen(); });
  EXPECT_EQ(computed(jobs, 2).answers.size(), 2u);
}

TEST(DeviceWork, makes_what_a_fleet_is_trained_on_while_another_is_in_flight) {
  std::vector<Job> jobs = {tiny_job("sawtooth", 8, 0), tiny_job("sawtooth", 16, 0)};
  Event second_is_made;
  before_source(jobs[0], [&] { second_is_made.wait(); });
  before_source(jobs[1], [&] { second_is_made.happen(); });
  EXPECT_EQ(computed(jobs, 1).answers.size(), 2u);
}

TEST(DeviceWork, does_not_keep_the_device_waiting_for_what_needs_none) {
  std::vector<Job> jobs = {closed_job("sawtooth"), tiny_job("sawtooth", 8, 0)};
  Event is_trained;
  before_source(jobs[0], [&] { is_trained.wait(); });
  before_question(jobs[1], [&] { is_trained.happen(); });
  EXPECT_EQ(computed(jobs, 2).answers.size(), 2u);
}

TEST(DeviceWork, holds_no_more_fits_than_fill_the_memory) {
  constexpr size_t seeds = most_fits_held + 70;
  std::vector<Job> jobs;
  std::mutex mutex;
  size_t held = 0, most = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    jobs.push_back(tiny_job("sawtooth", 8, seed));
    before_source(jobs.back(), [&] {
      const std::lock_guard lock(mutex);
      most = std::max(most, ++held);
    });
    before_question(jobs.back(), [&] {
      const std::lock_guard lock(mutex);
      --held;
    });
  }
  EXPECT_EQ(computed(jobs, 2).answers.size(), seeds);
  EXPECT_LE(most, most_fits_held);
}

TEST(DeviceWork, has_questions_that_take_long_ready_before_the_cores_are_idle) {
  std::vector<Job> jobs = lonely_jobs(3);
  std::vector<int> made;  // one at a time
  Event first_is_made;
  for (int i = 0; i < 3; ++i)
    before_source(jobs[static_cast<size_t>(i)], [&, i] {
      made.push_back(i);
      if (i == 0) first_is_made.happen();
    });
  for (size_t i : {size_t{1}, size_t{2}}) jobs[i].work = [] { return 1e9; };
  before_question(jobs[1], [&] { first_is_made.wait(); });
  EXPECT_EQ(computed(jobs, 1).answers.size(), 3u);
  EXPECT_EQ(made, (std::vector<int>{1, 0, 2}));
}

TEST(DeviceWork, trains_fits_of_one_program_together_but_no_more_than_a_stop_may_lose) {
  std::vector<Job> jobs;
  for (uint64_t seed = 0; seed < 6; ++seed)
    for (int width : {8, 16}) jobs.push_back(tiny_job("sawtooth", width, seed));
  jobs.push_back(closed_job("sawtooth"));
  const auto sizes = [&] {
    std::vector<Work> closed;
    std::vector<size_t> all;
    for (const DeviceFleet& fleet : fleets_of(jobs, all_work(jobs), 1, closed)) {
      all.push_back(fleet.fits.size());
      EXPECT_LE(fleet.training, most_of_a_fleet);
    }
    EXPECT_EQ(closed.size(), 1u);
    return all;
  };
  EXPECT_EQ(sizes(), (std::vector<size_t>{6, 6}));
  for (Job& job : jobs) job.fit->work = [] { return 5000; };
  const std::vector<size_t> parts = sizes();
  EXPECT_GT(parts.size(), 2u);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), size_t{0}), 12u);
}

TEST(DeviceWork, asks_what_is_trained_though_another_question_fails) {
  std::vector<Job> jobs = {tiny_job("sawtooth", 8, 0), tiny_job("sawtooth", 8, 1)};
  jobs[0].ask = [](const Predictor&, const std::function<bool()>&) -> std::string {
    throw Error("ask", "refuses");
  };
  Kept kept;
  EXPECT_THROW(compute_with_device(jobs, all_work(jobs), {.threads = 1}, kept.sink()), Error);
  EXPECT_TRUE(kept.answers.contains(1));
}

TEST(DeviceWork, trains_nothing_more_once_something_failed) {
  std::vector<Job> jobs = lonely_jobs(4);
  size_t made = 0;
  before_source(jobs[0], [] { throw Error("source", "refuses"); });
  for (size_t i = 1; i < 4; ++i) before_source(jobs[i], [&] { ++made; });
  Kept kept;
  EXPECT_THROW(compute_with_device(jobs, all_work(jobs), {.threads = 2}, kept.sink()), Error);
  EXPECT_EQ(made, 0u);
}

TEST(DeviceWork, keeps_small_models_and_no_wide_ones) {
  Job wide = tiny_job("sawtooth", 1000, 0);
  EXPECT_TRUE(computed({wide}, 1).trained.empty());
  EXPECT_EQ(computed({tiny_job("sawtooth", 8, 0)}, 1).trained.size(), 1u);
}

TEST(DeviceWork, that_is_stopped_answers_nothing_more) {
  const std::vector<Job> jobs = {tiny_job("sawtooth", 8, 0)};
  Kept kept;
  kept.stop();
  compute_with_device(jobs, all_work(jobs), {.threads = 1}, kept.sink());
  EXPECT_TRUE(kept.answers.empty());
}

TEST(DeviceWork, that_is_stopped_by_a_question_ends_with_what_was_answered) {
  std::vector<Job> jobs = lonely_jobs(3);
  Kept kept;
  before_question(jobs[1], [&] { kept.stop(); });
  compute_with_device(jobs, all_work(jobs), {.threads = 1}, kept.sink());
  EXPECT_TRUE(kept.answers.contains(0));
  EXPECT_FALSE(kept.answers.contains(2));
}

TEST(DeviceWork, says_how_long_the_device_took_of_what_was_trained_alone) {
  std::vector<Job> jobs = lonely_jobs(2);
  jobs.push_back({.key = "{\"n\":1}", .run = [](const auto&) { return "1"; }});
  const Kept kept = computed(jobs, 1);
  EXPECT_GT(kept.spent.at(0).device, 0);
  EXPECT_GT(kept.spent.at(1).device, 0);
  EXPECT_EQ(kept.spent.at(2).device, 0);
  EXPECT_GT(kept.spent.at(0).core, 0);
}

TEST(DeviceWork, counts_the_seconds_of_the_device_until_the_last_fit_of_a_fleet_is_trained) {
  std::vector<Job> jobs;
  for (size_t batch : {16, 32}) {
    FitSpec spec = tiny_spec("sawtooth", "bilinear");
    spec.options.epochs = 0;
    spec.options.training.steps = 20;
    spec.options.training.batch = batch;
    jobs.push_back(fit_job(spec));
  }
  std::vector<Work> closed;
  ASSERT_EQ(fleets_of(jobs, all_work(jobs), 1, closed).size(), 1u);
  // A second from the start of the fleet to the end of its first fit, and one to that of its last.
  double now = 0;
  Kept kept;
  compute_with_device(jobs, all_work(jobs), {.threads = 1}, kept.sink(), [&] { return now++; });
  EXPECT_EQ(kept.spent.at(0).device, 1);
  EXPECT_EQ(kept.spent.at(1).device, 1);
}

}  // namespace
}  // namespace kedge
