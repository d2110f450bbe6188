#include "kedge/experiments/result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

Result some() {
  Result r{.id = "table-x",
           .title = "A table",
           .command = "kedge reproduce table-x",
           .version = "1",
           .machine = "m",
           .seeds = {0, 7},
           .notes = {"note"},
           .cells = {{"Mug", "Ours", "default", "oos", Measured{0.013, 0.007, 0}, {0.01, 0.002, 150}},
                     {"Mug", "Mine", "", "in", {}, {1, 0, 1}}},
           .charts = {}};
  Chart chart{.title = "t", .x_label = "x", .y_label = "y"};
  chart.series = {{.name = "a \"b\"", .x = {1, 2}, .y = {3, std::nan("")}, .style = SeriesStyle::points}};
  chart.bands = {{0, 1, "band"}};
  chart.y_range = {-1, 1};
  r.charts = {chart};
  return r;
}

TEST(Result, comes_back_from_its_json_unchanged) {
  const std::string text = to_json(some());
  EXPECT_EQ(to_json(result_from_json(text, "r.json")), text);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("cells")[0].at("agreement"), "agrees");
  EXPECT_TRUE(json.at("cells")[1].at("published").is_null());
}

TEST(Result, of_damaged_text_is_refused_with_the_name_of_the_file) {
  const std::string text = to_json(some());
  for (size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_NE(error_text([&] { result_from_json(text.substr(0, length), "r.json"); }).find("r.json"),
              std::string::npos)
        << length;
  for (const char* key : {"id", "cells", "charts", "seeds", "notes", "machine"}) {
    auto json = nlohmann::json::parse(text);
    json.erase(key);
    EXPECT_NE(error_text([&] { result_from_json(json.dump(), "r.json"); }), "") << key;
  }
}

TEST(Result, agrees_within_half_of_the_published_value_and_differs_beyond) {
  const auto word = [](double published, double ours) {
    return agreement({"", "", "", "", Measured{published, 0, 0}, {ours, 0, 1}});
  };
  EXPECT_EQ(word(1, 0.5), "agrees");
  EXPECT_EQ(word(1, 1.5), "agrees");
  EXPECT_EQ(word(1, 0.49), "lower");
  EXPECT_EQ(word(1, 1.51), "higher");
  EXPECT_EQ(agreement({"", "", "", "", {}, {1, 0, 1}}), "");
  EXPECT_EQ(word(1, std::nan("")), "unknown");
}

TEST(Result, numbers_show_what_their_deviation_allows) {
  EXPECT_EQ(to_text(Measured{0.0134, 0.0071, 3}), "0.0134 ± 0.0071");
  EXPECT_EQ(to_text(Measured{0.0134, 0.07, 3}), "0.013 ± 0.070");
  EXPECT_EQ(to_text(Measured{45.1, 12, 3}), "45 ± 12");
  EXPECT_EQ(to_text(Measured{0.0134, 0, 1}), "0.013");
  EXPECT_EQ(to_text(Measured{0.143, 0.116, 0}), "0.143 ± 0.116");
  EXPECT_EQ(to_text(Measured{5.34e-8, 1.5e-9, 3}), "5.3e-08 ± 1.5e-09");
  EXPECT_EQ(to_text(Measured{5.34e-8, 0, 1}), "5.3e-08");
  EXPECT_EQ(to_text(Measured{0, 0, 1}), "0.000");
  EXPECT_EQ(to_text(Measured{std::nan(""), 0, 3}), "unknown");
}

TEST(Result, a_chart_as_csv_has_a_line_for_each_point) {
  EXPECT_EQ(to_csv(some().charts[0]), "series,x,y\n\"a \"\"b\"\"\",1,3\n\"a \"\"b\"\"\",2,nan\n");
}

}  // namespace
}  // namespace kedge
