#include "kedge/jobs/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

TEST(Shard, is_read_as_it_is_written) {
  for (const Shard shard : {Shard{1, 1}, Shard{2, 4}, Shard{4, 4}, Shard{99999, most_shards}})
    EXPECT_EQ(parse_shard(to_text(shard)), shard);
}

TEST(Shard, of_other_texts_is_one_line_that_says_what_is_needed) {
  for (const char* text : {"5/4", "0/4", "a/b", "1/0", "0/0", "", "/", "2", "2/", "/4", "2/4/6", "-1/4",
                           "+1/4", " 1/4", "1/4 ", "1.5/4", "1/100001", "1/99999999999999999999999"}) {
    const std::string error = error_text([&] { parse_shard(text); });
    EXPECT_NE(error.find("needs I/N with I from 1 to N"), std::string::npos) << text;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 0);
  }
}

std::vector<Piece> some_pieces(size_t count) {
  std::vector<Piece> pieces;
  for (size_t p = 0; p < count; ++p)
    pieces.push_back({"piece " + std::to_string(p), p % 5 == 0 ? 0.0 : static_cast<double>(p * p % 17)});
  return pieces;
}

TEST(ShareOut, gives_every_piece_to_one_shard_whatever_the_order_of_the_list) {
  const std::vector<Piece> pieces = some_pieces(60);
  std::vector<Piece> reversed(pieces.rbegin(), pieces.rend());
  for (size_t shards = 1; shards <= 7; ++shards) {
    const std::vector<size_t> given = share_out(pieces, shards);
    std::vector<size_t> of_reversed = share_out(reversed, shards);
    std::reverse(of_reversed.begin(), of_reversed.end());
    EXPECT_EQ(given, of_reversed);
    for (size_t shard : given) EXPECT_TRUE(shard >= 1 && shard <= shards);
    for (size_t shard = 1; shard <= shards; ++shard)
      EXPECT_GT(std::count(given.begin(), given.end(), shard), 0) << shard << " of " << shards;
  }
}

TEST(ShareOut, leaves_shards_apart_by_the_largest_piece_at_most) {
  std::vector<Piece> pieces = some_pieces(60);
  for (Piece& piece : pieces) piece.work += 1;
  for (size_t shards = 1; shards <= 7; ++shards) {
    std::map<size_t, double> loads;
    const std::vector<size_t> given = share_out(pieces, shards);
    double largest = 0;
    for (size_t p = 0; p < pieces.size(); ++p) {
      loads[given[p]] += pieces[p].work;
      largest = std::max(largest, pieces[p].work);
    }
    for (const auto& [shard, load] : loads) EXPECT_LE(load - loads[1], largest) << shard;
  }
}

TEST(ShareOut, knows_more_shards_than_pieces_and_no_pieces) {
  EXPECT_TRUE(share_out({}, 3).empty());
  const std::vector<size_t> given = share_out(some_pieces(3), 7);
  EXPECT_EQ(std::set<size_t>(given.begin(), given.end()).size(), 3u);
}

TEST(ShareOut, is_cheap_since_a_fit_estimates_its_work_without_its_table) {
  FitSpec spec = quick_fit("bilinear", 0);
  const double some = fit_of(spec).work();
  EXPECT_GT(some, 0);
  spec.options.training.steps *= 10;
  EXPECT_GT(fit_of(spec).work(), 2 * some);
  // Steps that are counted in epochs are those of the whole table.
  spec.options.epochs = 100;
  spec.train_rows = 1000;
  const double of_thousand = fit_of(spec).work();
  spec.train_rows = 10000;
  EXPECT_GT(fit_of(spec).work(), 5 * of_thousand);
}

using Shards = JobFolders;

