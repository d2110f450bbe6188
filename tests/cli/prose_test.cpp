#include "cli/prose.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

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
