// Sizes of a fit on the command line: by columns, and by a budget of time.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliBudget : public RunKedge {
 protected:
  /// y is the sum of the inputs.
  void write_table(int columns) const {
    std::string text;
    for (int c = 0; c < columns; ++c) text += fmt::format("x{},", c);
    text += "y\n";
    for (int r = 0; r < 40; ++r) {
      int sum = 0;
      for (int c = 0; c < columns; ++c) {
        const int x = (r * (7 + 2 * c) + c) % 41;
        sum += x;
        text += fmt::format("{},", x);
      }
      text += fmt::format("{}\n", sum);
    }
    write("t.csv", text);
  }

  json options(const std::string& flags) const {
    done("fit t.csv --target y --calibration none --fourier off --keep-partial --quiet -o m " + flags);
    return json::parse(done("info m --json")).at("options");
  }
};

TEST_F(CliBudget, a_fit_with_the_steps_and_replicas_of_a_budget_gives_the_same_file) {
  write_table(2);
  const std::string fit = "fit t.csv --target y --calibration none --fourier off --json ";
  const json summary = json::parse(done(fit + "--budget 1s -o a"));
  EXPECT_EQ(summary.at("budget").at("trials").size(), 3u);
  EXPECT_GT(summary.at("budget").at("seconds_planned"), 0);
  const auto steps = summary.at("steps").get<uint64_t>();
  EXPECT_NE(done("info a").find(std::to_string(steps) + " steps"), std::string::npos);
  done(fit + fmt::format("--steps {} --replicas {} -o b", steps, summary.at("replicas").get<int>()));
  EXPECT_EQ(read("a"), read("b"));
}

TEST_F(CliBudget, a_bad_one_is_one_line) {
  write_table(2);
  for (const std::string flags : {"--budget 5", "--budget soon", "--budget -1m", "--budget 5m --steps 100",
                                  "--budget 5m --model ridge"}) {
    const Ran ran = kedge("fit t.csv --target y -o m " + flags);
    EXPECT_NE(ran.code, 0) << flags;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    EXPECT_NE(ran.err.find("budget"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(names(), std::vector<std::string>{"t.csv"});
}

TEST_F(CliBudget, without_flags_sizes_follow_the_columns_and_with_them_they_stay) {
  write_table(16);
  const json wide = options("--steps 2");
  EXPECT_EQ(wide.at("architecture").at("width"), 128);
  EXPECT_EQ(wide.at("training").at("batch"), 256);
  EXPECT_EQ(wide.at("training").at("loss"), "l2");
  const json given = options("--steps 2 --width 64 --batch 32 --loss mse --learning-rate 0.001");
  EXPECT_EQ(given.at("architecture").at("width"), 64);
  EXPECT_EQ(given.at("training").at("batch"), 32);
  EXPECT_EQ(given.at("training").at("loss"), "mse");
  EXPECT_EQ(given.at("training").at("learning_rate"), 0.001);
  EXPECT_EQ(options("--steps 2 --weight-decay 0.5").at("training").at("weight_decay"), 0.5);
}

}  // namespace
}  // namespace kedge
