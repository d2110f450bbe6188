#include "kedge/core/nearest_name.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

const std::vector<std::string> flags = {"steps", "seed", "space", "same-unit", "learning-rate"};

TEST(NearestName, is_found_over_one_slip_of_every_kind) {
  EXPECT_EQ(nearest_name("step", flags), "steps");
  EXPECT_EQ(nearest_name("stepps", flags), "steps");
  EXPECT_EQ(nearest_name("staps", flags), "steps");
  EXPECT_EQ(nearest_name("stpes", flags), "steps");
}

TEST(NearestName, may_be_two_slips_away_when_it_is_long) {
  EXPECT_EQ(nearest_name("laerning-raet", flags), "learning-rate");
  EXPECT_EQ(nearest_name("lerning-rat", flags), "learning-rate");
  EXPECT_EQ(nearest_name("lrning-rat", flags), "");
  EXPECT_EQ(nearest_name("stesp", {"sepst"}), "");
}

TEST(NearestName, does_not_mind_case_or_what_joins_the_words) {
  EXPECT_EQ(nearest_name("Same_Unit", flags), "same-unit");
  EXPECT_EQ(nearest_name("same unit", flags), "same-unit");
  EXPECT_EQ(nearest_name("Y", {"x", "y"}), "y");
}

TEST(NearestName, is_not_guessed) {
  EXPECT_EQ(nearest_name("", flags), "");
  EXPECT_EQ(nearest_name("z", {"x", "y"}), "");
  EXPECT_EQ(nearest_name("colour", flags), "");
  EXPECT_EQ(nearest_name("steps", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'a'), {std::string(999, 'a')}), "");
}

TEST(NearestName, is_none_where_two_names_are_as_near) {
  EXPECT_EQ(nearest_name("col9", {"col1", "col2"}), "");
  EXPECT_EQ(nearest_name("col9", {"col1", "col2", "Col9"}), "Col9");
  EXPECT_EQ(nearest_name("cole9", {"Col9", "col1", "col2"}), "Col9");
}

TEST(NearestName, is_asked_for_in_quotes) {
  EXPECT_EQ(did_you_mean("sped", {"time", "speed"}, "check the name"), "did you mean \"speed\"?");
  EXPECT_EQ(did_you_mean("load", {"time", "speed"}, "check the name"), "check the name");
}

}  // namespace
}  // namespace kedge
