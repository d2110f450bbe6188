#include "kedge/core/name_index.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

TEST(NameIndex, finds_the_first_place_of_each_name) {
  const NameIndex index({"a", "b", "a", ""});
  EXPECT_EQ(index.find("a"), 0u);
  EXPECT_EQ(index.find("b"), 1u);
  EXPECT_EQ(index.find(""), 3u);
  EXPECT_EQ(index.find("c"), std::nullopt);
  EXPECT_TRUE(index.has("b"));
  EXPECT_FALSE(index.has("B"));
}

TEST(NameIndex, takes_a_name_once) {
  NameIndex index;
  EXPECT_TRUE(index.add("a", 7));
  EXPECT_FALSE(index.add("a", 8));
  EXPECT_EQ(index.find("a"), 7u);
}

}  // namespace
}  // namespace kedge
