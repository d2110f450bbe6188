#include "kedge/space/output_space.h"

#include <gtest/gtest.h>

#include "tests/table/broken_files.h"

namespace kedge {
namespace {

const std::vector<std::string> inputs = {"x", "theta"}, outputs = {"y", "a=b"};

TEST(OutputSpace, a_log_scale_and_back_is_the_same_number) {
  const OutputSpace space({false, true});
  EXPECT_EQ(space.canonical(0, -3), -3);
  EXPECT_EQ(space.value(0, -3), -3);
  EXPECT_DOUBLE_EQ(space.value(1, space.canonical(1, 12.5)), 12.5);
  EXPECT_EQ(space.slope(0, 7), 1);
  EXPECT_EQ(space.slope(1, 7), 7);
  const Matrix<double> values(1, 2, std::vector<double>{4, std::exp(2.0)});
  EXPECT_DOUBLE_EQ(space.canonical(values)(0, 1), 2);
}

TEST(OutputSpace, none_on_a_log_scale_is_plain) {
  EXPECT_TRUE(OutputSpace({false, false}).is_plain());
  EXPECT_EQ(OutputSpace({false, false}), OutputSpace());
}

TEST(Spaces, one_text_names_inputs_and_outputs) {
  const Spaces spaces = Spaces::parse("theta=angle,y=log", inputs, outputs);
  EXPECT_EQ(spaces.inputs, Space::parse("theta=angle", inputs));
  EXPECT_TRUE(spaces.outputs.is_log(0));
  EXPECT_FALSE(spaces.outputs.is_log(1));
  EXPECT_TRUE(Spaces::parse(R"(a\=b=log)", inputs, outputs).outputs.is_log(1));
  EXPECT_TRUE(Spaces::parse("x=log,y=vector", inputs, outputs).outputs.is_plain());
  EXPECT_TRUE(Spaces::parse("", inputs, outputs).outputs.is_plain());
  EXPECT_EQ(OutputSpace({false, true}).text(outputs), R"(a\=b=log)");
  EXPECT_EQ(OutputSpace().text(outputs), "");
}

TEST(Spaces, faults_are_named) {
  const auto fault = [](const std::string& text) {
    return error_text([&] { Spaces::parse(text, inputs, outputs); });
  };
  EXPECT_NE(fault("y=angle").find("an output is vector or log"), std::string::npos);
  EXPECT_NE(fault("y=log,y=log").find("twice"), std::string::npos);
  EXPECT_NE(fault("z=log").find("\"z\""), std::string::npos);
  EXPECT_NE(fault("y").find("column=kind"), std::string::npos);
}

}  // namespace
}  // namespace kedge
