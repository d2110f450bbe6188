#include "cli/demo_page.h"

#include <gtest/gtest.h>

namespace kedge {
namespace {

TEST(DemoJson, names_the_page_without_the_folders_of_a_machine) {
  const auto file_of = [](const std::string& page) { return demo_json({}, {}, 1, page).at("file"); };
  EXPECT_EQ(file_of("/tmp/p/demo.html"), Json("demo.html"));
  EXPECT_EQ(file_of("demo.html"), Json("demo.html"));
  EXPECT_TRUE(file_of("").is_null());
}

}  // namespace
}  // namespace kedge
