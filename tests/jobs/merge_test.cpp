#include "kedge/jobs/merge.h"

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/json.h"
#include "tests/jobs/quick_jobs.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

class Merges : public JobFolders {
 protected:
  Merges() : jobs_(mixed_jobs()) {
    run_jobs(jobs_, {.folder = folder("whole"), .threads = 2});
    for (size_t index = 1; index <= 2; ++index)
      run_jobs(jobs_, {.folder = folder(std::to_string(index)), .threads = 2, .shard = {index, 2}});
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  /// The name of some file of a folder.
  std::string one_of(const std::string& name, const std::string& ending) const {
    for (const auto& [file, content] : kept(name))
      if (file.ends_with(ending)) return file;
    return "";
  }

  const std::vector<Job> jobs_;
};

TEST_F(Merges, of_all_shards_are_the_whole_and_are_so_again) {
  const JobMerge first = merge_jobs({folder("1"), folder("2")}, folder("all"));
  EXPECT_TRUE(first.refused.empty());
  EXPECT_EQ(first.known, 0u);
  EXPECT_EQ(kept("all"), kept("whole"));
  const JobMerge second = merge_jobs({folder("2"), folder("1")}, folder("all"));
  EXPECT_EQ(second.known, first.copied);
  EXPECT_EQ(second.copied, 0u);
  EXPECT_EQ(kept("all"), kept("whole"));
  EXPECT_TRUE(run_jobs(jobs_, {.folder = folder("all"), .only_kept = true}).is_whole());
}

TEST_F(Merges, leave_out_by_name_what_is_damaged_and_take_the_rest) {
  const std::string result = one_of("1", ".json"), model = one_of("2", ".kedge");
  const std::string text = kept("1").at(result);
  std::string foreign = text;
  foreign.replace(foreign.find("\"numerics\": \"") + 13, 8, "numbers");
  for (const std::string& bad :
       {std::string(), text.substr(0, text.size() / 2), std::string("[]"), foreign}) {
    std::filesystem::remove_all(folder("all"));
    write("1/" + result, bad);
    const JobMerge merge = merge_jobs({folder("1"), folder("2")}, folder("all"));
    ASSERT_EQ(merge.refused.size(), 1u) << bad;
    EXPECT_NE(merge.refused[0].find(result), std::string::npos);
    EXPECT_NE(merge.refused[0].find(bad == foreign ? "is of numbers" : "is damaged"), std::string::npos)
        << merge.refused[0];
    EXPECT_EQ(kept("all").count(result), 0u);
  }
  // A whole file under the name of another.
  write("1/" + result, kept("2").at(one_of("2", ".json")));
  EXPECT_NE(merge_jobs({folder("1")}, folder("all")).refused.at(0).find("its name does not belong"),
            std::string::npos);
  write("1/" + result, text);
  std::filesystem::resize_file(root_ / "2" / model, 100);
  const JobMerge merge = merge_jobs({folder("1"), folder("2")}, folder("all"));
  ASSERT_EQ(merge.refused.size(), 1u);
  EXPECT_NE(merge.refused[0].find(std::filesystem::path(model).stem().string()), std::string::npos);
}

TEST_F(Merges, take_what_other_sources_with_the_same_numerics_found) {
  for (const char* name : {"1", "2"})
    for (const auto& [file, text] : kept(name)) {
      if (!file.ends_with(".json")) continue;
      std::string other = text;
      other.replace(other.find("\"build\": \"") + 10, 4, "0000");
      write(name + ("/" + file), other);
    }
  const JobMerge merge = merge_jobs({folder("1"), folder("2")}, folder("all"));
  EXPECT_EQ(merge.refused, std::vector<std::string>{});
  const JobRun assembled = run_jobs(jobs_, {.folder = folder("all"), .only_kept = true});
  EXPECT_TRUE(assembled.is_whole());
  EXPECT_EQ(texts(assembled), texts(run_jobs(jobs_, {.folder = folder("whole"), .only_kept = true})));
}

TEST_F(Merges, refuse_what_programs_before_numerics_found) {
  const std::string result = one_of("1", ".json");
  Json old = Json::object();
  const Json found = Json::parse(kept("1").at(result));
  for (const auto& [key, value] : found.as_object("result"))
    if (key != "numerics") old[key] = value;
  write("1/" + result, old.dump());
  const JobMerge merge = merge_jobs({folder("1"), folder("2")}, folder("all"));
  ASSERT_EQ(merge.refused.size(), 1u);
  EXPECT_NE(merge.refused[0].find("is of a program before numerics 1, not of numerics "), std::string::npos)
      << merge.refused[0];
}

TEST_F(Merges, replace_what_is_damaged_where_they_go) {
  merge_jobs({folder("1"), folder("2")}, folder("all"));
  write("all/" + one_of("all", ".json"), "{");
  write("all/" + one_of("all", ".kedge"), "no model");
  EXPECT_TRUE(merge_jobs({folder("1"), folder("2")}, folder("all")).refused.empty());
  EXPECT_EQ(kept("all"), kept("whole"));
}

TEST_F(Merges, tell_of_folders_without_results_and_of_two_results_of_one_job) {
  std::filesystem::create_directories(folder("nothing"));
  const JobMerge merge = merge_jobs({folder("1"), folder("nothing")}, folder("all"));
  EXPECT_EQ(merge.empty, std::vector<std::string>{folder("nothing")});
  const std::string result = one_of("1", ".json");
  std::string other = kept("1").at(result);
  const size_t digit = other.find_first_of("0123456789", other.find("\"result\""));
  ASSERT_NE(digit, std::string::npos);
  other[digit] = other[digit] == '7' ? '8' : '7';
  write("1/" + result, other);
  const auto before = kept("all");
  const JobMerge again = merge_jobs({folder("1")}, folder("all"));
  ASSERT_EQ(again.refused.size(), 1u);
  EXPECT_NE(again.refused[0].find("has another result than"), std::string::npos) << again.refused[0];
  EXPECT_EQ(kept("all"), before);
}

TEST_F(Merges, refuse_folders_that_are_none_before_anything_is_written) {
  write("file", "");
  for (const std::string& wrong : {folder("nowhere"), folder("file")}) {
    const std::string error = error_text([&] { merge_jobs({folder("1"), wrong}, folder("all")); });
    EXPECT_NE(error.find(wrong), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(folder("all")));
  }
  EXPECT_NE(error_text([&] { merge_jobs({folder("1")}, folder("1")); }).find("other folders"),
            std::string::npos);
  EXPECT_NE(error_text([&] { merge_jobs({folder("1")}, folder("file")); }).find("cannot be made"),
            std::string::npos);
}

TEST_F(Merges, follow_no_links) {
  const std::string result = one_of("1", ".json");
  std::filesystem::rename(root_ / "1" / result, root_ / "elsewhere");
  std::filesystem::create_symlink(root_ / "elsewhere", root_ / "1" / result);
  const JobMerge merge = merge_jobs({folder("1")}, folder("all"));
  ASSERT_EQ(merge.refused.size(), 1u);
  EXPECT_NE(merge.refused[0].find(result), std::string::npos);
}

}  // namespace
}  // namespace kedge
