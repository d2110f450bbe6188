// Runs of several ranks, as mpirun starts them.

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

class CliRanks : public RunKedge {
 protected:
  /// Runs kedge as so many ranks.
  Ran ranks(int count, const std::string& arguments) const {
    const std::string command = "cd " + path("").string() + " && " KEDGE_MPIRUN " -n " +
                                std::to_string(count) + " '" KEDGE_BINARY "' " + arguments +
                                " >../out 2>../err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "out"), slurp(folder_ / "err")};
  }
  void expect_done(int count, const std::string& arguments) const {
    const Ran ran = ranks(count, arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  std::string flags(const std::string& folder) const {
    return "reproduce fig-equivariant --quick --jobs " + folder + "/jobs -o " + folder;
  }
  size_t kept(const std::string& folder) const {
    std::error_code none;
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder + "/jobs"), none))
      if (entry.path().extension() == ".json") ++files;
    return files;
  }
};

TEST_F(CliRanks, any_number_of_them_makes_the_same_result_and_one_prints) {
  const std::string said = done(flags("alone"));
  for (int count : {1, 2, 4}) {
    const std::string name = std::to_string(count);
    const Ran ran = ranks(count, flags(name));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(lines_of(ran.out).size(), lines_of(said).size()) << ran.out;
    EXPECT_EQ(read(name + "/fig-equivariant.json"), read("alone/fig-equivariant.json"));
    EXPECT_EQ(kept(name), kept("alone"));
  }
}

TEST_F(CliRanks, one_that_is_killed_ends_the_run_and_the_next_run_does_what_is_missing) {
  done(flags("alone") + " --quiet");
  // Each rank tells its process number before kedge takes its place.
  write("start",
        "#!/bin/sh\necho $$ >pid$OMPI_COMM_WORLD_RANK\nexec '" KEDGE_BINARY "' " + flags("a") + "\n");
  const std::string run = "cd " + path("").string() +
                          " && " KEDGE_MPIRUN
                          " -n 2 sh start >../out 2>../err </dev/null & "
                          "run=$!; until [ \"$(ls " +
                          path("a/jobs").string() +
                          " 2>/dev/null | grep -c json)\" -ge 4 ]; do sleep 0.01; done; kill -9 $(cat " +
                          path("pid1").string() + "); wait $run";
  EXPECT_NE(std::system(run.c_str()), 0);
  EXPECT_NE(slurp(folder_ / "err").find("signal 9"), std::string::npos) << slurp(folder_ / "err");
  const size_t before = kept("a");
  EXPECT_GE(before, 4u);
  EXPECT_LT(before, kept("alone"));
  EXPECT_FALSE(std::filesystem::exists(path("a/fig-equivariant.json")));
  expect_done(2, flags("a"));
  EXPECT_EQ(read("a/fig-equivariant.json"), read("alone/fig-equivariant.json"));
}

TEST_F(CliRanks, a_fault_is_said_once) {
  const Ran ran = ranks(3, "reproduce table-0 --quick");
  EXPECT_NE(ran.code, 0);
  size_t said = 0;
  for (const std::string& line : lines_of(ran.err)) said += line.starts_with("kedge: ") ? 1 : 0;
  EXPECT_EQ(said, 1u) << ran.err;
}

TEST_F(CliRanks, that_were_asked_for_different_things_are_refused) {
  std::string rows = "a,y\n";
  for (int r = 0; r < 40; ++r) rows += std::to_string(r) + "," + std::to_string(3 * r) + "\n";
  write("train.csv", rows);
  write("part0.csv", rows);
  write("part1.csv", rows + "40,120\n");
  done("fit train.csv --target y --model linear -o m.kedge --quiet");
  const auto expect_refused = [&](const std::string& arguments, const std::string& words) {
    write("start", "#!/bin/sh\nRANK=$OMPI_COMM_WORLD_RANK\nexec '" KEDGE_BINARY "' " + arguments + "\n");
    const std::string run = "cd " + path("").string() + " && " KEDGE_MPIRUN " -n 2 sh start >../out 2>../err";
    EXPECT_NE(std::system(run.c_str()), 0) << arguments;
    EXPECT_NE(slurp(folder_ / "err").find(words), std::string::npos) << slurp(folder_ / "err");
  };
  expect_refused("predict m.kedge part$RANK.csv -o answers.csv", "rank 1 has others");
  expect_refused("predict m.kedge part0.csv -o answers$RANK.csv", "rank 1 has others");
  expect_refused("predict m.kedge part0.csv --edge-factor $((RANK+2)) -o answers.csv", "rank 1 has others");
  EXPECT_FALSE(std::filesystem::exists(path("answers.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("answers0.csv")));
  expect_refused(flags("shards") + " --shard $((RANK+1))/2", "rank 1 has others");
  // Each on its own, as told.
  write("start", "#!/bin/sh\nRANK=$OMPI_COMM_WORLD_RANK\nunset OMPI_COMM_WORLD_SIZE\nexec '" KEDGE_BINARY
                 "' predict m.kedge part$RANK.csv -o answers$RANK.csv\n");
  EXPECT_EQ(
      std::system(("cd " + path("").string() + " && " KEDGE_MPIRUN " -n 2 sh start >../out 2>&1").c_str()),
      0);
  EXPECT_EQ(lines_of(read("answers1.csv")).size(), 42u);
}

TEST_F(CliRanks, a_rank_without_others_says_so) {
  const std::string environment = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4";
  const Ran ran = kedge(flags("alone"), environment);
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("rank 1 of 4, but MPI knows of no others"), std::string::npos) << ran.err;
}

TEST_F(CliRanks, predictions_are_those_of_one_process) {
  std::string rows = "a,b,y\n";
  for (int r = 0; r < 40; ++r)
    rows += std::to_string(r % 7) + "," + std::to_string(r) + "," + std::to_string(3 * r) + "\n";
  write("train.csv", rows);
  done("fit train.csv --target y --model linear -o m.kedge --quiet");
  // Blocks are of a megabyte.
  std::string queries = "name,a,b\n";
  for (int r = 0; r < 90000; ++r)
    queries += "\"a row of some length, so that there are several blocks\"," + std::to_string(r % 9) + "," +
               (r == 70000 ? "" : std::to_string(r)) + "\n";
  write("q.csv", queries);
  const std::string predict = "predict m.kedge q.csv --keep name -o ";
  const Ran alone = kedge(predict + "alone.csv");
  ASSERT_EQ(alone.code, 0) << alone.err;
  for (int count : {2, 4}) {
    const Ran ran = ranks(count, predict + "ranks.csv");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(read("ranks.csv") == read("alone.csv"), true);
    EXPECT_NE(ran.err.find("1 of 90000 queries have no answer"), std::string::npos) << ran.err;
  }
  // A fault in a block of another rank is that of one process.
  write("q.csv", queries + "too,few\n");
  const std::string fault = lines_of(kedge(predict + "no.csv --quiet").err).back();
  EXPECT_NE(ranks(2, predict + "no.csv --quiet").err.find(fault), std::string::npos) << fault;
  EXPECT_FALSE(std::filesystem::exists(path("no.csv")));
  EXPECT_NE(ranks(2, "predict m.kedge -").err.find("standard input goes to one alone"), std::string::npos);
}

}  // namespace
}  // namespace kedge
