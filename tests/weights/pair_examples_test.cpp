#include "kedge/weights/pair_examples.h"

#include <gtest/gtest.h>

#include "kedge/core/error.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

constexpr size_t rows = 10;

PairExamples labels_in(const std::string& text) { return read_pair_examples(parse_csv(text, "p.csv"), rows); }

void expect_refused(const std::string& text, const std::vector<std::string>& said) {
  try {
    labels_in(text);
    ADD_FAILURE() << "was read: " << text;
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    for (const std::string& words : said) EXPECT_NE(what.find(words), std::string::npos) << what;
  }
}

TEST(PairExamples, are_read_by_the_names_of_their_columns) {
  const PairExamples examples = labels_in("note,weight,anchor,query\n7,1,0,9\n8,0,3,2\n");
  const std::vector<Pair> pairs = {{9, 0}, {2, 3}};
  EXPECT_EQ(examples.pairs, pairs);
  EXPECT_EQ(examples.weights, (std::vector<float>{1, 0}));
}

TEST(PairExamples, say_in_one_line_what_is_wrong_with_a_table_of_them) {
  const std::string head = "query,anchor,weight\n0,1,1\n";
  expect_refused(head + "10,1,1\n", {"p.csv, line 3", "column query", "0 to 9", "found 10"});
  expect_refused(head + "1,-1,1\n", {"p.csv, line 3", "column anchor", "found -1"});
  expect_refused(head + "1,1.5,1\n", {"line 3", "column anchor", "found 1.5"});
  expect_refused(head + "nan,1,1\n", {"line 3", "column query", "found nan"});
  expect_refused(head + "1,1,1\n", {"line 3", "two different rows", "row 1"});
  expect_refused(head + "1,2,0.5\n", {"line 3", "column weight", "found 0.5"});
  expect_refused(head + "1,2,-1\n", {"line 3", "column weight", "found -1"});
  expect_refused(head + "1,2,nan\n", {"line 3", "column weight", "found nan"});
  expect_refused("query,anchor,weight\n0,1,0\n2,1,0\n", {"p.csv", "weight 1", "2 pairs, all of weight 0"});
  expect_refused("query,anchor,related\n0,1,1\n", {"p.csv", "weight is missing", "query, anchor, related"});
  expect_refused("a,anchor,weight\n0,1,1\n", {"p.csv", "query is missing"});
}

TEST(PairExamples, keep_their_rows_where_a_part_of_the_table_is_taken) {
  const PairExamples examples{{{9, 0}, {2, 3}, {3, 9}, {0, 1}}, {1, 0, 1, 0}};
  const std::vector<size_t> kept = {3, 9, 0};
  const PairExamples some = examples.among(kept);
  const std::vector<Pair> pairs = {{1, 2}, {0, 1}};
  EXPECT_EQ(some.pairs, pairs);
  EXPECT_EQ(some.weights, (std::vector<float>{1, 1}));
  EXPECT_TRUE(PairExamples{}.among(kept).empty());
}

}  // namespace
}  // namespace kedge
