// What fails: one line that says where and what, the right exit code, and nothing left behind.

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

struct Bad {
  std::string name, text, arguments;  // text goes into t.csv unless empty
  int code = 1;
  std::vector<std::string> said;
};

class CliErrors : public RunKedge {
 protected:
  void expect_error(const std::string& arguments, int code, const std::vector<std::string>& said) {
    const std::vector<std::string> before = names();
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("kedge: ")) << ran.err;
    for (const std::string& words : said) EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
    EXPECT_EQ(names(), before);
  }
  void expect_errors(const std::vector<Bad>& cases) {
    for (const Bad& bad : cases) {
      SCOPED_TRACE(bad.name);
      write("t.csv", bad.text);
      expect_error(bad.arguments, bad.code, bad.said);
    }
  }
};

const std::string good = "a,b,y\n1,2,3\n4,5,6\n7,9,9\n";
const std::string fit = "fit t.csv --target y --steps 10 --keep-partial -o m ";

TEST_F(CliErrors, a_bad_training_table_is_named_with_line_and_column) {
  expect_errors({
      {"empty", "", fit, 1, {"t.csv", "empty file"}},
      {"header only", "a,b,y\n", fit, 1, {"t.csv", "rows after the header"}},
      {"ragged", "a,b,y\n1,2,3\n4,5\n", fit, 1, {"t.csv, line 3", "3 cells", "found 2"}},
      {"text", "a,b,y\n1,2,3\n4,oak,6\n", fit, 1, {"t.csv, line 3", "\"b\"", "\"oak\""}},
      {"NaN input", "a,b,y\n1,2,3\nnan,5,6\n", fit, 1, {"t.csv, line 3", "\"a\"", "--missing impute"}},
      {"Inf input", "a,b,y\n1,inf,3\n2,5,6\n", fit, 1, {"t.csv, line 2", "\"b\"", "inf"}},
      {"NaN target", "a,b,y\n1,2,3\n4,5,nan\n", fit, 1, {"t.csv, line 3", "\"y\""}},
      {"one row", "a,b,y\n1,2,3\n", fit, 1, {"t.csv", "two rows", "found 1"}},
      {"constant", "a,y\n1,3\n1,6\n", fit, 1, {"t.csv", "\"a\"", "input that changes"}},
      {"duplicate", "a,a,y\n1,2,3\n4,5,6\n", fit, 1, {"t.csv, line 1", "\"a\" twice"}},
      {"not UTF-8", "gr\xf6\xdf,y\n1,2\n3,4\n", fit, 1, {"t.csv", "UTF-8"}},
      {"only targets", "y\n1\n2\n", fit, 1, {"t.csv", "0 inputs"}},
      {"not in the space", "a,b,y\n1,2,3\n-4,5,6\n", fit + "--space a=log", 1, {"t.csv, line 3"}},
      {"no such file", good, "fit none.csv --target y -o m", 1, {"none.csv", "No such file"}},
      {"a directory", good, "fit . --target y -o m", 1, {"directory"}},
  });
}

