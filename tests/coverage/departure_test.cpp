#include "kedge/coverage/departure.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

TEST(Departure, text_names_columns_with_signed_amounts_and_no_more_than_asked_for) {
  const std::vector<std::string> inputs = {"speed", "load", "heat", "age"};
  const std::vector<Departure> departures = {{0, 12.5, 2}, {1, -3, 1}, {3, 0.1, 0.5}, {2, 9, 0.1}};
  EXPECT_EQ(to_text(departures, inputs), "speed +12.5; load -3; age +0.1");
  EXPECT_EQ(to_text(departures, inputs, 1), "speed +12.5");
}

TEST(Departure, text_of_a_combination_names_no_column_and_that_of_none_is_empty) {
  const std::vector<Departure> combination = {{.amount = 3, .relative = 2}};
  EXPECT_TRUE(combination[0].is_combination());
  EXPECT_EQ(to_text(combination, {"x"}), "combination");
  EXPECT_EQ(to_text({}, {"x"}), "");
}

}  // namespace
}  // namespace kedge
