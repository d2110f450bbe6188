// What kedge says of queries and of experiments: diagnose, reproduce, report.

#include <nlohmann/json.hpp>

#include "kedge/report/text.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliCoverage : public RunKedge {
 protected:
  void fit() {
    done("sample sawtooth -n 100 --seed 3 -o train.csv");
    done("sample sawtooth -n 40 --split oos -o queries.csv");
    done("fit train.csv --target y --steps 60 --keep-partial --quiet -o model.kedge");
  }
};

TEST_F(CliCoverage, diagnose_counts_draws_and_writes_the_answers) {
  fit();
  const std::string text =
      done("diagnose model.kedge queries.csv --html page.html -o answers.csv", "COLUMNS=200");
  for (const std::string word : {"reachable", "true error", "40 of 40"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(read("answers.csv"), done("predict model.kedge queries.csv"));
  const std::string page = read("page.html");
  for (const std::string word : {"<svg", "Where the queries lie", "Differences", "Errors"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  const json diagnosis = json::parse(done("diagnose model.kedge queries.csv --json"));
  EXPECT_EQ(diagnosis.at("rows"), 40);
  EXPECT_EQ(diagnosis.at("columns")[0].at("outside"), 40);
}

TEST_F(CliCoverage, diagnose_concludes_in_the_same_words_on_a_terminal_of_80_columns_and_on_its_page) {
  fit();
  const std::string text = done("diagnose model.kedge queries.csv --html page.html");
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_NE(lines_of(text).at(0).find("40 queries can be"), std::string::npos) << text;
  EXPECT_NE(text.find("What to do next:\n- "), std::string::npos) << text;
  std::string page = read("page.html");
  EXPECT_LT(page.find("<p class=\"conclusion\">"), page.find("<table>"));
  page = page.substr(page.find("<h2>What to do next</h2>"));
  EXPECT_NE(page.find("<code>kedge predict model.kedge queries.csv"), std::string::npos) << page;
  EXPECT_NE(text.find("'kedge predict"), std::string::npos) << text;
}

TEST_F(CliCoverage, diagnose_refuses_what_predict_refuses_and_writes_nothing) {
  fit();
  write("bad.csv", "z\n1\n");
  for (const std::string arguments : {"model.kedge bad.csv", "model.kedge missing.csv",
                                      "queries.csv queries.csv", "model.kedge queries.csv --anchors few"}) {
    const Ran ran = kedge("diagnose " + arguments + " --html page.html");
    EXPECT_NE(ran.code, 0) << arguments;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(CliCoverage, fit_leaves_a_page_of_its_rehearsals_and_of_its_own_rows_without_them) {
  done("sample sawtooth -n 60 --seed 3 -o train.csv");
  const std::string fit = "fit train.csv --target y --steps 60 --keep-partial --quiet -o model.kedge --html ";
  done(fit + "page.html");
  const std::string page = read("page.html");
  for (const std::string word : {"held out inside", "the outermost 20 %", "at the low end", "reach at most",
                                 "What to do next", "kedge diagnose model.kedge"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  done(fit + "own.html --calibration none");
  EXPECT_NE(read("own.html").find("On its own training rows"), std::string::npos);
  EXPECT_EQ(read("own.html").find("held out inside"), std::string::npos);
  for (const std::string file : {"model.kedge", "-", "train.csv"}) {
    const Ran ran = kedge(fit + file);
    EXPECT_NE(ran.code, 0) << file;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
}

TEST_F(CliCoverage, reproduce_makes_a_result_and_report_a_page_of_it) {
  EXPECT_NE(done("reproduce --list").find("table-scaled"), std::string::npos);
  done("reproduce fig-pca --quick -o results --jobs jobs --quiet");
  const json result = json::parse(read("results/fig-pca.json"));
  EXPECT_EQ(result.at("id"), "fig-pca");
  EXPECT_EQ(result.at("charts").size(), 16u);
  done("report results -o report.html --figures figures");
  EXPECT_NE(read("report.html").find("fig-pca"), std::string::npos);
  EXPECT_NE(read("figures/fig-pca-1.svg").find("<svg"), std::string::npos);
  EXPECT_NE(read("figures/fig-pca-1.csv").find("series,x,y"), std::string::npos);
}

TEST_F(CliCoverage, reproduce_and_report_say_what_they_need_in_one_line) {
  for (const std::string arguments :
       {"reproduce", "reproduce table-0", "reproduce table-scaled --widths 0", "report nowhere", "report .",
        "reproduce table-scaled --widths 32 --quick"}) {
    const Ran ran = kedge(arguments);
    EXPECT_NE(ran.code, 0) << arguments;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
  }
  std::filesystem::create_directory(path("results"));
  write("results/fig-pca.json", "{}");
  const Ran damaged = kedge("report results -o report.html");
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("fig-pca.json"), std::string::npos) << damaged.err;
  EXPECT_FALSE(std::filesystem::exists(path("report.html")));
}

}  // namespace
}  // namespace kedge