TEST_F(CliErrors, columns_and_names_that_do_not_exist_are_named) {
  expect_errors({
      {"target", good, "fit t.csv --target z -o m", 1, {"t.csv", "\"z\"", "\"a\", \"b\", \"y\""}},
      {"space", good, fit + "--space z=angle", 1, {"t.csv", "--space", "\"z\"", "\"a\", \"b\""}},
      {"unit", good, fit + "--same-unit a+z", 1, {"t.csv", "--same-unit", "\"z\"", "\"a\", \"b\", \"y\""}},
      {"no scaling", good, fit + "--same-unit a+b --preset paper", 1, {"needs scaling", "preset paper"}},
      {"kind", good, fit + "--space a=sphere", 1, {"t.csv", "\"sphere\"", "angle"}},
      {"context", good, fit + "--context z", 1, {"t.csv", "\"z\""}},
      {"ignore", good, fit + "--ignore z", 1, {"t.csv", "\"z\""}},
      {"inputs", good, fit + "--inputs z", 1, {"t.csv", "\"z\""}},
      {"label", good, fit + "--label z", 1, {"t.csv", "\"z\""}},
      {"time", good, fit + "--time z", 1, {"t.csv", "\"z\""}},
      {"two parts", good, fit + "--ignore y", 1, {"\"y\"", "--target", "--ignore"}},
      {"twice", good, fit + "--inputs a,a", 1, {"--inputs", "\"a\" twice"}},
      {"model", good, fit + "--model z", 1, {"\"z\"", "bilinear"}},
      {"preset", good, fit + "--preset z", 1, {"\"z\"", "paper"}},
      {"pairs", good, fit + "--pairs z", 1, {"'z'", "same-label"}},
      {"pairs without label", good, fit + "--pairs same-label", 1, {"--label"}},
      {"anchors", good, fit + "--anchors z", 1, {"'z'", "nearest"}},
      {"domain", good, "sample z", 1, {"\"z\"", "sawtooth"}},
      {"no labels", good, "sample sawtooth --pairs p.csv", 1, {"label column", "sawtooth"}},
      {"one file", good, "sample grasp --pairs p.csv -o p.csv", 1, {"--pairs need a file each", "p.csv"}},
      {"no clouds", good, "sample sawtooth --clouds d", 1, {"\"sawtooth\"", "grasp-mug"}},
      {"no directory", good, "sample grasp --clouds /dev/null/d", 1, {"/dev/null/d", "cannot be made"}},
  });
}

TEST_F(CliErrors, wrong_usage_has_its_own_code_and_points_at_the_help) {
  expect_errors({
      {"nothing", good, "", 2, {"see kedge --help"}},
      {"no such command", good, "paint", 2, {"\"paint\"", "see kedge --help"}},
      {"no file", good, "fit --target y -o m", 2, {"TRAIN", "see kedge fit --help"}},
      {"no target", good, "fit t.csv -o m", 2, {"--target"}},
      {"no output", good, "fit t.csv --target y", 2, {"--output"}},
      {"unknown flag", good, fit + "--colour red", 2, {"--colour", "see kedge fit --help"}},
      {"not a number", good, fit + "--batch ten", 2, {"--batch", "\"ten\""}},
      {"negative seed", good, fit + "--seed -1", 2, {"--seed", "\"-1\""}},
      {"seed too large", good, fit + "--seed 18446744073709551616", 2, {"--seed"}},
      {"steps and epochs", good, fit + "--epochs 2", 2, {"--steps", "--epochs"}},
      {"loss", good, fit + "--loss l3", 2, {"--loss", "mse, l2"}},
      {"split", good, "sample sawtooth --split out", 2, {"--split", "train, in, oos"}},
      {"list", good, "list colours", 2, {"models"}},
      {"no rows", good, "sample sawtooth -n 0", 2, {"--rows"}},
  });
  expect_error("fit t.csv --target y -o m --learning-rate nan", 1, {"learning rate"});
  expect_error("fit t.csv --target y -o m --epochs 0", 1, {"--epochs"});
  expect_error("fit t.csv --target y -o m --width 0", 1, {"width"});
}

