#include "kedge/jobs/folder_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "kedge/core/error.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

class FolderLocks : public JobFolders {
 protected:
  FolderLocks() { std::filesystem::create_directory(folder("a")); }

  std::string refusal(const Shard& shard, const std::string& list = "list") const {
    return error_text([&] { const FolderLock lock(folder("a"), shard, list); });
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder("a")), {}));
  }
};

TEST_F(FolderLocks, let_other_shards_of_the_list_in_and_nobody_else) {
  const FolderLock one(folder("a"), {1, 4}, "list");
  EXPECT_EQ(refusal({2, 4}), "");
  EXPECT_EQ(refusal({4, 4}), "");
  for (const std::string& error :
       {refusal({1, 4}), refusal({1, 1}), refusal({2, 3}), refusal({2, 4}, "another")}) {
    EXPECT_NE(error.find("another run (process " + std::to_string(::getpid()) + " on "), std::string::npos)
        << error;
    EXPECT_NE(error.find("shard 1/4"), std::string::npos) << error;
    EXPECT_NE(error.find("wait for it, or take another folder"), std::string::npos) << error;
  }
  const FolderLock elsewhere(root_.string(), {1, 4}, "list");
}

TEST_F(FolderLocks, end_with_their_run_and_leave_no_file_but_one) {
  { const FolderLock lock(folder("a"), {1, 1}, "list"); }
  EXPECT_EQ(refusal({1, 1}), "");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FolderLocks, of_a_killed_run_do_not_hold) {
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder("a"), {1, 1}, "list");
    ::_exit(0);  // as a kill: nothing is cleaned up
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(refusal({1, 1}), "");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FolderLocks, are_none_where_there_is_no_folder_or_it_cannot_be_written) {
  EXPECT_EQ(error_text([] { const FolderLock lock("", {1, 1}, "list"); }), "");
  EXPECT_EQ(error_text([&] { const FolderLock lock(folder("nowhere"), {1, 1}, "list"); }), "");
}

TEST_F(FolderLocks, keep_a_second_run_out_of_a_folder_until_all_is_done) {
  std::string refused;
  bool is_instant = true;
  const std::vector<Job> done = {{.key = "{}", .run = [](const auto&) { return "1"; }}};
  run_jobs(done, {.folder = folder("a")});
  const Job outer{.key = "{\"outer\":1}", .run = [&](const auto&) {
                    const Job inner{.key = "{\"inner\":1}", .run = [](const auto&) { return "2"; }};
                    refused = error_text([&] { run_jobs({inner}, {.folder = folder("a")}); });
                    // Whoever computes nothing is let in.
                    is_instant = run_jobs(done, {.folder = folder("a")}).is_whole();
                    return "3";
                  }};
  run_jobs({outer}, {.folder = folder("a"), .threads = 1});
  EXPECT_NE(refused.find("another run"), std::string::npos) << refused;
  EXPECT_NE(refused.find("of other jobs"), std::string::npos) << refused;
  EXPECT_TRUE(is_instant);
}

}  // namespace
}  // namespace kedge
