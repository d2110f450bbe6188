// Weights of pairs and of rows on the command line.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kedge/predictor/predictor.h"
#include "kedge/table/csv.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliWeights : public RunKedge {
 protected:
  // Two kinds of rows; a pair of rows is good where their kinds are the same.
  CliWeights() {
    std::string train = "x,kind,y\n", pairs = "query,anchor,weight\n";
    for (int r = 0; r < 30; ++r) train += fmt::format("{},{},{}\n", 0.1 * r, r % 2, r % 2 == 0 ? r : -r);
    for (int r = 0; r < 28; ++r) pairs += fmt::format("{},{},1\n{},{},0\n", r, r + 2, r, r + 1);
    write("t.csv", train);
    write("p.csv", pairs);
  }
  const std::string fit =
      "fit t.csv --target y --steps 60 --keep-partial --calibration none --fourier off --quiet ";

  void expect_error(const std::string& arguments, const std::vector<std::string>& said) {
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    for (const std::string& words : said) EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  }
};

TEST_F(CliWeights, a_table_of_pairs_gives_a_model_that_chooses_anchors_by_weight) {
  done(fit + "--weights p.csv -o m.kedge");
  const json info = json::parse(done("info m.kedge --json"));
  EXPECT_EQ(info.at("options").at("weights").at("source"), "labels");
  EXPECT_EQ(info.at("options").at("anchors"), "weight=20");
  EXPECT_NE(done("info m.kedge").find("weights         of pairs, learned from example pairs"),
            std::string::npos);
  for (const char* rule : {"weight", "weight=3", "weight=greatest", "weight=sample", "nearest"})
    EXPECT_EQ(lines_of(done(std::string("predict m.kedge t.csv --anchors ") + rule)).size(), 31u);
  done(fit + "--weights p.csv --preset released --anchors weight=sample -o m.kedge");
  EXPECT_EQ(json::parse(done("info m.kedge --json")).at("options").at("anchors"), "weight=sample");
}

TEST_F(CliWeights, weights_are_learned_from_errors_with_and_without_example_pairs) {
  for (const char* weights : {"joint", "joint=p.csv"}) {
    done(fit + "--weights " + weights + " -o m.kedge");
    EXPECT_NE(done("info m.kedge").find("learned from the model's own errors"), std::string::npos);
    EXPECT_EQ(lines_of(done("predict m.kedge t.csv")).size(), 31u);
  }
}

TEST_F(CliWeights, pairs_of_a_sampled_table_are_read_by_a_fit) {
  done("sample grasp -n 60 -o g.csv --pairs gp.csv");
  EXPECT_EQ(lines_of(read("gp.csv")).size(), 601u);
  done(
      "fit g.csv --target gx,gy,gz --ignore object --same-unit cx+cy+cz,gx+gy+gz --steps 20 --keep-partial "
      "--calibration none --weights gp.csv --quiet -o g.kedge");
  EXPECT_NE(done("info g.kedge").find("together: cx+cy+cz,gx+gy+gz"), std::string::npos);
}

TEST_F(CliWeights, a_bad_table_of_pairs_is_one_line) {
  const std::string bad = fit + "--weights b.csv -o m.kedge";
  expect_error(bad, {"b.csv", "No such file"});
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"query,anchor,weight\n0,30,1\n", {"b.csv, line 2", "0 to 29", "found 30"}},
      {"query,anchor,weight\n0,3,2\n", {"b.csv, line 2", "weight", "found 2"}},
      {"query,anchor,weight\n0,3,-1\n", {"b.csv, line 2", "weight", "found -1"}},
      {"query,anchor,weight\n0,3,0\n", {"b.csv", "weight 1", "all of weight 0"}},
      {"query,anchor\n0,3\n", {"b.csv", "weight is missing"}},
      {"query,anchor,weight\n0,yes,1\n", {"b.csv, line 2", "\"yes\""}},
      {"query,anchor,weight\n", {"b.csv", "rows"}},
  };
  for (const auto& [text, said] : cases) {
    write("b.csv", text);
    expect_error(bad, said);
  }
  expect_error(fit + "--weights p.csv --model mlp -o m.kedge", {"mlp", "anchor"});
  expect_error(fit + "--anchors weight -o m.kedge", {"weight", "--weights"});
  expect_error("fit - --target y --weights - -o m.kedge < t.csv", {"standard input"});
  expect_error(fit + "--weights p.csv -o p.csv", {"p.csv", "overwritten"});
  done(fit + "-o plain.kedge");
  expect_error("predict plain.kedge t.csv --anchors weight", {"weight", "fit a model with weights"});
}

