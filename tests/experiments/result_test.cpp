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
           .build = "b",
           .numerics = "n",
           .machines = {"m"},
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

TEST(Result, says_which_cells_contend_and_nothing_of_the_others) {
  Result r = some();
  add_contender(r.cells[0], r);
  const auto cells = nlohmann::json::parse(to_json(r)).at("cells");
  EXPECT_FALSE(cells[0].contains("contends"));
  EXPECT_EQ(cells[2].at("contends"), true);
  const Result back = result_from_json(to_json(r), "r.json");
  EXPECT_FALSE(back.cells[0].contends);
  EXPECT_TRUE(back.cells[2].contends);
}

Chart with_everything() {
  Chart chart{.title = "all", .width = 500, .height = 300};
  chart.series = {
      {.name = "expert", .x = {0, 1}, .y = {0, 1}, .style = SeriesStyle::thin, .ends = true, .animate = 2.5},
      {.name = "expert", .x = {0, 2}, .y = {0, 2}, .style = SeriesStyle::thin, .values = {7}},
      {.name = "goals", .x = {0.5}, .y = {0.25}, .style = SeriesStyle::crosses},
      {.x = {0, 1}, .y = {1, 0}, .style = SeriesStyle::cells, .values = {0.5, std::nan("")}}};
  chart.boxes = {{0, 1, -HUGE_VAL, HUGE_VAL, "box", BoxStyle::dashes, "red"},
                 {-HUGE_VAL, 2, 1, 3, "", BoxStyle::shade}};
  chart.x_range = {0, 3};
  chart.equal_axes = true;
  chart.x_names = {"one", "two, or more"};
  chart.y_names = {"first", "second"};
  chart.colors = {.label = "error", .steps = ScaleSteps::logarithmic, .range = {{0.1, 2}}};
  return chart;
}

TEST(Result, charts_come_back_with_all_they_show) {
  Result r = some();
  r.charts = {with_everything()};
  const std::string text = to_json(r);
  const Result back = result_from_json(text, "r.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(to_svg(back.charts[0]), to_svg(r.charts[0]));
  EXPECT_EQ(back.charts[0].series[0].animate, 2.5);
  EXPECT_EQ(back.charts[0].boxes[1].x_low, -HUGE_VAL);
  EXPECT_EQ(back.charts[0].colors, r.charts[0].colors);
}

TEST(Result, a_chart_that_uses_nothing_new_is_written_as_it_always_was) {
  const auto chart = nlohmann::json::parse(to_json(some())).at("charts")[0];
  std::set<std::string> keys, of_series;
  for (const auto& [key, value] : chart.items()) keys.insert(key);
  for (const auto& [key, value] : chart.at("series")[0].items()) of_series.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"title", "x_label", "y_label", "width", "height", "bands", "series",
                                         "y_range"}));
  EXPECT_EQ(of_series, (std::set<std::string>{"name", "style", "x", "y"}));
}

TEST(Result, of_a_damaged_chart_is_refused) {
  Result r = some();
  r.charts = {with_everything()};
  const auto refused = [&](const char* pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(to_json(r));
    json[nlohmann::json::json_pointer(pointer)] = value;
    return !error_text([&] { result_from_json(json.dump(), "r.json"); }).empty();
  };
  EXPECT_FALSE(refused("/charts/0/title", "another"));
  EXPECT_TRUE(refused("/charts/0/series/0/style", "wavy"));
  EXPECT_TRUE(refused("/charts/0/series/0/animate", "fast"));
  EXPECT_TRUE(refused("/charts/0/series/1/values", 7));
  EXPECT_TRUE(refused("/charts/0/boxes/0/style", "round"));
  EXPECT_TRUE(refused("/charts/0/boxes/0/x", {1}));
  EXPECT_TRUE(refused("/charts/0/x_range", {1, 2, 3}));
  EXPECT_TRUE(refused("/charts/0/x_names", {1, 2}));
  EXPECT_TRUE(refused("/charts/0/colors/steps", "odd"));
}

TEST(Result, of_damaged_text_is_refused_with_the_name_of_the_file) {
  const std::string text = to_json(some());
  for (size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_NE(error_text([&] { result_from_json(text.substr(0, length), "r.json"); }).find("r.json"),
              std::string::npos)
        << length;
  for (const char* key : {"id", "cells", "charts", "seeds", "notes", "machines", "build"}) {
    auto json = nlohmann::json::parse(text);
    json.erase(key);
    EXPECT_NE(error_text([&] { result_from_json(json.dump(), "r.json"); }), "") << key;
  }
}

TEST(Result, agrees_within_the_published_deviation_and_differs_beyond) {
  const auto cell = [](double ours) { return Cell{"", "", "", "", Measured{1, 0.25, 0}, {ours, 0, 1}}; };
  EXPECT_EQ(agreement(cell(0.75)), "agrees");
  EXPECT_EQ(agreement(cell(1.25)), "agrees");
  EXPECT_EQ(agreement(cell(0.74)), "lower");
  EXPECT_EQ(agreement(cell(1.26)), "higher");
  EXPECT_EQ(agreement(cell(std::nan(""))), "unknown");
  EXPECT_EQ(agreement_text(cell(1.25)), "agrees, 1.2 times");
  EXPECT_EQ(agreement_text(cell(17)), "higher, 17 times");
  const Cell alone{"", "", "", "", {}, {1, 0, 1}};
  EXPECT_EQ(agreement(alone), "");
  EXPECT_EQ(agreement_text(alone), "");
}

TEST(Result, says_how_many_fits_diverged) {
  Result r = some();
  r.cells[0].failed = 2;
  r.cells[1] = {"Mug", "Mine", "", "in", {}, measured({}), 3};
  const Result back = result_from_json(to_json(r), "r.json");
  EXPECT_EQ(ours_text(back.cells[0]), "0.0100 ± 0.0020, 2 fits diverged");
  EXPECT_EQ(ours_text(back.cells[1]), "diverged");
  EXPECT_EQ(to_json(back), to_json(r));
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

TEST(Result, a_chart_as_csv_tells_lines_of_one_name_apart_and_has_values_and_names) {
  EXPECT_EQ(to_csv(with_everything()),
            "series,part,x,y,value\n"
            "expert,1,one,first,\nexpert,1,\"two, or more\",second,\n"
            "expert,2,one,first,7\nexpert,2,2,2,7\n"
            "goals,1,0.5,0.25,\n"
            "\"\",1,one,second,0.5\n\"\",1,\"two, or more\",first,nan\n");
}

TEST(Result, a_chart_as_csv_has_a_line_for_each_point) {
  EXPECT_EQ(to_csv(some().charts[0]), "series,x,y\n\"a \"\"b\"\"\",1,3\n\"a \"\"b\"\"\",2,nan\n");
}

}  // namespace
}  // namespace kedge
