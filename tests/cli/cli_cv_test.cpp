// kedge cv, and kedge fit --model auto.

#include <nlohmann/json.hpp>

#include "kedge/core/format.h"
#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

const std::string quick = " --steps 40 ";

class CliCv : public RunKedge {
 protected:
  /// y = 2 a - b, in a file with a column that is no input.
  void write_plane() const {
    std::string text = "a,b,note,y\n";
    for (int r = 0; r < 40; ++r) {
      const int b = r * 7 % 40;
      text += std::to_string(r) + "," + std::to_string(b) + ",oak," + std::to_string(2 * r - b) + "\n";
    }
    write("t.csv", text);
  }

  void expect_error(const std::string& arguments, int code, const std::vector<std::string>& said) {
    const std::vector<std::string> before = names();
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, code) << arguments;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    for (const std::string& words : said) EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
    EXPECT_EQ(names(), before);
  }
};

const std::string cv = "cv t.csv --target y --ignore note" + quick;

TEST_F(CliCv, prints_every_model_the_best_first_and_the_command_that_acts_on_it) {
  write_plane();
  const std::vector<std::string> lines = lines_of(done(cv + "--quiet"));
  ASSERT_GT(lines.size(), 12u);
  EXPECT_NE(lines[0].find("out of support"), std::string::npos);
  EXPECT_TRUE(lines[2].starts_with("linear") || lines[2].starts_with("ridge") ||
              lines[2].starts_with("quadratic") || lines[2].starts_with("bilinear-ridge"))
      << lines[2];
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  for (const char* model :
       {"bilinear", "concat", "mlp", "linear", "ridge", "quadratic", "bilinear-ridge", "nearest", "extreme"})
    EXPECT_NE(all.find("\n" + std::string(model)), std::string::npos) << model;
  EXPECT_EQ(all.find("deepsets"), std::string::npos);
  EXPECT_NE(all.find("linear carries over beyond the data"), std::string::npos) << all;
  ASSERT_EQ(lines.back(), "kedge fit t.csv --target y --ignore note --model linear -o model.kedge");
  done(lines.back().substr(6) + " --quiet");
  EXPECT_EQ(Predictor::load(path("model.kedge")).options().model, "linear");
}

TEST_F(CliCv, the_command_it_prints_is_quoted_for_the_shell) {
  std::string text = "it's a,y z\n";
  for (int r = 0; r < 30; ++r) text += std::to_string(r) + "," + std::to_string(3 * r) + "\n";
  write("my table.csv", text);
  const std::string out =
      done("cv 'my table.csv' --target 'y z' --inputs 'it'\\''s a' --models linear --quiet");
  const std::string command = out.substr(out.rfind("kedge fit"));
  EXPECT_EQ(command,
            "kedge fit 'my table.csv' --target 'y z' \\\n"
            "    --inputs 'it'\\''s a' --model linear -o model.kedge\n");
  done(command.substr(6, command.size() - 7) + " --quiet");
}

