#include "kedge/experiments/job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "kedge/core/error.h"
#include "kedge/experiments/fit_job.h"

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

FitSpec quick_fit(const std::string& model, uint64_t seed) {
  FitSpec spec{.domain = "sawtooth",
               .options = experiment_options("sawtooth", "default", model, seed),
               .train_rows = 60,
               .test_rows = 10};
  spec.options.training.steps = 200;
  spec.options.architecture.width = 8;
  return spec;
}

std::vector<Job> quick_fits() {
  std::vector<FitSpec> specs;
  for (uint64_t seed : {0u, 1u, 2u})
    for (const char* model : {"bilinear", "mlp", "quadratic"}) specs.push_back(quick_fit(model, seed));
  return fit_jobs(specs);
}

TEST_F(Jobs, that_are_fits_give_together_what_they_give_alone_for_any_number_of_threads) {
  const std::vector<Job> jobs = quick_fits();
  const std::vector<std::string> together = run(jobs);
  for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(run_jobs({jobs[i]}, "", 1, {}).front(), together[i]);
}

TEST_F(Jobs, that_are_fits_keep_what_is_done_when_one_of_them_fails) {
  std::vector<Job> jobs = quick_fits();
  FitSpec bad = quick_fit("bilinear", 7);
  bad.train_rows = 2;
  bad.options.space = "none=angle";
  jobs.push_back(fit_job(bad));
  EXPECT_THROW(run(jobs), Error);
  jobs.pop_back();
  EXPECT_EQ(run(jobs), run_jobs(jobs, "", 2, {}));
}

TEST_F(Jobs, that_are_fits_and_stopped_go_on_where_they_were) {
  const std::vector<Job> jobs = quick_fits();
  std::atomic<size_t> kept = 0;
  const auto progress = [&](size_t done, size_t) { kept = done; };
  EXPECT_THROW(run(jobs, {.progress = progress, .stopped = [&] { return kept >= 4; }}), Error);
  EXPECT_EQ(run(jobs), run_jobs(jobs, "", 2, {}));
}

}  // namespace
}  // namespace kedge
