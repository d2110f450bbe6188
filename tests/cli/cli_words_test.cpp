// What the program prints for people: within 80 columns, without styles where they are not wanted, and the
// same help however it is asked for.

#include "kedge/report/text.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

const std::vector<std::string> commands = {
    "fit",     "cv",      "sweep",  "predict", "diagnose",  "info",       "list",   "sample",    "collect",
    "imitate", "rollout", "expert", "demo",    "reproduce", "merge-jobs", "report", "completion"};

class CliWords : public RunKedge {
 protected:
  void expect_narrow(const std::string& arguments) const {
    for (const std::string& line : lines_of(done(arguments, "COLUMNS=80")))
      EXPECT_LE(display_width(line), 80u) << "kedge " << arguments << "\n" << line;
  }
  void write_table() const {
    std::string text = "rotational_speed,load_of_the_left_axle,temperature_of_the_room,power\n";
    for (int r = 0; r < 40; ++r)
      text += std::to_string(r * 1234.5678) + "," + std::to_string(r * 7 % 40) + "," +
              std::to_string(r * 3 % 11) + "," + std::to_string(2 * r) + "\n";
    write("train.csv", text);
  }
};

TEST_F(CliWords, help_is_the_same_however_it_is_asked_for) {
  EXPECT_EQ(done("help"), done("--help"));
  for (const std::string command : {"fit", "info", "cv"})
    EXPECT_EQ(done("help " + command), done(command + " --help"));
}

TEST_F(CliWords, every_help_and_list_fits_80_columns) {
  expect_narrow("--help");
  for (const std::string& command : commands) expect_narrow(command + " --help");
  expect_narrow("help help");
  expect_narrow("list");
  expect_narrow("reproduce --list");
}

TEST_F(CliWords, the_help_lists_every_command_that_is_tested_here) {
  const std::string help = done("--help");
  std::vector<std::string> listed;
  bool in_commands = false;
  for (const std::string& line : lines_of(help)) {
    if (in_commands && line.empty()) break;
    if (in_commands) listed.push_back(line.substr(2, line.find(' ', 2) - 2));
    in_commands = in_commands || line == "Commands:";
  }
  std::vector<std::string> expected = commands;
  expected.push_back("help");
  EXPECT_EQ(listed, expected);
}

TEST_F(CliWords, what_is_said_of_a_table_and_its_model_fits_80_columns) {
  write_table();
  expect_narrow("fit train.csv --target power --model quadratic -o m.kedge");
  expect_narrow("info m.kedge");
  expect_narrow("info m.kedge --theorem");
  expect_narrow("diagnose m.kedge train.csv");
}

TEST_F(CliWords, the_command_that_cv_recommends_fits_80_columns_and_can_be_run) {
  write_table();
  const std::string cv =
      "cv train.csv --target power --inputs rotational_speed,load_of_the_left_axle "
      "--ignore temperature_of_the_room --models linear,nearest --quiet";
  expect_narrow(cv);
  const std::string text = done(cv, "COLUMNS=80");
  const std::string command = text.substr(text.rfind("kedge fit "));
  EXPECT_NE(command.find(" \\\n    --"), std::string::npos) << command;
  done(command.substr(std::string("kedge ").size(), command.size() - std::string("kedge \n").size()));
  EXPECT_TRUE(std::filesystem::exists(path("model.kedge")));
}

TEST_F(CliWords, a_wider_terminal_gets_longer_lines) {
  EXPECT_GT(lines_of(done("list anchors", "COLUMNS=80")).size(),
            lines_of(done("list anchors", "COLUMNS=400")).size());
  EXPECT_EQ(done("list anchors", "COLUMNS=wide"), done("list anchors", "COLUMNS=80"));
  EXPECT_EQ(done("list anchors", "COLUMNS=1"), done("list anchors", "COLUMNS=40"));
}

TEST_F(CliWords, styles_are_for_terminals_that_know_and_want_them) {
  if (std::system("script --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no script(1)";
  write_table();
  done("fit train.csv --target power --model linear --quiet -o m.kedge");
  const auto styled = [&](const std::string& environment) {
    const std::string command =
        "env -u NO_COLOR TERM=xterm " + environment + " " KEDGE_BINARY " diagnose m.kedge train.csv";
    const std::string out = (folder_ / "typescript").string();
    const std::string run = "cd '" + (folder_ / "work").string() + "' && script -qec '" + command +
                            "' /dev/null >'" + out + "' 2>&1 </dev/null";
    EXPECT_EQ(std::system(run.c_str()), 0) << run;
    const std::string text = slurp(out);
    EXPECT_NE(text.find("verdict"), std::string::npos) << text;
    return text.find("\x1b[") != std::string::npos;
  };
  EXPECT_TRUE(styled(""));
  EXPECT_TRUE(styled("NO_COLOR="));
  EXPECT_FALSE(styled("NO_COLOR=1"));
  EXPECT_FALSE(styled("TERM=dumb"));
}

}  // namespace
}  // namespace kedge
