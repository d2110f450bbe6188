// Experiments end to end, as users run them: real fits, killed and stopped in the middle, and gone on with.

#include <map>

#include "kedge/jobs/numerics.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

class CliReproduce : public RunKedge {
 protected:
  std::string flags(const std::string& folder) const {
    return "reproduce fig-equivariant --quick --quiet --jobs " + folder + "/jobs -o " + folder;
  }
  std::vector<std::string> arguments(const std::string& folder) const {
    return {"reproduce", "fig-equivariant",      "--quick", "--quiet",
            "--jobs",    path(folder + "/jobs"), "-o",      path(folder).string()};
  }

  /// Content of every kept result and model.
  std::map<std::string, std::string> kept(const std::string& folder) const {
    std::map<std::string, std::string> files;
    if (!std::filesystem::exists(path(folder + "/jobs"))) return files;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder + "/jobs")))
      if (!entry.path().filename().string().starts_with("."))
        files[entry.path().filename().string()] = slurp(entry.path());
    return files;
  }
};

TEST_F(CliReproduce, a_run_that_is_killed_or_stopped_goes_on_to_the_same_result) {
  done(flags("whole"));
  const auto whole = kept("whole");
  ASSERT_GT(whole.size(), 20u);
  const auto has = [&](size_t files) { return [this, files] { return kept("parts").size() >= files; }; };
  const Ran killed = signalled_when(has(3), SIGKILL, arguments("parts"));
  EXPECT_EQ(killed.code, -1);
  const auto after_kill = kept("parts");
  EXPECT_GE(after_kill.size(), 3u);
  EXPECT_LT(after_kill.size(), whole.size());

  const Ran stopped = signalled_when(has(after_kill.size() + 3), SIGTERM, arguments("parts"));
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("run it again to go on from there"), std::string::npos) << stopped.err;
  const auto after_stop = kept("parts");
  EXPECT_GT(after_stop.size(), after_kill.size());
  EXPECT_LT(after_stop.size(), whole.size());
  // What was kept is whole, and is not made again.
  for (const auto& [name, content] : after_stop) EXPECT_EQ(content, whole.at(name)) << name;

  done(flags("parts"));
  EXPECT_EQ(kept("parts"), whole);
  EXPECT_EQ(read("parts/fig-equivariant.json"), read("whole/fig-equivariant.json"));
}

TEST_F(CliReproduce, shards_make_the_result_of_a_run_alone_in_one_folder_or_merged) {
  done(flags("whole"));
  const std::string result = read("whole/fig-equivariant.json");
  // In one folder: the last one finds all jobs there.
  const std::string said = done("reproduce fig-equivariant --quick --shard 1/2 --jobs one/jobs -o one");
  EXPECT_NE(said.find("; the whole needs shard 2: "), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(path("one/fig-equivariant.json")));
  done(flags("one") + " --shard 2/2");
  EXPECT_EQ(read("one/fig-equivariant.json"), result);
  EXPECT_EQ(kept("one"), kept("whole"));

  // In folders of their own, one of them lost.
  for (const std::string index : {"1", "2", "4"}) done(flags("node" + index) + " --shard " + index + "/4");
  done("merge-jobs node1/jobs node2/jobs node4/jobs --jobs all/jobs");
  const Ran lost = kedge(flags("all") + " --assemble 4");
  EXPECT_EQ(lost.code, 1);
  EXPECT_EQ(lines_of(lost.err).size(), 1u) << lost.err;
  EXPECT_NE(lost.err.find("are missing, of shard 3; make them with kedge reproduce fig-equivariant --quick "
                          "--jobs all/jobs -o all "
                          "--shard 3/4"),
            std::string::npos)
      << lost.err;
  EXPECT_FALSE(std::filesystem::exists(path("all/fig-equivariant.json")));
  done(flags("all") + " --shard 3/4");
  EXPECT_EQ(read("all/fig-equivariant.json"), result);
  std::filesystem::remove(path("all/fig-equivariant.json"));
  done(flags("all") + " --assemble 4");
  EXPECT_EQ(read("all/fig-equivariant.json"), result);
}

TEST_F(CliReproduce, a_second_run_in_one_folder_is_told_who_works_there) {
  Ran second;
  const auto when = [&] {
    if (kept("a").empty()) return false;
    second = kedge("reproduce fig-equivariant --quick --jobs a/jobs -o b");
    return true;
  };
  signalled_when(when, SIGTERM, arguments("a"));
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(lines_of(second.err).size(), 1u) << second.err;
  EXPECT_NE(second.err.find("another run (process "), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("wait for it, or take another folder (--jobs)"), std::string::npos) << second.err;
}

TEST_F(CliReproduce, results_of_other_numerics_in_the_folder_are_told_of_in_one_line) {
  std::filesystem::create_directories(path("jobs"));
  const auto write = [&](const std::string& numerics) {
    std::ofstream(path("jobs/0123456789abcdef.json"))
        << R"({"build": "b", )" << numerics << R"("device": "cpu", "key": {}, "machine": "m", "result": 1})";
  };
  const std::string command = "reproduce fig-pca --quick --jobs jobs -o a";
  write("");
  EXPECT_EQ(lines_of(done(command)).front(),
            "jobs has results of a program before numerics 1; they do not count here and are");
  write(R"("numerics": "numerics 0, GNU 12.2.0, x", )");
  EXPECT_EQ(lines_of(done(command)).front(),
            "jobs has results of numerics 0, GNU 12.2.0, x; they do not count here and are");
  const Ran missing = kedge("reproduce fig-equivariant --quick --assemble 1 --jobs jobs -o a");
  EXPECT_NE(missing.err.find("(the folder has results of numerics 0, GNU 12.2.0, x, which do not count)"),
            std::string::npos)
      << missing.err;
  write("\"numerics\": \"" + numerics_of("cpu") + "\", ");
  EXPECT_EQ(done(command).find("do not count"), std::string::npos);
}

TEST_F(CliReproduce, shards_that_are_none_and_folders_that_are_none_are_one_line) {
  for (const std::string wrong : {"5/4", "0/4", "a/b", "1/0", "2"}) {
    const Ran ran = kedge("reproduce fig-pca --quick --shard " + wrong);
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    EXPECT_NE(ran.err.find("needs I/N with I from 1 to N"), std::string::npos) << ran.err;
  }
  for (const std::string wrong : {"reproduce fig-pca --quick --assemble 0", "merge-jobs nowhere",
                                  "merge-jobs", "reproduce fig-pca --quick --assemble 2 --shard 1/2"}) {
    const Ran ran = kedge(wrong);
    EXPECT_NE(ran.code, 0) << wrong;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(CliReproduce, ranks_without_mpi_are_one_line) {
  // The library of MPI is looked for beside the program.
  std::filesystem::create_directory(path("bin"));
  std::filesystem::copy_file(KEDGE_BINARY, path("bin/kedge"));
  const std::string command =
      "cd " + path("").string() +
      " && OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 bin/kedge reproduce fig-pca --quick "
      "--jobs j -o o 2>err";
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_EQ(lines_of(read("err")).size(), 1u);
  EXPECT_NE(read("err").find("needs MPI to run as 2 ranks"), std::string::npos) << read("err");
}

}  // namespace
}  // namespace kedge
