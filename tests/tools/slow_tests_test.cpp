// The list of slow tests in tests/CMakeLists.txt.

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace kedge {
namespace {

#ifdef KEDGE_SLOW_TESTS
TEST(SlowTests, are_tests_that_exist) {
  std::set<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
  }
  std::istringstream listed(KEDGE_SLOW_TESTS);
  for (std::string name; std::getline(listed, name, ':');) EXPECT_TRUE(names.contains(name)) << name;
}
#endif

}  // namespace
}  // namespace kedge
