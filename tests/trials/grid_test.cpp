#include "kedge/trials/grid.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

std::vector<Combination> all_of(const std::vector<std::string>& texts) {
  return combinations(parse_grid(texts));
}

std::string refusal(const std::vector<std::string>& texts) {
  return error_text([&] { parse_grid(texts); });
}

void expect_refused(const std::vector<std::string>& texts, const std::vector<std::string>& words) {
  const std::string said = refusal(texts);
  EXPECT_NE(said, "") << texts.back();
  for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << word << "\n" << said;
}

TEST(Grid, has_every_combination_once_the_last_axis_the_fastest) {
  std::vector<std::string> names;
  for (const Combination& one : all_of({"width=32,64", "embedding=16,8,4"})) names.push_back(to_text(one));
  EXPECT_EQ(names, (std::vector<std::string>{"width=32 embedding=16", "width=32 embedding=8",
                                             "width=32 embedding=4", "width=64 embedding=16",
                                             "width=64 embedding=8", "width=64 embedding=4"}));
}

TEST(Grid, has_as_many_combinations_as_the_product_of_its_values) {
  const std::vector<std::string> texts = {"width=1,2,3", "batch=4,5", "loss=mse,l2", "steps=1,2,3,4,5"};
  size_t product = 1;
  for (size_t n = 0; n <= texts.size(); ++n) {
    const std::vector<Combination> all = all_of({texts.begin(), texts.begin() + static_cast<ptrdiff_t>(n)});
    if (n > 0) product *= parse_grid({texts[n - 1]})[0].values.size();
    EXPECT_EQ(all.size(), product);
    EXPECT_EQ((std::set<Combination>(all.begin(), all.end()).size()), product);
    for (const Combination& one : all) EXPECT_EQ(one.size(), n);
  }
}

TEST(Grid, a_combination_changes_what_it_names_and_nothing_else) {
  const FitSettings given{.model = "concat", .anchors = "many=3", .width = 7, .seed = 9};
  const FitSettings s = with(given, {{"width", "32"}, {"learning-rate", "1e-3"}, {"anchor-rows", "all"}});
  EXPECT_EQ(s.width, 32);
  EXPECT_EQ(s.learning_rate, 0.001);
  EXPECT_EQ(s.anchor_rows, 0u);
  EXPECT_EQ(s.model, "concat");
  EXPECT_EQ(s.anchors, "many=3");
  EXPECT_EQ(s.seed, 9u);
  for (const std::string& name : grid_names()) {
    if (name == "width" || name == "learning-rate" || name == "anchor-rows") continue;
    EXPECT_EQ(text_of(s, setting_of(name)), text_of(given, setting_of(name))) << name;
  }
}

TEST(Grid, names_are_those_of_flags_however_they_are_written) {
  for (const char* text : {"learning-rate=1e-3,0.01", "learning_rate=1e-3,0.01"}) {
    EXPECT_EQ(parse_grid({text})[0].name, "learning-rate");
    EXPECT_EQ(to_text(all_of({text})[0]), "learning-rate=1e-3");
  }
  for (const std::string& name : grid_names()) EXPECT_EQ(name.find('_'), std::string::npos) << name;
}

TEST(Grid, takes_values_that_hold_equals_signs) {
  EXPECT_EQ(parse_grid({"anchors=many=3,near=20,auto"})[0].values,
            (std::vector<std::string>{"many=3", "near=20", "auto"}));
}

TEST(Grid, separates_by_semicolons_what_may_hold_commas) {
  const std::vector<Combination> all = all_of({"space=none;a=log;a=log,b=angle"});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(with({}, all[0]).space, "");
  EXPECT_EQ(with({}, all[1]).space, "a=log");
  EXPECT_EQ(with({}, all[2]).space, "a=log,b=angle");
  EXPECT_EQ(with({.base = "ridge"}, {{"base", "none"}}).base, "");
  EXPECT_EQ(with({}, {{"anchors", "none"}}).anchors, "none") << "a rule of that name";
}

TEST(Grid, every_name_can_be_set) {
  for (const std::string& name : grid_names()) {
    FitSettings settings;
    EXPECT_NO_THROW(set_by_name(settings, setting_of(name), "7")) << name;
    EXPECT_EQ(text_of(settings, setting_of(name)), "7") << name;
  }
}

TEST(Grid, a_text_needs_a_name_and_values) {
  for (const char* text : {"", "width", "width=", "=32", "="})
    expect_refused({text}, {"width=32,64", "write it so"});
}

TEST(Grid, an_unknown_name_is_refused_with_the_nearest) {
  expect_refused({"widht=32"}, {"\"widht\"", "did you mean \"width\"?"});
  expect_refused({"embeding=32"}, {"did you mean \"embedding\"?"});
  expect_refused({"colour=red"}, {"\"colour\"", "take one of width, embedding"});
  expect_refused({"Width=32"}, {"width"});
}

TEST(Grid, what_no_rehearsal_can_tell_is_refused_with_the_reason) {
  for (const char* name :
       {"seed", "budget", "beyond", "replicas", "calibration", "weights", "context", "label", "time"})
    expect_refused({std::string(name) + "=1,2"}, {std::string("cannot try ") + name});
}

TEST(Grid, an_empty_value_is_refused) {
  for (const char* text : {"width=32,", "width=,32", "width=32,,64"})
    expect_refused({text}, {"between two ','"});
  expect_refused({"space=a=log;"}, {"between two ';'", "none"});
}

TEST(Grid, what_is_no_number_is_refused_where_one_is_needed) {
  expect_refused({"width=32,wide"}, {"width", "whole number", "\"wide\""});
  expect_refused({"width=32.5"}, {"whole number"});
  expect_refused({"width=-1"}, {"whole number"});
  expect_refused({"width=99999999999"}, {"whole number"});
  expect_refused({"width= 32"}, {"whole number"});
  expect_refused({"learning_rate=fast"}, {"a number", "\"fast\""});
  expect_refused({"learning_rate=nan"}, {"a number"});
  expect_refused({"weight_decay=inf"}, {"a number"});
  expect_refused({"anchor_rows=some"}, {"anchor_rows"});
}

TEST(Grid, a_name_or_a_value_that_comes_twice_is_refused) {
  expect_refused({"width=32", "width=64"}, {"width twice"});
  expect_refused({"learning-rate=1e-3", "learning_rate=1e-2"}, {"learning-rate twice"});
  expect_refused({"width=32,64,32"}, {"each value once", "\"32\""});
  expect_refused({"learning_rate=1e-3,0.001"}, {"\"1e-3\" and \"0.001\""});
}

TEST(Grid, auto_is_no_model) { expect_refused({"model=mlp,auto"}, {"auto", "name those"}); }

TEST(Grid, too_many_combinations_are_refused) {
  std::string many = "steps=1";
  for (int i = 2; i <= 200; ++i) many += "," + std::to_string(i);
  std::string more = "width=1";
  for (int i = 2; i <= 51; ++i) more += "," + std::to_string(i);
  expect_refused({many, more}, {"at most 10000 combinations", "found 10200"});
  EXPECT_EQ(refusal({many, "width=1,2,3"}), "");
}

}  // namespace
}  // namespace kedge
