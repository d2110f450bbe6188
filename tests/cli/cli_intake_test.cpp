// Tables as they come: words, dates, missing cells, other formats.

#include <nlohmann/json.hpp>

#include "kedge/core/format.h"
#include "tests/cli/run_kedge.h"
#include "tests/core/gzip.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliIntake : public RunKedge {
 protected:
  /// y = 10 x, 100 more in the south; z never changes.
  static std::string houses(char separator = ',') {
    std::string text = "id,x,district,sold,z,y\n";
    for (int r = 0; r < 24; ++r) {
      const bool south = r % 3 == 0;
      text += "h" + std::to_string(r) + "," + std::to_string(r) + "," + (south ? "south" : "north") +
              ",2024-03-" + (r < 9 ? "0" : "") + std::to_string(r + 1) + ",7," +
              std::to_string(10 * r + (south ? 100 : 0)) + "\n";
    }
    std::replace(text.begin(), text.end(), ',', separator);
    return text;
  }

  void fit_houses(const std::string& flags = "") {
    write("t.csv", houses());
    const Ran ran = kedge("fit t.csv --target y --ignore id,sold --model ridge -o m " + flags);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }

  /// The one line of an error.
  std::string error_of(const std::string& arguments) {
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.err;
  }
  void expect_error(const std::string& text, const std::string& flags, const std::vector<std::string>& said) {
    write("bad.csv", text);
    const std::string err = error_of("fit bad.csv --target y --model linear --quiet -o n " + flags);
    EXPECT_EQ(lines_of(err).size(), 1u) << err;
    for (const std::string& words : said)
      EXPECT_NE(err.find(words), std::string::npos) << words << "\n" << err;
  }

  std::vector<json> answers(const std::string& arguments) {
    return json::parse(done("predict m " + arguments + " --json")).at("predictions").get<std::vector<json>>();
  }
};

TEST_F(CliIntake, a_query_too_far_out_for_arithmetic_has_no_answer_and_the_others_have_theirs) {
  write("t.csv", "x,y\n1,1\n2,3\n3,9\n4,27\n");
  done("fit t.csv --target y --space y=log --model linear --quiet -o m");
  EXPECT_NE(done("info m").find("y=log"), std::string::npos);
  write("q.csv", "x\n5\n9000\n");
  const std::vector<json> rows = answers("q.csv");
  EXPECT_NEAR(rows[0].at("y"), 81, 0.1);
  EXPECT_TRUE(rows[1].at("y").is_null());
  EXPECT_EQ(rows[1].at("note"), "it lies too far out for arithmetic");
}

