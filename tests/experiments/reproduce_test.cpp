// Several experiments as one list of jobs.

#include <set>

#include "kedge/core/error.h"
#include "kedge/experiments/experiment.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

class Reproductions : public JobFolders {
 protected:
  Job job(int n) {
    return {.key = "{\"n\":" + std::to_string(n) + "}", .run = [this, n](const auto&) {
              ++runs_;
              return std::to_string(n);
            }};
  }
  /// Its notes are the results of its jobs.
  Experiment experiment(const std::string& id, const std::vector<int>& numbers) {
    const auto jobs = [this, numbers](const Extent&) {
      std::vector<Job> all;
      for (int n : numbers) all.push_back(job(n));
      return all;
    };
    return {.id = id,
            .title = "the experiment " + id,
            .jobs = jobs,
            .assemble = [jobs](const Extent& extent, const JobResults& results, Result& result) {
              for (const Job& one : jobs(extent)) result.notes.push_back(results.of(one));
            }};
  }
  Reproduction make(const std::vector<const Experiment*>& all, const JobOptions& options,
                    const JobWatch& watch = {}) {
    made_.clear();
    return reproduce(all, {}, options, watch,
                     [&](const Result& result) { made_.push_back(to_json(result)); });
  }

  std::atomic<int> runs_ = 0;
  std::vector<std::string> made_;
};

TEST_F(Reproductions, run_equal_jobs_once_and_make_each_result_as_if_it_were_alone) {
  const Experiment a = experiment("a", {1, 2, 2}), none = experiment("none", {}), b = experiment("b", {2, 3});
  std::vector<std::string> alone;
  for (const Experiment* one : {&a, &none, &b}) {
    make({one}, {});
    alone.push_back(made_.at(0));
  }
  runs_ = 0;
  const Reproduction done = make({&a, &none, &b}, {.threads = 2});
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(made_, alone);
  ASSERT_EQ(done.parts.size(), 3u);
  // A job counts for whoever asked first.
  EXPECT_EQ(done.parts[0].jobs, 2u);
  EXPECT_EQ(done.parts[1].jobs, 0u);
  EXPECT_EQ(done.parts[2].jobs, 1u);
  EXPECT_TRUE(done.parts[2].is_made);
}

TEST_F(Reproductions, make_a_result_as_soon_as_its_jobs_are_there) {
  const Experiment a = experiment("a", {1}), b = experiment("b", {2, 3});
  std::vector<size_t> made_at;
  reproduce({&a, &b}, {}, {.threads = 1}, {},
            [&](const Result&) { made_at.push_back(static_cast<size_t>(runs_)); });
  EXPECT_EQ(made_at, (std::vector<size_t>{1, 3}));
}

TEST_F(Reproductions, that_were_stopped_have_made_what_was_complete) {
  const Experiment a = experiment("a", {1}), b = experiment("b", {2, 3});
  EXPECT_THROW(make({&a, &b}, {.folder = folder("f"), .threads = 1}, {.stopped = [&] { return runs_ >= 2; }}),
               Error);
  EXPECT_EQ(made_.size(), 1u);
  EXPECT_TRUE(make({&a, &b}, {.folder = folder("f"), .threads = 1}).run.is_whole());
  EXPECT_EQ(made_.size(), 2u);
}

TEST_F(Reproductions, of_a_shard_make_what_is_complete_and_no_more) {
  const Experiment a = experiment("a", {1, 2, 3, 4, 5, 6}), none = experiment("none", {});
  const Reproduction half = make({&a, &none}, {.folder = folder("f"), .shard = {1, 2}});
  EXPECT_EQ(made_.size(), 1u);
  EXPECT_FALSE(half.parts[0].is_made);
  EXPECT_TRUE(half.parts[1].is_made);
  EXPECT_FALSE(half.run.is_whole());
  EXPECT_TRUE(make({&a, &none}, {.folder = folder("f"), .shard = {2, 2}}).run.is_whole());
  EXPECT_EQ(made_.size(), 2u);
  EXPECT_EQ(runs_, 6);
}

TEST_F(Reproductions, name_the_widths_and_the_search_that_these_are_of) {
  Experiment search = experiment("search", {});
  search.over_widths = true;
  search.jobs = [this](const Extent& extent) {
    std::vector<Job> jobs;
    for (int width : widths_of(extent))
      for (int preset = 0; preset < (extent.full ? 2 : 1); ++preset) jobs.push_back(job(10 * width + preset));
    return jobs;
  };
  const auto command = [&](const Extent& extent) {
    std::string text;
    reproduce({&search}, extent, {}, {}, [&](const Result& result) { text = result.command; });
    return text;
  };
  EXPECT_EQ(command({}), "kedge reproduce search");
  EXPECT_EQ(command({.widths = {32, 512}}), "kedge reproduce search --widths 32,512");
  EXPECT_EQ(command({.full = true}), "kedge reproduce search --full");
  EXPECT_EQ(command({.full = true, .widths = {1024}}), "kedge reproduce search --full --widths 1024");
}

TEST_F(Reproductions, say_on_which_device_they_were_made) {
  const Experiment a = experiment("a", {1});
  make({&a}, {});
  const std::string of_cpu = made_.at(0);
  make({&a}, {.device = {Device::cuda, "other"}});
  EXPECT_NE(of_cpu, made_.at(0));
  EXPECT_NE(made_.at(0).find(", cuda other\""), std::string::npos);
}

}  // namespace
}  // namespace kedge
