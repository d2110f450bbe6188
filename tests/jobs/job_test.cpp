#include "kedge/jobs/job.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/json.h"
#include "kedge/jobs/build.h"
#include "kedge/jobs/fit_job.h"
#include "kedge/jobs/job_store.h"
#include "kedge/jobs/machine.h"
#include "kedge/jobs/numerics.h"
#include "kedge/kernels/kernels.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

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
    return texts(run_jobs(jobs, {.folder = folder_.string(), .threads = 2}, watch));
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
       {"", "{", "{\"key\": {\"n\": 7}, \"result\": 49}", "[]", "{\"key\": {\"n\": 6}, \"result\": {}}",
        "{\"key\": {\"n\": 6}, \"machine\": \"m\", \"device\": \"cpu\", \"build\": \"b\", \"result\": 35}",
        "{\"key\": {\"n\": 6}, \"machine\": \"m\", \"device\": \"cpu\", \"numerics\": \"another\", "
        "\"result\": "
        "35}"}) {
    std::ofstream(file) << text;
    runs_ = 0;
    EXPECT_EQ(run({job(6)}), std::vector<std::string>{"36"}) << text;
    EXPECT_EQ(runs_, 1) << text;
  }
  // So deep that a parser by recursion would overflow the stack.
  for (const std::string part : {"[", "{\"result\":"}) {
    std::ofstream out(file);
    for (int depth = 0; depth < 200000; ++depth) out << part;
    out.close();
    runs_ = 0;
    EXPECT_EQ(run({job(6)}), std::vector<std::string>{"36"}) << part;
    EXPECT_EQ(runs_, 1) << part;
  }
}

TEST_F(Jobs, refuse_what_is_no_plain_file_in_their_folder) {
  const auto refusal = [&](const Job& asked) { return error_text([&] { run({asked}); }); };
  run({job(1)});  // makes the folder
  const auto file = folder_ / file_name(job(6)), elsewhere = folder_ / "elsewhere";
  std::ofstream(elsewhere) << "of the user";
  std::filesystem::create_symlink(elsewhere, file);
  EXPECT_NE(refusal(job(6)).find("remove it"), std::string::npos);
  EXPECT_EQ(read_file(elsewhere.string(), "test"), "of the user");
  std::filesystem::remove(file);
  std::filesystem::create_symlink(folder_ / "nowhere", file);
  EXPECT_NE(refusal(job(6)).find("remove it"), std::string::npos);
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_NE(refusal(job(6)).find("remove it"), std::string::npos);
  EXPECT_EQ(runs_, 1);
}

TEST_F(Jobs, that_end_in_an_error_of_their_own_when_stopped_are_counted_as_stopped) {
  std::atomic<bool> stop = false;
  const Job stubborn{"{}", [&](const std::function<bool()>&) -> std::string {
                       stop = true;
                       throw Error("test", "stopped before it began");
                     }};
  const std::string text = error_text([&] {
    run_jobs({job(1), stubborn}, {.threads = 1}, {.stopped = [&] { return stop.load(); }});
  });
  EXPECT_NE(text.find("stopped after 1 of 2 jobs"), std::string::npos) << text;
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

std::vector<Job> quick_fits() {
  std::vector<FitSpec> specs;
  for (uint64_t seed : {0u, 1u, 2u})
    for (const char* model : {"bilinear", "mlp", "quadratic"}) specs.push_back(quick_fit(model, seed));
  return fit_jobs(specs);
}

TEST_F(Jobs, that_are_fits_give_together_what_they_give_alone_for_any_number_of_threads) {
  const std::vector<Job> jobs = quick_fits();
  const std::vector<std::string> together = run(jobs);
  for (size_t i = 0; i < jobs.size(); ++i)
    EXPECT_EQ(run_jobs({jobs[i]}, {.threads = 1}).results.front().text, together[i]);
}

TEST_F(Jobs, that_are_fits_keep_what_is_done_when_one_of_them_fails) {
  std::vector<Job> jobs = quick_fits();
  FitSpec bad = quick_fit("bilinear", 7);
  bad.train_rows = 2;
  bad.options.space = "none=angle";
  jobs.push_back(fit_job(bad));
  EXPECT_THROW(run(jobs), Error);
  jobs.pop_back();
  EXPECT_EQ(run(jobs), texts(run_jobs(jobs, {.threads = 2})));
}

TEST_F(Jobs, that_are_fits_and_stopped_go_on_where_they_were) {
  const std::vector<Job> jobs = quick_fits();
  std::atomic<size_t> kept = 0;
  const auto progress = [&](size_t done, size_t) { kept = done; };
  EXPECT_THROW(run(jobs, {.progress = progress, .stopped = [&] { return kept >= 4; }}), Error);
  EXPECT_EQ(run(jobs), texts(run_jobs(jobs, {.threads = 2})));
}

TEST_F(Jobs, keep_numerics_build_and_machine_beside_the_result) {
  run({job(3)});
  const Json json = Json::parse(read_file((folder_ / file_name(job(3))).string(), "test"));
  EXPECT_EQ(json.at("build"), to_text(build()));
  EXPECT_EQ(json.at("numerics"), numerics_of("cpu"));
  EXPECT_EQ(json.at("machine"), machine());
  EXPECT_EQ(run_jobs({job(3)}, {.folder = folder_.string(), .threads = 1}).results.front().machine,
            machine());
  // What another machine computed by other sources is taken, and known to be from there.
  std::string text = json.dump();
  text.replace(text.find(machine()), machine().size(), "elsewhere");
  text.replace(text.find(build().sources), build().sources.size(), "0123456789ab");
  runs_ = 0;
  std::ofstream(folder_ / file_name(job(3))) << text;
  const std::vector<Job> jobs = {job(3)};
  const JobResults results(jobs, run_jobs(jobs, {.folder = folder_.string(), .threads = 1}));
  EXPECT_EQ(results.machines(), std::set<std::string>{"elsewhere"});
  EXPECT_EQ(runs_, 0);
}

TEST_F(Jobs, of_other_numerics_are_made_again_and_named) {
  run({job(3)});
  EXPECT_EQ(others_in(folder_.string()), "");
  const auto file = folder_ / file_name(job(3));
  const std::string found = read_file(file.string(), "test"), own = numerics_of("cpu");
  for (const auto& [numerics, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "a program before numerics 1"}, {"numerics 0, GNU 12.2.0, x", "numerics 0, GNU 12.2.0, x"}}) {
    std::string text = found;
    text.replace(text.find(own), own.size(), numerics);
    std::ofstream(file) << text;
    EXPECT_EQ(others_in(folder_.string()), words);
    runs_ = 0;
    EXPECT_EQ(run({job(3)}), std::vector<std::string>{"9"});
    EXPECT_EQ(runs_, 1);
  }
}