TEST_F(Shards, together_are_the_whole_and_share_nothing) {
  std::vector<Job> jobs = mixed_jobs();
  for (Job& job : jobs) {  // only who computes what is looked at
    job.run = [](const auto&) { return "1"; };
    job.fit.reset();
  }
  for (size_t count = 1; count <= 7; ++count) {
    std::vector<int> computed(jobs.size(), 0);
    for (size_t index = 1; index <= count; ++index) {
      const JobRun run = run_jobs(jobs, {.threads = 1, .shard = {index, count}});
      size_t own = 0;
      for (size_t i = 0; i < jobs.size(); ++i)
        if (!run.results[i].text.empty()) {
          ++computed[i];
          ++own;
        }
      EXPECT_EQ(run.own, own);
    }
    EXPECT_EQ(computed, std::vector<int>(jobs.size(), 1)) << count;
  }
}

TEST_F(Shards, of_one_folder_leave_what_a_run_alone_leaves) {
  const std::vector<Job> jobs = mixed_jobs();
  const JobRun whole = run_jobs(jobs, {.folder = folder("whole"), .threads = 2});
  EXPECT_TRUE(whole.is_whole());
  for (size_t count : {2u, 4u}) {
    const std::string name = std::to_string(count);
    for (size_t index = 1; index <= count; ++index) {
      const JobRun run = run_jobs(jobs, {.folder = folder(name), .threads = 1, .shard = {index, count}});
      EXPECT_EQ(run.is_whole(), index == count);
      EXPECT_EQ(run.missing.count(index), 0u);
      if (index == count) {
        EXPECT_EQ(texts(run), texts(whole));
      }
    }
    EXPECT_EQ(kept(name), kept("whole"));
  }
}

TEST_F(Shards, say_what_is_done_and_what_others_owe) {
  const std::vector<Job> jobs = mixed_jobs();
  run_jobs(jobs, {.folder = folder("a"), .threads = 2, .shard = {2, 3}});
  const JobRun run = run_jobs(jobs, {.folder = folder("a"), .threads = 2, .shard = {3, 3}});
  ASSERT_EQ(run.missing.size(), 1u);
  const std::string owed = std::to_string(run.missing.at(1)), own = std::to_string(run.own);
  EXPECT_EQ(to_text(run), "shard 3/3: " + own + " of " + own + " jobs; the whole needs shard 1: " + owed +
                              " jobs are missing");
  // Nothing is computed where that is asked for.
  const JobRun looked = run_jobs(jobs, {.folder = folder("a"), .shard = {1, 3}, .only_kept = true});
  EXPECT_EQ(looked.missing, run.missing);
  EXPECT_FALSE(std::filesystem::exists(folder("b")));
  EXPECT_FALSE(run_jobs(jobs, {.folder = folder("b"), .only_kept = true}).is_whole());
  EXPECT_FALSE(std::filesystem::exists(folder("b")));
}

TEST_F(Shards, that_were_stopped_go_on_where_they_were) {
  const std::vector<Job> jobs = mixed_jobs();
  const JobOptions options{.folder = folder("a"), .threads = 1, .shard = {1, 2}};
  std::atomic<size_t> done = 0;
  const std::string stopped = error_text([&] {
    run_jobs(jobs, options,
             {.progress = [&](size_t now, size_t) { done = now; }, .stopped = [&] { return done >= 3; }});
  });
  EXPECT_NE(stopped.find("stopped after 3 of "), std::string::npos) << stopped;
  run_jobs(jobs, {.folder = folder("a"), .threads = 1, .shard = {2, 2}});
  EXPECT_TRUE(run_jobs(jobs, options).is_whole());
  run_jobs(jobs, {.folder = folder("whole"), .threads = 2});
  EXPECT_EQ(kept("a"), kept("whole"));
}

TEST_F(Shards, results_of_one_device_are_not_those_of_another) {
  const std::vector<Job> jobs = {{.key = "{}", .run = [](const auto&) { return "1"; }}};
  const UsedDevice other{Device::cuda, "other"};
  run_jobs(jobs, {.folder = folder("a"), .device = other});
  EXPECT_FALSE(run_jobs(jobs, {.folder = folder("a"), .only_kept = true}).is_whole());
  EXPECT_TRUE(run_jobs(jobs, {.folder = folder("a"), .device = other, .only_kept = true}).is_whole());
  EXPECT_NE(file_name(jobs[0]), file_name(jobs[0], {.device = other}));
}

}  // namespace
}  // namespace kedge
