// What kedge reproduce says before it computes anything.

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

class CliPlan : public RunKedge {};

TEST_F(CliPlan, says_how_much_there_is_to_train_and_writes_nothing) {
  const std::string usual = done("reproduce table-sizes --plan"),
                    full = done("reproduce table-sizes --full --plan");
  EXPECT_NE(usual.find("72 jobs"), std::string::npos) << usual;
  EXPECT_EQ(usual.find("1024"), std::string::npos) << usual;
  EXPECT_NE(full.find("216 jobs"), std::string::npos) << full;
  EXPECT_NE(full.find("1024"), std::string::npos) << full;
  EXPECT_FALSE(std::filesystem::exists(path("results")));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CliPlan, takes_the_whole_search_of_one_width) {
  const std::string wide = done("reproduce table-sizes --full --widths 1024 --plan");
  EXPECT_NE(wide.find("72 jobs"), std::string::npos) << wide;
  EXPECT_EQ(wide.find("512"), std::string::npos) << wide;
}

TEST_F(CliPlan, needs_to_know_of_what) {
  const Ran ran = kedge("reproduce --plan");
  EXPECT_NE(ran.code, 0);
  EXPECT_NE(ran.err.find("--all"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace kedge
