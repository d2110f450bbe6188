#include "kedge/space/same_unit.h"

#include <gtest/gtest.h>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

const std::vector<std::string> inputs = {"x", "y", "a+b", "theta", "size", "mass"}, outputs = {"u", "v", "w"};

SameUnit parse(const std::string& text) {
  return SameUnit::parse(text, inputs, outputs,
                         Spaces::parse("theta=angle,size=log,mass=log", inputs, outputs));
}

TEST(SameUnit, parse_reads_sets_of_inputs_and_of_outputs) {
  const SameUnit sets = parse("y+x+a\\+b,w+u,mass+size");
  EXPECT_EQ(sets.inputs, (std::vector<std::vector<size_t>>{{1, 0, 2}, {5, 4}}));
  EXPECT_EQ(sets.outputs, (std::vector<std::vector<size_t>>{{2, 0}}));
  EXPECT_TRUE(parse("").inputs.empty());
}

TEST(SameUnit, says_what_is_wrong_in_one_line) {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{{"x", "two or more"},
                                                                                   {"x+z", "\"z\""},
                                                                                   {"x+y,y+size", "twice"},
                                                                                   {"x+x", "twice"},
                                                                                   {"x+u", "two sets"},
                                                                                   {"x+theta", "angle"},
                                                                                   {"x+size", "logarithm"},
                                                                                   {"x+y,", "\"\""},
                                                                                   {"+", "\"\""}}) {
    const std::string error = error_text([&] { parse(text); });
    EXPECT_NE(error.find(part), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace kedge
