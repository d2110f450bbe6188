// What holds a program to its lists, on lists made for the test.

#include "tests/numerics/bits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kedge/core/error.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

const BitOrigin origin{"a compiler", "numerics_version", 3};

BitList list_of(const std::vector<double>& sums, const std::vector<double>& draws = {1, 2}) {
  BitList list;
  list.add("sums", sums);
  list.add("draws", draws);
  return list;
}

TEST(NumericsLists, differ_by_the_last_bit_of_any_number) {
  const std::vector<double> sums = {1, 2, 3, 4, 5};
  const StoredBits stored = remade({}, origin, list_of(sums));
  EXPECT_EQ(faults_of(stored, origin, list_of(sums)), std::vector<std::string>{});
  for (size_t i = 0; i < sums.size(); ++i) {
    std::vector<double> other = sums;
    other[i] = std::nextafter(other[i], 9.0);
    const std::vector<std::string> faults = faults_of(stored, origin, list_of(other));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_TRUE(faults[0].starts_with("sums: ")) << faults[0];
  }
  EXPECT_EQ(faults_of(stored, origin, list_of({1, 2.5, 3, 4, 5})),
            std::vector<std::string>{"sums: 1 3 5, and other numbers changed"});
  EXPECT_EQ(faults_of(stored, origin, list_of({1, 2, 7, 4, 5})),
            std::vector<std::string>{"sums: 1 7 5; the list has 1 3 5"});
}

TEST(NumericsLists, have_an_entry_for_every_computation_and_no_other) {
  BitList found = list_of({1});
  const StoredBits before = remade({}, origin, found);
  found.add("models", {8});
  EXPECT_EQ(faults_of(before, origin, found),
            std::vector<std::string>{"models: 8; the list has no such entry"});
  EXPECT_EQ(faults_of(remade(before, origin, found), origin, list_of({1})),
            std::vector<std::string>{"models: nothing computes it any more"});
}

TEST(NumericsLists, of_another_version_are_made_anew_even_where_no_bit_changed) {
  const BitList found = list_of({1});
  const StoredBits stored = remade({}, origin, found);
  BitOrigin raised = origin;
  ++raised.version;
  EXPECT_EQ(
      faults_of(stored, raised, found),
      std::vector<std::string>{"the list is of version 3, and kedge::numerics_version is 4: make it anew"});
  EXPECT_EQ(faults_of(remade(stored, raised, list_of({2})), raised, list_of({2})),
            std::vector<std::string>{});
}

TEST(NumericsLists, are_not_made_anew_with_other_bits_under_the_same_version) {
  const StoredBits stored = remade({}, origin, list_of({1}));
  EXPECT_NE(error_text([&] {
              remade(stored, origin, list_of({2}));
            }).find("found numerics_version still 3, and sums: 2; the list has 1; raise it"),
            std::string::npos);
  BitList more = list_of({1});
  more.add("models", {8});
  EXPECT_EQ(remade(stored, origin, more).bits.size(), 3u);
}

TEST(NumericsLists, are_read_as_they_were_written) {
  const BitList found = list_of({0.1, std::nan(""), -0.0, 1e-300, 1.0 / 3});
  const StoredBits stored = remade({}, origin, found);
  const StoredBits read = stored_bits(to_text(stored));
  EXPECT_EQ(read.version, 3);
  EXPECT_EQ(read.made_by, "a compiler");
  EXPECT_EQ(to_text(read), to_text(stored));
  EXPECT_NE(list_of({0.0}).all().at("sums").hash, list_of({-0.0}).all().at("sums").hash);
}

TEST(NumericsLists, take_the_numbers_of_a_text_and_not_its_words) {
  BitList a, b;
  a.add_json("x", R"({"name": "a", "rows": [1, [2.5]], "is": true, "none": null})");
  b.add_json("x", R"({"called": "b", "rows": [1, [2.5]], "none": null})");
  EXPECT_EQ(a.all().at("x").hash, b.all().at("x").hash);
}

}  // namespace
}  // namespace kedge
