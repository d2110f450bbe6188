#include "kedge/table/row_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

Table weighted(std::vector<double> weights) {
  Table table("X");
  std::vector<double> x(weights.size());
  for (size_t r = 0; r < x.size(); ++r) x[r] = static_cast<double>(r);
  table.add({.name = "x", .role = Role::input, .values = x, .words = {}});
  table.add({.name = "w", .role = Role::weight, .values = std::move(weights), .words = {}});
  return table;
}

TEST(RowWeights, rows_of_weight_zero_are_left_out_and_the_others_keep_their_weights) {
  const auto counted = counted_rows(weighted({2, 0, 1, 0}));
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->column("x").values, (std::vector<double>{0, 2}));
  EXPECT_EQ(counted->column("w").values, (std::vector<double>{2, 1}));
  EXPECT_EQ(counted->names(Role::weight), std::vector<std::string>{"w"});
}

TEST(RowWeights, a_column_of_equal_weights_is_dropped_also_beside_zeros) {
  for (const std::vector<double>& weights : {std::vector<double>{3, 3, 3}, {0, 0.1, 0.1}, {5, 0, 0}}) {
    const auto counted = counted_rows(weighted(weights));
    ASSERT_TRUE(counted);
    EXPECT_FALSE(counted->has("w"));
    EXPECT_TRUE(row_weights(*counted).empty());
    EXPECT_EQ(counted->rows(), static_cast<size_t>(std::count_if(weights.begin(), weights.end(),
                                                                 [](double w) { return w > 0; })));
  }
}

TEST(RowWeights, a_table_whose_rows_all_count_stays_as_it_is) {
  EXPECT_FALSE(counted_rows(weighted({1, 2})));
  Table without("X");
  without.add({.name = "x", .role = Role::input, .values = {1, 2}, .words = {}});
  EXPECT_FALSE(counted_rows(without));
  EXPECT_TRUE(row_weights(without).empty());
}

TEST(RowWeights, are_told_in_parts_of_the_greatest) {
  EXPECT_EQ(row_weights(weighted({1, 4, 2})), (std::vector<double>{0.25, 1, 0.5}));
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(row_weights(weighted({largest / 2, largest})), (std::vector<double>{0.5, 1}));
}

TEST(RowWeights, a_weight_that_is_none_is_one_line_that_names_its_row) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const auto& [bad, text] :
       std::vector<std::pair<double, std::string>>{{-0.5, "-0.5"}, {nan, "nan"}, {inf, "inf"}}) {
    const Table table = weighted({1, 2, bad, -7});
    const std::string expected =
        "[fit] X, row 2, column \"w\": a row weight needs a finite number, 0 or more; "
        "found " +
        text + "; give the row the weight 0 to leave it out";
    EXPECT_EQ(error_text([&] { counted_rows(table); }), expected);
    EXPECT_EQ(error_text([&] { row_weights(table); }), expected);
  }
}

TEST(RowWeights, a_table_without_any_weight_is_refused) {
  EXPECT_EQ(
      error_text([] {
        counted_rows(weighted({0, 0, 0}));
      }),
      "[fit] X, column \"w\": needs a row weight above 0; found 0 in all 3 rows; give some rows a weight");
}

TEST(RowWeights, two_columns_and_words_are_refused) {
  Table table = weighted({1, 2});
  table.add({.name = "v", .role = Role::weight, .values = {0, 1}, .words = {"light", "heavy"}});
  EXPECT_NE(error_text([&] { counted_rows(table); }).find("one column of row weights at most; found"),
            std::string::npos);
  table.assign(Role::ignored, {"w"});
  EXPECT_EQ(
      error_text([&] { counted_rows(table); }),
      "[fit] X, column \"v\": row weights need numbers; found words, as \"light\"; name another column");
}

}  // namespace
}  // namespace kedge