TEST_F(CliCv, json_and_csv_hold_the_numbers_of_the_table) {
  write_plane();
  const json found = json::parse(done(cv + "--json --quiet --models mlp,linear,extreme -o scores.csv"));
  EXPECT_EQ(found.at("rows"), 40);
  EXPECT_EQ(found.at("inputs"), json({"a", "b"}));
  ASSERT_EQ(found.at("models").size(), 3u);
  const json& linear = found.at("models").at(1);
  EXPECT_EQ(linear.at("model"), "linear");
  EXPECT_EQ(linear.at("out_of_support").at("by_shell").size(), 3u);
  EXPECT_EQ(linear.at("beyond_outputs").at("by_shell").size(), 2u);
  EXPECT_EQ(linear.at("in_support").at("by_shell").size(), 5u);
  EXPECT_TRUE(linear.at("failure").is_null());
  EXPECT_TRUE(linear.at("fourier").is_null());
  const json& by_shell = found.at("models").at(0).at("fourier").at("by_shell");
  ASSERT_EQ(by_shell.size(), 5u);
  for (const json& chosen : by_shell) EXPECT_TRUE(chosen == "on" || chosen == "off") << chosen;
  EXPECT_TRUE(found.at("models").at(2).at("rank_correlation").at("mean").is_null());
  const json& recommendation = found.at("recommendation");
  EXPECT_EQ(recommendation.at("model"), "linear");
  EXPECT_EQ(recommendation.at("kind"), "carries-over");
  EXPECT_EQ(recommendation.at("extrapolates"), true);

  const std::vector<std::string> rows = lines_of(read("scores.csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(
      rows[0],
      "model,in_support,in_support_sd,out_of_support,out_of_support_sd,rank_correlation,"
      "rank_correlation_sd,beyond_outputs,beyond_outputs_sd,beyond_rank_correlation,beyond_found,carries,"
      "failure");
  EXPECT_TRUE(rows[1].starts_with("linear," + shortest(linear.at("in_support").at("mean").get<double>())))
      << rows[1];
  EXPECT_EQ(done(cv + "--quiet --models mlp,linear,extreme -o -"), read("scores.csv"));
}

TEST_F(CliCv, offers_a_variant_that_helps_and_puts_it_into_the_command) {
  std::string text = "dose,y\n";
  for (int r = 0; r < 60; ++r) text += fmt::format("{:.6g},{}\n", std::pow(10, r / 15.0 - 2), 3 * r);
  write("d.csv", text);
  const std::string out = done("cv d.csv --target y --models linear --quiet");
  EXPECT_NE(out.find("With --space dose=log linear errs by"), std::string::npos) << out;
  EXPECT_EQ(lines_of(out).back(),
            "kedge fit d.csv --target y --space dose=log --model linear -o model.kedge");
  const json found = json::parse(done("cv d.csv --target y --models linear --quiet --json"));
  ASSERT_EQ(found.at("variants").size(), 1u);
  EXPECT_EQ(found.at("variants")[0].at("add"), "--space dose=log");
  EXPECT_EQ(found.at("variants")[0].at("helps"), true);
  EXPECT_LT(found.at("variants")[0].at("out_of_support").at("mean"),
            found.at("models")[0].at("out_of_support").at("mean"));
}

TEST_F(CliCv, says_of_noise_that_no_model_explains_it) {
  std::string text = "x,y\n";
  for (int r = 0; r < 60; ++r) text += fmt::format("{},{}\n", r * 37 % 60, r * r * 7919 % 61);
  write("noise.csv", text);
  const json found = json::parse(done("cv noise.csv --target y --models linear,nearest --quiet --json"));
  EXPECT_EQ(found.at("recommendation").at("kind"), "explains-little");
  EXPECT_EQ(found.at("recommendation").at("extrapolates"), false);
}

TEST_F(CliCv, hints_at_columns_on_standard_error_unless_it_is_to_be_quiet) {
  write_plane();
  const Ran ran = kedge(cv + "--models linear");
  EXPECT_NE(ran.err.find("hint: column \"a\""), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("--ignore a"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, kedge(cv + "--models linear --quiet").out);
  EXPECT_EQ(kedge(cv + "--models linear --quiet").err, "");
}

TEST_F(CliCv, the_same_seed_gives_the_same_text_for_any_number_of_threads) {
  write_plane();
  const std::string one = done(cv + "--quiet --seed 4 --threads 1");
  EXPECT_EQ(done(cv + "--quiet --seed 4 --threads 2"), one);
  EXPECT_NE(done(cv + "--quiet --seed 5"), one);
}

TEST_F(CliCv, what_cannot_be_compared_is_one_line) {
  write_plane();
  expect_error(cv + "--models linear,linaer", 1, {"\"linaer\"", "did you mean \"linear\"?"});
  expect_error(cv + "--models linear,auto", 1, {"\"auto\""});
  expect_error(cv + "--models linear,,mlp", 1, {"--models"});
  expect_error(cv + "--models linear,linear", 1, {"--models", "\"linear\" twice"});
  expect_error(cv + "--models deepsets --quiet -o s.csv", 1, {"deepsets", "context"});
  expect_error(cv + "--effort 0", 1, {"--effort"});
  expect_error(cv + "--effort 1.5", 1, {"--effort"});
  expect_error(cv + "-o none/s.csv", 1, {"none"});
  expect_error(cv + "-o t.csv", 1, {"overwritten"});
  expect_error(cv + "-o - --json", 1, {"--json"});
  expect_error("cv t.csv --ignore note --target z", 1, {"t.csv", "\"z\""});
  expect_error("cv t.csv", 2, {"--target", "kedge cv --help"});
  expect_error("cv --target y", 2, {"TRAIN"});
  write("t.csv", "a,y\n1,2\n2,3\n3,4\n");
  expect_error("cv t.csv --target y -o s.csv", 1, {"t.csv", "at least 20 rows", "found 3"});
  expect_error("fit t.csv --target y --model auto -o m", 1, {"t.csv", "at least 20 rows"});
}

TEST_F(CliCv, an_interrupted_comparison_leaves_nothing) {
  done("sample sawtooth -n 100 -o train.csv");
  const Ran ran = interrupted(
      {"cv", path("train.csv"), "--target", "y", "--steps", "20000", "-o", path("s.csv")}, "cv: ");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(lines_of(ran.err).back().find("stopped"), std::string::npos) << ran.err;
  EXPECT_EQ(names(), std::vector<std::string>{"train.csv"});
}

TEST_F(CliCv, fit_auto_takes_what_cv_recommends_and_stores_its_name) {
  write_plane();
  const std::string fit = "fit t.csv --target y --ignore note" + quick;
  const std::string text = done(fit + "--model auto -o a.kedge");
  EXPECT_NE(text.find("linear carries over beyond the data"), std::string::npos) << text;
  EXPECT_NE(text.find("fitting linear\n"), std::string::npos) << text;
  done("fit t.csv --target y --ignore note --model linear --quiet -o b.kedge");
  EXPECT_EQ(Predictor::load(path("a.kedge")).options().model, "linear");
  const json info = json::parse(done("info a.kedge --json"));
  EXPECT_EQ(info.at("options").at("model"), "linear");
  EXPECT_EQ(done("fit t.csv --target y --ignore note --model auto --quiet -o c.kedge" + quick), "");

  const Ran ran = kedge(fit + "--model auto --json -o a.kedge");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("linear carries over"), std::string::npos) << ran.err;
  const json summary = json::parse(ran.out);
  EXPECT_EQ(summary.at("model"), "linear");
  EXPECT_EQ(summary.at("chosen").at("model"), "linear");
  EXPECT_EQ(summary.at("chosen").at("extrapolates"), true);
  EXPECT_EQ(summary.at("chosen").at("scores").size(), 11u);
}

TEST_F(CliCv, fit_auto_says_so_when_nothing_carries_over_and_writes_the_best_model) {
  done("sample polynomial -n 60 -o train.csv");
  const std::string text =
      done("fit train.csv --target y --model auto --fourier off --steps 20 --keep-partial -o m.kedge");
  EXPECT_NE(text.find("no model carries over beyond the data"), std::string::npos) << text;
  EXPECT_NO_THROW(Predictor::load(path("m.kedge")));
}

}  // namespace
}  // namespace kedge
