#include "kedge/trials/column_hints.h"

#include <gtest/gtest.h>

#include <numbers>

#include "kedge/core/rng.h"

namespace kedge {
namespace {

constexpr size_t rows = 100;

std::vector<double> drawn(double low, double high, uint64_t seed) {
  Rng rng(seed, Stream::domain);
  std::vector<double> values;
  for (size_t r = 0; r < rows; ++r) values.push_back(rng.uniform(low, high));
  return values;
}

std::vector<double> counted() {
  std::vector<double> values;
  for (size_t r = 0; r < rows; ++r) values.push_back(static_cast<double>(r) + 7);
  return values;
}

Table table_of(std::vector<std::pair<std::string, std::vector<double>>> columns) {
  Table table("t.csv");
  for (auto& [name, values] : columns)
    table.add({.name = name,
               .role = name == "y" ? Role::output : Role::input,
               .values = std::move(values),
               .words = {}});
  return table;
}

std::vector<ColumnHint> hints_of(const Table& table, const std::string& space = "") {
  return column_hints(table, Space::parse(space, table.names(Role::input)));
}

TEST(ColumnHints, say_nothing_of_ordinary_columns) {
  EXPECT_TRUE(
      hints_of(table_of({{"a", drawn(0, 1, 1)}, {"b", drawn(-50, 300, 2)}, {"y", drawn(0, 9, 3)}})).empty());
}

TEST(ColumnHints, find_angles_that_wrap_until_they_are_declared) {
  constexpr double pi = std::numbers::pi;
  const std::vector<std::pair<std::vector<double>, ColumnLook>> cases = {
      {drawn(0, 360, 1), ColumnLook::turn_in_degrees},
      {drawn(-180, 180, 2), ColumnLook::turn_in_degrees},
      {drawn(-pi, pi, 3), ColumnLook::turn_in_radians},
      {drawn(0, 2 * pi, 4), ColumnLook::turn_in_radians}};
  for (const auto& [values, look] : cases) {
    const Table table = table_of({{"a", values}, {"y", drawn(0, 9, 5)}});
    const std::vector<ColumnHint> hints = hints_of(table);
    ASSERT_EQ(hints.size(), 1u);
    EXPECT_EQ(hints[0].look, look);
    EXPECT_EQ(hints[0].column, "a");
    EXPECT_TRUE(hints_of(table, "a=angle").empty());
  }
}

TEST(ColumnHints, do_not_take_a_column_for_an_angle_whose_ends_are_thin_or_elsewhere) {
  EXPECT_TRUE(hints_of(table_of({{"a", drawn(100, 460, 1)}, {"y", drawn(0, 9, 2)}})).empty());
  std::vector<double> middle = drawn(150, 210, 3);
  middle[0] = 0;
  middle[1] = 359;
  EXPECT_TRUE(hints_of(table_of({{"a", middle}, {"y", drawn(0, 9, 4)}})).empty());
}

TEST(ColumnHints, find_row_numbers_beside_other_inputs_but_not_a_lone_grid) {
  const std::vector<ColumnHint> hints =
      hints_of(table_of({{"id", counted()}, {"b", drawn(0, 1, 1)}, {"y", drawn(0, 9, 2)}}));
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].look, ColumnLook::row_number);
  EXPECT_TRUE(hints_of(table_of({{"x", counted()}, {"y", drawn(0, 9, 2)}})).empty());
  std::vector<double> gap = counted();
  gap.back() += 1;
  EXPECT_TRUE(hints_of(table_of({{"id", gap}, {"b", drawn(0, 1, 1)}, {"y", drawn(0, 9, 2)}})).empty());
}

TEST(ColumnHints, find_inputs_that_repeat_an_input_or_the_target_on_another_scale) {
  const std::vector<double> celsius = drawn(0, 100, 1), y = drawn(0, 9, 2);
  std::vector<double> fahrenheit, minus_y;
  for (double c : celsius) fahrenheit.push_back(1.8 * c + 32);
  for (double value : y) minus_y.push_back(-value);
  const std::vector<ColumnHint> hints = hints_of(
      table_of({{"c", celsius}, {"other", drawn(0, 1, 3)}, {"f", fahrenheit}, {"copy", minus_y}, {"y", y}}));
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints[0].column, "f");
  EXPECT_EQ(hints[0].other, "c");
  EXPECT_EQ(hints[0].other_role, Role::input);
  EXPECT_EQ(hints[1].column, "copy");
  EXPECT_EQ(hints[1].other, "y");
  EXPECT_EQ(hints[1].other_role, Role::output);
}

TEST(ColumnHints, are_each_one_sentence_that_names_the_column) {
  for (ColumnLook look : {ColumnLook::turn_in_degrees, ColumnLook::turn_in_radians, ColumnLook::row_number,
                          ColumnLook::repeats}) {
    const std::string text = to_text(ColumnHint{look, "speed", "load"});
    EXPECT_NE(text.find("\"speed\""), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(ColumnHints, of_a_table_of_few_rows_are_none) {
  const Table table = table_of({{"id", counted()}, {"b", drawn(0, 360, 1)}, {"y", drawn(0, 9, 2)}});
  EXPECT_EQ(hints_of(table).size(), 2u);
  std::vector<size_t> few(19);
  for (size_t r = 0; r < few.size(); ++r) few[r] = r;
  EXPECT_TRUE(hints_of(table.select(few)).empty());
}

}  // namespace
}  // namespace kedge
