#include "cli/prose.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kedge {
namespace {

TEST(Prose, what_is_explained_is_1_only_where_all_is) {
  EXPECT_EQ(r_squared_words(0.912), ", R² 0.91");
  EXPECT_EQ(r_squared_words(0.9962), ", R² over 0.99");
  EXPECT_EQ(r_squared_words(1), ", R² 1");
  EXPECT_EQ(r_squared_words(-3.14), ", R² -3.1");
  EXPECT_EQ(r_squared_words(std::nan("")), "");
}

TEST(Prose, lists_end_with_and_and_long_ones_with_how_many_more) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c", "d"}), "a, b and 2 more");
}

TEST(Prose, counts_say_one_or_many) {
  EXPECT_EQ(counted(1, "query", "queries"), "1 query");
  EXPECT_EQ(counted(0, "query", "queries"), "0 queries");
  EXPECT_EQ(rough(0.12345), "0.12");
}

TEST(Prose, items_stay_within_80_columns_and_indent_what_follows) {
  const std::string sixty(60, 'a'), thirty(30, 'b');
  EXPECT_EQ(item_lines({sixty, sixty + " " + thirty, "`x`"}),
            "- " + sixty + "\n- " + sixty + "\n  " + thirty + "\n- 'x'\n");
}

}  // namespace
}  // namespace kedge
