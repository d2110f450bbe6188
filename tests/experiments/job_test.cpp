#include "kedge/experiments/job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "kedge/core/error.h"

namespace kedge {
namespace {

class Jobs : public testing::Test {
 protected:
  Jobs() {
    folder_ = std::filesystem::temp_directory_path() /
              ("kedge_jobs_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
  }
  ~Jobs() override { std::filesystem::remove_all(folder_); }

  Job job(int number) {
    return {"{\"n\":" + std::to_string(number) + "}", [this, number](const auto&) {
              ++runs_;
              return std::to_string(number * number);
            }};
  }
  std::vector<std::string> run(const std::vector<Job>& jobs, const JobWatch& watch = {}) {
    return run_jobs(jobs, folder_.string(), 2, watch);
  }

  std::filesystem::path folder_;
  std::atomic<int> runs_ = 0;
};

TEST_F(Jobs, give_their_results_in_order_and_are_not_run_again) {
  const std::vector<Job> jobs = {job(3), job(1), job(2)};
  EXPECT_EQ(run(jobs), (std::vector<std::string>{"9", "1", "4"}));
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(run(jobs), (std::vector<std::string>{"9", "1", "4"}));
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(run({job(2), job(5)}), (std::vector<std::string>{"4", "25"}));
  EXPECT_EQ(runs_, 4);
}

TEST_F(Jobs, that_are_equal_are_run_once) {
  EXPECT_EQ(run({job(4), job(4), job(4)}), (std::vector<std::string>{"16", "16", "16"}));
  EXPECT_EQ(runs_, 1);
}

TEST_F(Jobs, that_were_stopped_go_on_where_they_were) {
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(job(i));
  EXPECT_THROW(run(jobs, {.stopped = [this] { return runs_ >= 7; }}), Error);
  const int before = runs_;
  EXPECT_LT(before, 20);
  const auto results = run(jobs);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(results[static_cast<size_t>(i)], std::to_string(i * i));
  EXPECT_LE(runs_, 20 + 2);  // those in flight at the stop
}

TEST_F(Jobs, with_a_damaged_or_foreign_file_are_run_again) {
  run({job(6)});
  const auto file = folder_ / file_name(job(6));
  for (const std::string text :
       {"", "{", "{\"key\": {\"n\": 7}, \"result\": 49}", "[]", "{\"key\": {\"n\": 6}, \"result\": {}}"}) {
    std::ofstream(file) << text;
    runs_ = 0;
    EXPECT_EQ(run({job(6)}), std::vector<std::string>{"36"}) << text;
    EXPECT_EQ(runs_, 1) << text;
  }
}

TEST_F(Jobs, that_fail_keep_what_the_others_found) {
  Job wrong{"{}", [](const auto&) -> std::string { throw Error("test", "fails"); }};
  EXPECT_THROW(run({job(1), wrong}), Error);
  runs_ = 0;
  EXPECT_EQ(run({job(1)}), std::vector<std::string>{"1"});
  EXPECT_EQ(runs_, 0);
}

TEST_F(Jobs, have_files_named_by_their_content) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(file_name(job(i)));
  EXPECT_EQ(names.size(), 1000u);
  EXPECT_EQ(file_name(job(1)), file_name(job(1)));
}

}  // namespace
}  // namespace kedge
