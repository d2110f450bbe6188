#include "kedge/domains/example_pairs.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/domains/domain.h"

namespace kedge {
namespace {

Table labelled(std::vector<double> labels) {
  Table table("few rows");
  table.add({.name = "kind", .role = Role::label, .values = std::move(labels), .words = {}});
  return table;
}

TEST(ExamplePairs, half_share_the_label_and_half_do_not_by_default) {
  for (const char* name : {"tiles", "grasp"}) {
    const Table table = find_domain(name).sample(Split::train, 200, 4);
    const std::vector<double>& labels = table.column(table.names(Role::label).front()).values;
    const std::vector<ExamplePair> pairs = example_pairs(table);
    ASSERT_EQ(pairs.size(), 600u);
    for (size_t n = 0; n < pairs.size(); ++n) {
      const auto& [query, anchor, related] = pairs[n];
      EXPECT_NE(query, anchor);
      EXPECT_EQ(related, n < 300 ? 1 : 0);
      EXPECT_EQ(labels.at(query) == labels.at(anchor), related == 1);
    }
  }
}

TEST(ExamplePairs, every_pair_there_is_comes_up_and_no_other) {
  // Rows 0, 2 and 4 are alike, so are 1 and 3; row 5 is alone.
  const Table table = labelled({7, 2, 7, 2, 7, 9});
  std::set<std::pair<size_t, size_t>> positive, negative;
  for (const auto& [query, anchor, related] : example_pairs(table, {.positive = 500, .negative = 1000}))
    (related == 1 ? positive : negative).emplace(query, anchor);
  EXPECT_EQ(positive.size(), 3u * 2 + 2 * 1);
  EXPECT_EQ(negative.size(), 6u * 5 - (3 * 2 + 2 * 1));
}

TEST(ExamplePairs, the_same_seed_gives_the_same_pairs) {
  const Table table = labelled({0, 1, 0, 1, 0, 1, 2, 2});
  EXPECT_EQ(example_pairs(table, {.seed = 5}), example_pairs(table, {.seed = 5}));
  EXPECT_NE(example_pairs(table, {.seed = 5}), example_pairs(table, {.seed = 6}));
}

TEST(ExamplePairs, a_kind_of_pair_that_does_not_exist_is_an_error_unless_none_is_wanted) {
  EXPECT_THROW(example_pairs(labelled({1, 1, 1})), Error);
  EXPECT_THROW(example_pairs(labelled({1, 2, 3})), Error);
  EXPECT_THROW(example_pairs(labelled({})), Error);
  EXPECT_EQ(example_pairs(labelled({1, 1, 1}), {.positive = 4, .negative = 0}).size(), 4u);
  EXPECT_EQ(example_pairs(labelled({1, 2, 3}), {.positive = 0, .negative = 4}).size(), 4u);
}

TEST(ExamplePairs, a_table_without_a_label_column_is_an_error) {
  EXPECT_THROW(example_pairs(find_domain("sawtooth").sample(Split::train, 10, 0)), Error);
}

}  // namespace
}  // namespace kedge