TEST_F(Jobs, of_a_device_say_which_one_it_was_and_of_two_devices_are_no_whole) {
  run({job(3)});
  EXPECT_EQ(cuda_device_in(folder_.string()), "");
  EXPECT_EQ(cuda_device_in((folder_ / "nowhere").string()), "");
  Json kept = Json::parse(read_file((folder_ / file_name(job(3))).string(), "test"));
  const auto write = [&](const std::string& name) {
    kept["device"] = "cuda " + name;
    kept["numerics"] = numerics_of("cuda " + name);
    std::ofstream(folder_ / (name + ".json")) << kept.dump();
  };
  write("Able");
  EXPECT_EQ(cuda_device_in(folder_.string()), "Able");
  write("Baker");
  const std::string text = error_text([&] { cuda_device_in(folder_.string()); });
  EXPECT_NE(text.find("needs results of one device"), std::string::npos) << text;
  EXPECT_NE(text.find("Able and Baker"), std::string::npos) << text;
}

/// A question to a fit, which counts how often the fit is trained.
Job question(const FitSpec& spec, size_t test_rows, std::atomic<int>& trainings) {
  FitSpec asked = spec;
  asked.test_rows = test_rows;
  Job job = fit_job(asked);
  job.fit->source = [&trainings, source = job.fit->source] {
    ++trainings;
    return source();
  };
  return job;
}

TEST_F(Jobs, that_ask_the_same_fit_train_it_once_whenever_they_ask) {
  std::atomic<int> trainings = 0;
  const FitSpec spec = quick_fit("bilinear", 0);
  const auto first = run({question(spec, 5, trainings), question(spec, 10, trainings)});
  EXPECT_EQ(trainings, 1);
  const auto later = run({question(spec, 7, trainings)});
  EXPECT_EQ(trainings, 1);
  EXPECT_EQ(later, texts(run_jobs({question(spec, 7, trainings)}, {.threads = 1})));  // as if trained anew
  EXPECT_EQ(trainings, 2);
  // A damaged model file is trained again.
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    if (entry.path().extension() == ".kedge") std::filesystem::resize_file(entry.path(), 100);
  EXPECT_EQ(run({question(spec, 8, trainings)}),
            texts(run_jobs({question(spec, 8, trainings)}, {.threads = 1})));
  EXPECT_EQ(trainings, 4);
}

TEST_F(Jobs, whose_training_diverges_have_that_as_their_result) {
  std::atomic<int> trainings = 0;
  FitSpec bad = quick_fit("bilinear", 0);
  bad.options.training.adam.learning_rate = 99;
  bad.options.training.steps = 3000;
  bad.options.architecture.layers = 12;
  const std::vector<Job> jobs = {question(bad, 5, trainings), fit_job(quick_fit("mlp", 0))};
  const JobResults results(jobs, run_jobs(jobs, {.folder = folder_.string(), .threads = 2}));
  EXPECT_TRUE(is_failed(results.of(jobs[0])));
  EXPECT_FALSE(is_failed(results.of(jobs[1])));
  EXPECT_EQ(scores_from_json(results.of(jobs[0])).failed, 1u);
  EXPECT_TRUE(is_failed(run({question(bad, 6, trainings)}).front()));
  EXPECT_EQ(trainings, 1);
}

TEST(FitJob, of_a_function_may_have_another_training_range) {
  FitSpec spec = quick_fit("mlp", 0);
  spec.train_range = {{0, 4}};
  const Table rows = fit_of(spec).source().table;
  const auto [low, high] =
      std::minmax_element(rows.column("x").values.begin(), rows.column("x").values.end());
  EXPECT_GE(*low, 0);
  EXPECT_LE(*high, 4);
  EXPECT_NE(fit_of(spec).key, fit_of(quick_fit("mlp", 0)).key);
}

TEST(Build, names_sources_compiler_and_instruction_set) {
  EXPECT_EQ(build().sources.size(), 12u);
  EXPECT_EQ(build().sources.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_FALSE(build().compiler.empty());
  EXPECT_EQ(build().instructions, kernels().name);
}

}  // namespace
}  // namespace kedge
