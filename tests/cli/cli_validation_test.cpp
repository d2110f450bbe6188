// Rows that say when a training was best, on the command line.

#include <nlohmann/json.hpp>

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliValidation : public RunKedge {
 protected:
  void write_table(const std::string& name, int from, int to) const {
    std::string text = "place,kind,y\n";
    for (int r = from; r < to; ++r)
      text +=
          std::to_string(r) + (r % 2 == 0 ? ",even," : ",odd,") + std::to_string(3 * r + 5 * (r % 2)) + "\n";
    write(name, text);
  }

  const std::string fit = "fit t.csv --target y --calibration none --fourier off --replicas 1 --steps 600 ";
};

TEST_F(CliValidation, rows_are_taken_in_as_those_of_training_and_their_error_is_told) {
  write_table("t.csv", 0, 40);
  write_table("v.csv", 40, 50);
  const json with = json::parse(done(fit + "--validation v.csv --json -o a"));
  EXPECT_GT(with.at("validation").at("error"), 0);
  EXPECT_LE(with.at("validation").at("step"), 600);
  EXPECT_FALSE(json::parse(done(fit + "--json -o b")).contains("validation"));
  EXPECT_NE(done(fit + "--validation v.csv -o a").find("validation"), std::string::npos);
}

TEST_F(CliValidation, faults_are_one_line_and_nothing_is_written) {
  write_table("t.csv", 0, 40);
  write("word.csv", "place,kind,y\n1,odder,3\n");
  write("lacks.csv", "place,kind\n1,odd\n");
  for (const std::string flags :
       {"--validation none.csv", "--validation word.csv", "--validation lacks.csv",
        "--validation t.csv --base linear", "--validation t.csv --model ridge --steps 600"}) {
    const Ran ran = kedge(fit + "--quiet -o m " + flags);
    EXPECT_NE(ran.code, 0) << flags;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"lacks.csv", "t.csv", "word.csv"}));
}

}  // namespace
}  // namespace kedge