TEST_F(CliErrors, an_output_that_cannot_be_written_is_found_before_the_training) {
  write("t.csv", good);
  std::filesystem::create_directory(path("folder"));
  const std::string endless = "fit t.csv --target y --steps 1000000000000 -o ";
  expect_error(endless + "none/m", 1, {"none", "No such file or directory"});
  expect_error(endless + "folder", 1, {"folder", "is a directory"});
  expect_error(endless + "t.csv", 1, {"t.csv", "overwritten"});
  expect_error(endless + "-", 1, {"-o"});
  if (::geteuid() != 0) {
    std::filesystem::permissions(path("folder"), std::filesystem::perms::owner_read);
    expect_error(endless + "folder/m", 1, {"folder", "Permission denied"});
    std::filesystem::permissions(path("folder"), std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(read("t.csv"), good);
}

TEST_F(CliErrors, a_full_disk_is_an_error_whatever_is_written) {
  write("t.csv", good);
  expect_error("sample sawtooth -o /dev/full", 1, {"/dev/full", "No space left"});
  expect_error("sample sawtooth > /dev/full", 1, {"standard output", "No space left"});
  expect_error(fit + "--quiet -o /dev/full", 2, {});  // -o twice
  expect_error("fit t.csv --target y --steps 10 --keep-partial --quiet -o /dev/full", 1,
               {"/dev/full", "No space left"});
  kedge(fit + "--quiet");
  expect_error("predict m t.csv -o /dev/full", 1, {"/dev/full", "No space left"});
  expect_error("predict m t.csv > /dev/full", 1, {"standard output", "No space left"});
  expect_error("--help > /dev/full", 1, {"standard output", "No space left"});
}

TEST_F(CliErrors, a_fit_outlives_a_standard_error_that_cannot_be_written) {
  write("t.csv", good);
  for (const std::string lost : {"2>/dev/full", "2>&-"}) {
    std::filesystem::remove(path("m"));
    EXPECT_EQ(kedge(fit + lost).code, 0) << lost;
    EXPECT_EQ(kedge("info m").code, 0) << lost;
    EXPECT_EQ(kedge("info nothing " + lost).code, 1) << lost;
  }
}

TEST_F(CliErrors, a_model_that_reads_anchors_is_not_fitted_without_a_rule_for_them) {
  write("t.csv", good);
  expect_error(fit + "--anchors none", 1, {"bilinear", "needs anchors"});
}

TEST_F(CliErrors, a_training_that_diverges_names_the_step_and_writes_nothing) {
  write("t.csv", "a,y\n1,1\n2,1e300\n3,-1e300\n");
  expect_error("fit t.csv --target y --preset released --steps 1000 --learning-rate 99 --quiet -o m", 1,
               {"diverged after step ", "of 1000", "--learning-rate"});
}

TEST_F(CliErrors, a_model_file_that_was_cut_is_refused_wherever_it_was_cut) {
  write("t.csv", good);
  kedge(fit + "--quiet");
  const std::string whole = read("m");
  ASSERT_GT(whole.size(), 1000u);
  for (size_t size : {size_t{0}, size_t{7}, size_t{8}, size_t{500}, whole.size() / 2, whole.size() - 1}) {
    write("cut", whole.substr(0, size));
    expect_error("predict cut t.csv", 1, {"cut"});
    expect_error("info cut", 1, {"cut"});
  }
  expect_error("predict t.csv t.csv", 1, {"t.csv"});
  expect_error("info none", 1, {"none"});
}

TEST_F(CliErrors, bad_queries_are_named_with_line_and_column) {
  write("t.csv", good);
  kedge(fit + "--quiet");
  write("q.csv", "a,c\n1,2\n");
  expect_error("predict m q.csv", 1, {"q.csv", "\"b\"", "\"a\", \"c\""});
  write("q.csv", "a,b\n1,2\n3\n");
  expect_error("predict m q.csv -o out.csv", 1, {"q.csv, line 3", "2 cells", "found 1"});
  write("q.csv", "a,b\n");
  expect_error("predict m q.csv -o out.csv", 1, {"q.csv"});
  expect_error("predict m - < q.csv", 1, {"standard input"});
  write("q.csv", "a,b\n1,2\n");
  expect_error("predict m q.csv -o none/out.csv", 1, {"none"});
  expect_error("predict m q.csv -o m", 1, {"overwritten"});
  expect_error("predict m q.csv --anchors none", 1, {"none"});
  expect_error("predict m q.csv --anchors many=0", 1, {"many=0"});
}

TEST_F(CliErrors, flags_that_a_closed_form_has_no_use_for_are_refused) {
  write("train.csv", "x,y\n1,2\n2,4\n3,5\n");
  for (const std::string flag : {"--steps 5", "--fourier on", "--replicas 7", "--embedding 3"}) {
    const Ran ran = kedge("fit train.csv --target y --model linear " + flag + " -o m");
    EXPECT_EQ(ran.code, 2) << flag;
    EXPECT_NE(ran.err.find("closed form"), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(path("m")));
  }
}

}  // namespace
}  // namespace kedge