class CliRowWeights : public RunKedge {
 protected:
  // Rows of weight 0 have an empty cell, which a fit would refuse.
  CliRowWeights() {
    std::string all = "x,kind,w,y\n", counted = "x,kind,w,y\n";
    for (int r = 0; r < 30; ++r) {
      const std::string line = fmt::format("{},{},{},{}\n", r, r % 3, 1 + r % 2, r + r % 5);
      all += line;
      counted += line;
      if (r % 6 == 0) all += fmt::format("{},,0,1e9\n", 1000 + r);
    }
    write("all.csv", all);
    write("counted.csv", counted);
  }

  std::string error_of(const std::string& arguments) {
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    return ran.err;
  }
};

TEST_F(CliRowWeights, rows_of_weight_zero_are_left_out_and_that_is_told) {
  for (const char* model : {"linear", "bilinear --steps 30 --fourier off --keep-partial"}) {
    const std::string fit = fmt::format("fit %.csv --target y --row-weights w --model {} -o ", model);
    const auto of = [&](const std::string& table) { return std::string(fit).replace(4, 1, table); };
    const Ran ran = kedge(of("all") + "a.kedge");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("kedge: left out 5 of 35 rows, which have the weight 0\n"), std::string::npos)
        << ran.err;
    EXPECT_EQ(kedge(of("counted") + "b.kedge").err.find("left out"), std::string::npos);
    EXPECT_EQ(read("a.kedge"), read("b.kedge"));
    EXPECT_EQ(json::parse(done("info a.kedge --json")).at("inputs"), json::parse(R"(["x", "kind"])"));
    done("fit counted.csv --target y --ignore w --model " + std::string(model) + " --quiet -o c.kedge");
    EXPECT_NE(read("a.kedge"), read("c.kedge"));
  }
}

TEST_F(CliRowWeights, queries_need_no_weights) {
  done("fit counted.csv --target y --row-weights w --model linear --quiet -o m.kedge");
  write("q.csv", "x,kind\n40,1\n");
  EXPECT_EQ(lines_of(done("predict m.kedge q.csv")).size(), 2u);
}

TEST_F(CliRowWeights, cross_validation_takes_them_and_its_command_repeats_them) {
  const std::string cv = ".csv --target y --row-weights w --models linear,nearest --quiet --json";
  const json all = json::parse(done("cv all" + cv)), counted = json::parse(done("cv counted" + cv));
  EXPECT_EQ(all.at("rows"), 30);
  EXPECT_EQ(all.at("models"), counted.at("models"));
  EXPECT_NE(
      done("cv all.csv --target y --row-weights w --models linear,nearest --quiet").find("--row-weights w"),
      std::string::npos);
}

TEST_F(CliRowWeights, bad_weights_are_one_line) {
  const auto error = [&](const std::string& weight) {
    write("b.csv", "x,w,y\n1,1,2\n2,2,3\n3," + weight + ",4\n4,1,5\n");
    return error_of("fit b.csv --target y --row-weights w --model linear -o m.kedge");
  };
  for (const char* weight : {"-1", "inf", ""})
    EXPECT_NE(
        error(weight).find("b.csv, line 4, column \"w\": a row weight needs a finite number, 0 or more"),
        std::string::npos)
        << weight;
  EXPECT_NE(error("many").find("b.csv, line 4, column \"w\""), std::string::npos);
  write("b.csv", "x,w,y\n1,1,2\n2,2,3\n3,0,4\n4,1,5\n");
  EXPECT_NE(error_of("fit b.csv --target y --row-weights v --model linear -o m.kedge").find("\"v\""),
            std::string::npos);
  EXPECT_NE(error_of("fit b.csv --target y --row-weights y --model linear -o m.kedge")
                .find("in --target and in --row-weights"),
            std::string::npos);
  write("p.csv", "query,anchor,weight\n0,1,1\n1,2,0\n");
  EXPECT_NE(
      error_of("fit counted.csv --target y --row-weights w --weights p.csv --quiet -o m.kedge")
          .find("learned weights of pairs need rows that count alike; found row weights in column \"w\""),
      std::string::npos);
}

}  // namespace
}  // namespace kedge
