#include "kedge/core/find_named.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kedge {
namespace {

struct Named {
  std::string name, id;
};
const std::vector<Named> list = {{"one", "1"}, {"two", "2"}};

std::string error_of(const std::string& name) {
  try {
    find_named(list, name, "number", "a number");
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

TEST(FindNamed, an_entry_is_found_by_its_name_or_by_another_member) {
  EXPECT_EQ(&find_named(list, "two", "number", "a number"), &list[1]);
  EXPECT_EQ(&find_named(list, "1", "number", "a number", &Named::id), &list[0]);
}

TEST(FindNamed, an_unknown_name_is_an_error_of_one_line_that_lists_the_names) {
  EXPECT_EQ(error_of("three"), "[number] needs the name of a number; found \"three\"; take one of one, two");
  EXPECT_EQ(error_of("a\nb"), "[number] needs the name of a number; found \"a\\nb\"; take one of one, two");
}

TEST(FindNamed, a_slip_of_a_name_is_answered_with_that_name_alone) {
  EXPECT_EQ(error_of("tow"), "[number] needs the name of a number; found \"tow\"; did you mean \"two\"?");
}

}  // namespace
}  // namespace kedge
