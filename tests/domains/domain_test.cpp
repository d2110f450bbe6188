#include "kedge/domains/domain.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/core/error.h"

namespace kedge {
namespace {

TEST(Domain, names_are_unique_and_found) {
  std::set<std::string> names;
  for (const Domain& domain : all_domains()) {
    EXPECT_TRUE(names.insert(domain.name).second) << domain.name;
    EXPECT_EQ(&find_domain(domain.name), &domain);
    EXPECT_FALSE(domain.title.empty());
    EXPECT_FALSE(domain.source.empty());
  }
}

TEST(Domain, an_unknown_name_is_answered_with_every_name_there_is) {
  try {
    find_domain("stairs");
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"stairs\""), std::string::npos) << text;
    for (const Domain& domain : all_domains()) EXPECT_NE(text.find(domain.name), std::string::npos) << text;
  }
}

TEST(Domain, a_table_is_a_function_of_split_rows_and_seed) {
  const size_t rows = 7;
  for (const Domain& domain : all_domains()) {
    const auto inputs = [&](Split split, uint64_t seed) {
      const Table table = domain.sample(split, rows, seed);
      EXPECT_EQ(table.rows(), rows) << domain.name;
      EXPECT_FALSE(table.names(Role::output).empty()) << domain.name;
      return table.matrix(table.names(Role::input));
    };
    for (Split split : {Split::train, Split::in, Split::oos}) {
      EXPECT_EQ(inputs(split, 5), inputs(split, 5)) << domain.name;
      EXPECT_NE(inputs(split, 5), inputs(split, 6)) << domain.name;
    }
    EXPECT_NE(inputs(Split::train, 5), inputs(Split::in, 5)) << domain.name;
  }
}

}  // namespace
}  // namespace kedge
