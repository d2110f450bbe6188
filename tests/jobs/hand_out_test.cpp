#include "kedge/jobs/hand_out.h"

#include <deque>
#include <mutex>
#include <thread>

#include "kedge/core/error.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

/// Ranks that are threads of one process.
struct Post {
  explicit Post(int size) : boxes(static_cast<size_t>(size)) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
};

class ThreadRank : public Ranks {
 public:
  ThreadRank(Post& post, int rank) : post_(post), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(post_.boxes.size()); }
  int on_this_machine() const override { return size(); }
  void send(int to, const std::string& text) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes.at(static_cast<size_t>(to)).push_back({rank_, text});
  }
  std::optional<Message> receive() override {
    const std::lock_guard lock(post_.mutex);
    std::deque<Message>& box = post_.boxes[static_cast<size_t>(rank_)];
    if (box.empty()) return std::nullopt;
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }

 private:
  Post& post_;
  const int rank_;
};

/// The same jobs, whose computations leave the other ranks time to ask for some.
std::vector<Job> slow(std::vector<Job> jobs) {
  for (Job& job : jobs)
    if (job.run)
      job.run = [run = job.run](const auto& stopped) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return run(stopped);
      };
  return jobs;
}

class Ranked : public JobFolders {
 protected:
  /// Runs `jobs` over ranks; `others` is what the ranks after the first are given.
  JobRun run(const std::vector<Job>& jobs, const std::vector<Job>& others, int size, JobOptions options,
             const JobWatch& watch = {}) const {
    Post post(size);
    std::vector<std::thread> threads;
    for (int r = 1; r < size; ++r)
      threads.emplace_back([&post, &others, &options, r] {
        ThreadRank rank(post, r);
        JobOptions own = options;
        own.ranks = &rank;
        run_jobs(others, own);
      });
    ThreadRank first(post, 0);
    options.ranks = &first;
    try {
      JobRun run = run_jobs(jobs, options, watch);
      for (std::thread& thread : threads) thread.join();
      return run;
    } catch (...) {
      for (std::thread& thread : threads) thread.join();
      throw;
    }
  }
  JobRun run(const std::vector<Job>& jobs, int size, const std::string& name,
             const JobWatch& watch = {}) const {
    return run(jobs, jobs, size, {.folder = folder(name), .threads = 1}, watch);
  }
};

TEST(Packed, texts_come_out_as_they_went_in) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {""}, {"a", "", "1:b"}, {std::string("\0:\n", 3), "7:"}})
    EXPECT_EQ(unpacked(packed(texts)), texts);
  for (const char* bad : {"1", "x:", "2:a", ":a", "99999999999999999999999:a", "-1:a"})
    EXPECT_THROW(unpacked(bad), Error) << bad;
}

TEST_F(Ranked, runs_leave_what_a_run_alone_leaves) {
  const std::vector<Job> jobs = mixed_jobs();
  const JobRun alone = run_jobs(jobs, {.folder = folder("alone"), .threads = 2});
  for (int size : {1, 2, 4}) {
    const std::string name = std::to_string(size);
    const JobRun ranked = run(jobs, size, name);
    EXPECT_TRUE(ranked.is_whole());
    EXPECT_EQ(texts(ranked), texts(alone));
    EXPECT_EQ(kept(name), kept("alone"));
    EXPECT_EQ(texts(run(jobs, size, name)), texts(alone));  // with nothing left to do
  }
}

TEST_F(Ranked, runs_tell_each_result_once_and_what_it_took) {
  const std::vector<Job> jobs = mixed_jobs();
  std::vector<int> told(jobs.size(), 0);
  size_t last = 0;
  double spent = 0;
  run(jobs, 3, "a",
      {.progress = [&](size_t done, size_t) { last = done; },
       .result = [&](size_t place, const JobResult&) { ++told[place]; },
       .spent = [&](size_t, const Spent& took) { spent += took.core; }});
  EXPECT_EQ(told, std::vector<int>(jobs.size(), 1));
  EXPECT_EQ(last, jobs.size());
  EXPECT_GT(spent, 0);
}

TEST_F(Ranked, runs_that_were_stopped_go_on_where_they_were) {
  const std::vector<Job> jobs = mixed_jobs();
  std::atomic<size_t> done = 0;
  const std::string error = error_text([&] {
    run(jobs, 3, "a",
        {.progress = [&](size_t now, size_t) { done = now; }, .stopped = [&] { return done >= 5; }});
  });
  EXPECT_NE(error.find("stopped after "), std::string::npos) << error;
  EXPECT_GE(kept("a").size(), 5u);
  EXPECT_TRUE(run(jobs, 2, "a").is_whole());
  run_jobs(jobs, {.folder = folder("alone"), .threads = 2});
  EXPECT_EQ(kept("a"), kept("alone"));
}

TEST_F(Ranked, runs_end_with_the_fault_of_any_rank_and_keep_what_was_found) {
  const std::vector<Job> jobs = mixed_jobs();
  std::vector<Job> faulty = jobs;
  for (Job& job : faulty)
    if (job.run) job.run = [](const auto&) -> std::string { throw Error("test", "no such luck"); };
  const std::string error =
      error_text([&] { run(slow(jobs), faulty, 2, {.folder = folder("a"), .threads = 1}); });
  EXPECT_NE(error.find("rank 1: no such luck"), std::string::npos) << error;
  EXPECT_TRUE(run(jobs, 2, "a").is_whole());
}

TEST_F(Ranked, runs_refuse_ranks_with_other_jobs) {
  const std::vector<Job> jobs = slow(mixed_jobs());
  std::vector<Job> others = jobs;
  others.pop_back();
  const std::string error = error_text([&] { run(jobs, others, 2, {.folder = folder("a"), .threads = 1}); });
  EXPECT_NE(error.find("all ranks need the same program"), std::string::npos) << error;
}

TEST_F(Ranked, runs_let_all_ranks_go_when_they_cannot_begin) {
  std::ofstream(root_ / "file") << "";
  const std::string error = error_text([&] { run(mixed_jobs(), 3, "file"); });
  EXPECT_NE(error.find("cannot be made"), std::string::npos) << error;
}

}  // namespace
}  // namespace kedge