TEST_F(CliIntake, diagnose_counts_queries_without_an_answer_and_measures_the_outputs_that_are_there) {
  fit_houses("--quiet");
  write("q.csv", "x,district,y\n1,north,10\n2,west,20\n3,north,\n4,south,140\n");
  const Ran ran = kedge("diagnose m q.csv --quiet");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_NE(ran.out.find("3 of 4 queries"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("1 has no"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("of the 2 whose"), std::string::npos) << ran.out;
  const json counted = json::parse(done("diagnose m q.csv --json --quiet"));
  EXPECT_EQ(counted.at("rows"), 4);
  EXPECT_EQ(counted.at("unanswered"), 1);
  EXPECT_EQ(counted.at("verdicts")[4].at("queries"), 1);
}

TEST_F(CliIntake, a_target_on_a_log_scale_carries_a_power_law_over) {
  std::string text = "x,z,y\n";
  for (int r = 1; r <= 30; ++r) text += fmt::format("{},7,{}\n", r, 2.0 * r * r * r);
  write("t.csv", text);
  done("fit t.csv --target y --space x=log,y=log --model linear --quiet -o m");
  write("q.csv", "x\n100\n");
  EXPECT_NEAR(answers("q.csv")[0].at("y"), 2e6, 100);
  EXPECT_NEAR(answers("q.csv")[0].at("expected_error"), 0, 1000);
  EXPECT_NE(done("cv t.csv --target y --space x=log --models linear --quiet").find("--space y=log"),
            std::string::npos);
}

TEST_F(CliIntake, words_and_constants_are_taken_in_told_of_and_kept_in_the_model) {
  write("t.csv", houses());
  const Ran ran = kedge("fit t.csv --target y --ignore id,sold --model ridge -o m");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("district (2 words)"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("never changes: z"), std::string::npos) << ran.err;
  EXPECT_EQ(lines_of(ran.err).size(), 3u) << ran.err;  // and a hint: x goes up by one
  EXPECT_EQ(kedge("fit t.csv --target y --ignore id,sold --model ridge --quiet -o m").err, "");
  const json info = json::parse(done("info m --json"));
  EXPECT_EQ(info.at("inputs"), json({"x", "district=north", "district=south"}));
  EXPECT_EQ(info.at("intake").at("constants"), json({"z"}));
  EXPECT_EQ(info.at("options").at("same_unit"), "district\\=north+district\\=south");
  EXPECT_NE(done("info m").find("district (2 words)"), std::string::npos);
  write("q.csv", "district,x\nsouth,5\nnorth,5\n");
  const auto rows = answers("q.csv");
  EXPECT_NEAR(rows[0].at("y").get<double>(), 150, 1);
  EXPECT_NEAR(rows[1].at("y").get<double>(), 50, 1);
}

TEST_F(CliIntake, bad_queries_are_undetermined_and_the_others_are_answered) {
  fit_houses();
  write("q.csv", "district,x\nsouth,5\nmars,5\nnorth,\nnorth,oak\nnorth,inf\nnorth,5\n");
  const Ran ran = kedge("predict m q.csv");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("4 of 6 queries have no answer"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("q.csv, line 3: district is 'mars'"), std::string::npos) << ran.err;
  EXPECT_EQ(lines_of(ran.err).size(), 1u);
  EXPECT_EQ(kedge("predict m q.csv --quiet").err, "");
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_TRUE(lines[0].ends_with(",note"));
  EXPECT_TRUE(lines[2].starts_with(",undetermined,")) << lines[2];
  const auto rows = answers("q.csv");
  EXPECT_TRUE(rows[0].at("note").is_null());
  EXPECT_EQ(rows[2].at("note"), "x is missing");
  EXPECT_EQ(rows[3].at("note"), "x is 'oak': no number");
  EXPECT_EQ(rows[4].at("note"), "x is inf: no finite number");
  EXPECT_TRUE(rows[4].at("y").is_null());
  write("good.csv", "district,x\nsouth,5\nnorth,5\n");
  EXPECT_EQ(answers("good.csv")[1], rows[5]);
  EXPECT_NE(error_of("predict m q.csv --on-unreachable error").find("q.csv, line 3"), std::string::npos);
}

TEST_F(CliIntake, dates_count_days_and_cycles_are_offered) {
  write("t.csv", houses());
  const Ran ran = kedge("fit t.csv --target y --ignore id,z --model ridge -o m");
  EXPECT_NE(ran.err.find("--cycles sold=week+year"), std::string::npos) << ran.err;
  EXPECT_EQ(done("predict m t.csv").find("undetermined,,,,"), std::string::npos);
  const Ran cycles = kedge("fit t.csv --target y --ignore id,z --cycles sold=week --model ridge -o m");
  EXPECT_EQ(cycles.err.find("--cycles"), std::string::npos) << cycles.err;
  const json info = json::parse(done("info m --json"));
  EXPECT_EQ(info.at("space"), "sold.week=angle");
  EXPECT_EQ(info.at("inputs"), json({"x", "district=north", "district=south", "sold", "sold.week"}));
  write("q.csv", "x,district,sold\n3,north,2024-03-04 12:00\n3,north,04/03/2024\n");
  const auto rows = answers("q.csv");
  EXPECT_TRUE(rows[0].at("note").is_null());
  EXPECT_NE(rows[1].at("note").get<std::string>().find("no date"), std::string::npos);
}

TEST_F(CliIntake, missing_cells_are_refused_dropped_or_imputed) {
  std::string text = houses();
  text.replace(text.find("h4,4,"), 5, "h4,NA,");
  write("t.csv", text);
  const std::string fit = "fit t.csv --target y --ignore id,sold,z --model ridge -o m ";
  const std::string err = error_of(fit);
  for (const std::string words :
       {"t.csv, line 6", "1 missing in 1 of 24 rows", "\"x\"", "--missing impute", "--missing drop"})
    EXPECT_NE(err.find(words), std::string::npos) << err;
  EXPECT_NE(kedge(fit + "--missing drop").err.find("dropped 1 of 24 rows"), std::string::npos);
  EXPECT_EQ(json::parse(done("info m --json")).at("rows"), 23);
  write("pairs.csv", "query,anchor,weight\n0,1,1\n");
  EXPECT_NE(error_of("fit t.csv --target y --inputs x --missing drop --weights pairs.csv -o n")
                .find("--weights counts"),
            std::string::npos);
  EXPECT_EQ(kedge(fit + "--missing impute").code, 0);
  write("q.csv", "x,district\n,south\n3,\n");
  const auto rows = answers("q.csv");
  EXPECT_TRUE(rows[0].at("note").is_null());
  EXPECT_EQ(rows[1].at("note"), "district is missing");
}

TEST_F(CliIntake, other_separators_decimal_commas_and_gzip_give_the_same_answers) {
  std::string points = "a,b,y\n", commas = "a;b;y\n", tabs = "a\tb\ty\n";
  for (int r = 0; r < 12; ++r) {
    const std::string a = std::to_string(r), b = std::to_string(r * r % 7);
    points += a + ".5," + b + "," + a + b + ".25\n";
    commas += a + ",5;" + b + ";" + a + b + ",25\n";
    tabs += a + ".5\t" + b + "\t" + a + b + ".25\n";
  }
  write("points.csv", points);
  write("commas.csv", commas);
  write("tabs.csv", tabs);
  write("points.csv.gz", gzipped(points));
  done("fit points.csv --target y --model ridge --quiet -o m");
  const std::string expected = done("predict m points.csv");
  for (const std::string file : {"commas.csv", "tabs.csv", "points.csv.gz"}) {
    EXPECT_EQ(done("predict m " + file + " --quiet"), expected) << file;
    EXPECT_EQ(done("predict m - --quiet < " + file), expected) << file;
    done("fit " + file + " --target y --model ridge --quiet -o n");
    EXPECT_EQ(done("predict n points.csv --quiet"), expected) << file;
  }
  const Ran ran = kedge("fit commas.csv --target y --model ridge -o n");
  EXPECT_EQ(lines_of(ran.err),
            (std::vector<std::string>{"kedge: commas.csv: columns are separated by semicolons",
                                      "kedge: commas.csv: numbers have a decimal comma"}));
  EXPECT_EQ(json::parse(done("info n --json")).at("intake").at("decimal"), "comma");
  EXPECT_EQ(kedge("predict n commas.csv").err, "");
  EXPECT_EQ(lines_of(kedge("predict n points.csv").err).size(), 2u);
}

TEST_F(CliIntake, a_file_without_a_header_has_numbered_columns_and_matches_by_place) {
  write("t.csv", "1,2,3\n2,1,5\n3,5,1\n4,4,2\n");
  const Ran ran = kedge("fit t.csv --target x2 --model ridge -o m");
  EXPECT_NE(ran.err.find("no header: columns are x0, x1"), std::string::npos) << ran.err;
  write("named.csv", "x0,x1\n1,2\n3,5\n");
  write("bare.csv", "1,2\n3,5\n");
  EXPECT_EQ(done("predict m bare.csv"), done("predict m named.csv"));
  done("fit t.csv --target 3 --header yes --model ridge --quiet -o m");
  EXPECT_EQ(json::parse(done("info m --json")).at("inputs"), json({"1", "2"}));
}

TEST_F(CliIntake, columns_of_the_file_stand_in_front_of_the_answers_as_they_were_written) {
  fit_houses();
  write("q.csv", "id,x,district,y\n007,5.0,south,1\n\"a,b\",6,north,2\n=x,7,mars,3\n");
  const std::vector<std::string> lines = lines_of(done("predict m q.csv --keep id,y --quiet"));
  EXPECT_TRUE(lines[0].starts_with("id,y,kedge_y,verdict,")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("007,1,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("\"a,b\",2,")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("'=x,3,,undetermined,")) << lines[3];
  const std::vector<std::string> inputs =
      lines_of(done("predict m - --with-inputs --keep id --quiet < q.csv"));
  EXPECT_TRUE(inputs[0].starts_with("id,x,district,y,verdict,")) << inputs[0];
  EXPECT_TRUE(inputs[1].starts_with("007,5.0,south,")) << inputs[1];
  const std::string err = error_of("predict m q.csv --keep id,name");
  EXPECT_NE(err.find("--keep needs columns of q.csv; found \"name\""), std::string::npos) << err;
}

TEST_F(CliIntake, a_long_file_is_answered_in_blocks_as_a_short_one_is) {
  fit_houses();
  const std::string row = "south,5,\"two\nlines\"\nnorth,6," + std::string(900, 'b') + "\nmars,6,b\n";
  std::string queries = "district,x,more\n";
  while (queries.size() < 2'500'000) queries += row;
  write("q.csv", queries);
  write("few.csv", "district,x,more\n" + row);
  const std::vector<std::string> few = lines_of(done("predict m few.csv --quiet"));
  const std::vector<std::string> many = lines_of(done("predict m q.csv --quiet"));
  const size_t rows = 3 * (queries.size() / row.size());
  ASSERT_EQ(many.size(), rows + 1);
  for (size_t r = 0; r < rows; ++r) ASSERT_EQ(many[1 + r], few[1 + r % 3]) << r;
  done("predict m q.csv --quiet -o a.csv");
  EXPECT_EQ(lines_of(read("a.csv")), many);
  // One bad line near the end, and the file is left as it was.
  write("bad.csv", queries + "south\n");
  const std::string err = error_of("predict m bad.csv --quiet -o a.csv");
  EXPECT_NE(err.find("needed 3 cells"), std::string::npos) << err;
  EXPECT_EQ(lines_of(read("a.csv")).size(), many.size());
  EXPECT_EQ(names(), (std::vector<std::string>{"a.csv", "bad.csv", "few.csv", "m", "q.csv", "t.csv"}));
}

TEST_F(CliIntake, diagnose_reads_standard_input_like_a_file) {
  fit_houses();
  const std::string file = done("diagnose m t.csv --json");
  std::string piped = done("diagnose m - --json < t.csv");
  EXPECT_NE(file.find("\"true_error\":"), std::string::npos);
  piped.replace(piped.find("\"queries\":\"-\""), 13, "\"queries\":\"t.csv\"");
  EXPECT_EQ(piped, file);
  EXPECT_EQ(file.find("\"true_error\":null,\"spread\":0"), std::string::npos) << file;
  write("q.csv", "x,district\n3,mars\n3,north\n");
  const Ran ran = kedge("diagnose m q.csv -o a.csv");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("true errors are left out: q.csv has no column \"y\""), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("1 of 2 queries have no answer"), std::string::npos) << ran.err;
  EXPECT_EQ(read("a.csv"), done("predict m q.csv --quiet"));
}

TEST_F(CliIntake, a_wrong_file_is_one_line_that_says_what_to_do) {
  expect_error("a,y\n1,5,2,5\n2,5,3,5\n", "", {"line 2", "needed 2 cells", "found 4", "commas"});
  expect_error("a;b;y\n1;2;3\n4,5,6\n", "", {"line 3", "needed 3 cells", "found 1"});
  expect_error("a;b;y\n1,234;2;3\n4;5;6\n", "", {"\"1,234\"", "--decimal"});
  expect_error("a,b,y\n1,2,3\n4,oak,6\n7,8,9\n", "",
               {"line 3", "\"b\"", "\"oak\"", "--ignore, --categories"});
  expect_error("a,b,y\n1,2,3\n4,5,6\n", "--header no --inputs x0", {"\"y\"", "\"x0\", \"x1\", \"x2\""});
  expect_error("n,y\nann,1\nbob,2\ncid,3\n", "",
               {"\"n\"", "3 different words in 3 rows", "--ignore, --categories"});
  expect_error("a,y\n1,low\n2,high\n3,low\n", "", {"\"y\"", "needed numbers to predict", "\"low\""});
  expect_error("d,y\n2024-01-01,1\n2024-02-30,2\n", "", {"line 3", "\"d\"", "\"2024-02-30\""});
  expect_error("d,y\n01/02/2024,1\n03/04/2024,2\n", "", {"\"01/02/2024\"", "2024-03-01"});
  expect_error("a,y\n1,2\n3,4\n", "--categories z", {"\"z\"", "\"a\", \"y\""});
  expect_error("a,y\n1,2\n3,4\n", "--cycles z=24", {"\"z\"", "--cycles"});
  expect_error("a,y\n1,2\n1,4\n", "", {"needed an input that changes", "\"a\""});
  expect_error("a,b,y\n1,,2\n3,,4\n", "--missing impute", {"\"b\"", "all 2 cells missing", "--ignore"});
  expect_error("a,y\n1,2\n3,\n", "--missing impute", {"line 3", "\"y\"", "--missing drop"});
  expect_error("a,a.missing,y\n1,2,2\n,3,4\n4,4,4\n", "--missing impute", {"\"a.missing\" twice"});
  expect_error(gzipped("a,y\n1,2\n3,4\n").substr(0, 30), "", {"bad.csv", "cut off"});
  expect_error("\x1f\x8b no gzip at all", "", {"bad.csv", "damaged bytes"});
}

TEST_F(CliIntake, constants_of_a_space_or_a_set_are_left_out_of_them_too) {
  write("t.csv", "k,a,b,s,y\n2,1,2,1,3\n2,2,3,2,3\n2,3,5,4,3\n2,5,6,8,9\n");
  done("fit t.csv --target y --space s=log --same-unit a+b+k --model ridge --quiet -o m");
  const json info = json::parse(done("info m --json"));
  EXPECT_EQ(info.at("inputs"), json({"a", "b", "s"}));
  EXPECT_EQ(info.at("space"), "s=log");
  EXPECT_EQ(info.at("options").at("same_unit"), "a+b");
  done("fit t.csv --target y --space k=log,s=log --model ridge --quiet -o m");
  EXPECT_EQ(json::parse(done("info m --json")).at("space"), "s=log");
}

TEST_F(CliIntake, cv_names_the_flags_that_read_the_table) {
  write("t.csv", houses(';'));
  const std::string text =
      done("cv t.csv --target y --ignore id,sold --models linear,ridge --missing drop --quiet");
  EXPECT_NE(text.find("--missing drop"), std::string::npos) << text;
}

}  // namespace
}  // namespace kedge
