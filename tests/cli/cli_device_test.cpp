// --device, on machines with a CUDA device and without one.

#include <nlohmann/json.hpp>

#include "kedge/nn/engine_cuda.h"
#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

using nlohmann::json;

class CliDevice : public RunKedge {
 protected:
  CliDevice() {
    std::string text = "x,z,y\n";
    for (int r = 0; r < 40; ++r)
      text += std::to_string(r) + "," + std::to_string(r * r % 11) + "," + std::to_string(3 * r) + "\n";
    write("t.csv", text);
  }

  /// One line that says all of this, and no file.
  void expect_refused(const std::string& arguments, int code, const std::vector<std::string>& words) const {
    const Ran ran = kedge(arguments);
    EXPECT_EQ(ran.code, code) << arguments;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
    for (const std::string& word : words) EXPECT_NE(ran.err.find(word), std::string::npos) << ran.err;
    EXPECT_EQ(names(), std::vector<std::string>{"t.csv"});
  }

  const CudaDevice device = find_cuda_device();
  const std::string fit = "fit t.csv --target y --calibration none --fourier off --replicas 1 --steps 100 ";
};

TEST_F(CliDevice, one_that_is_not_there_is_one_line_and_nothing_is_written) {
  if (device.missing.empty()) GTEST_SKIP() << "there is one";
  const std::vector<std::string> words = {"kedge: needs a CUDA device; ", device.missing, "(--device)"};
  expect_refused(fit + "--device cuda -o m", 1, words);
  expect_refused("fit t.csv --target y --model auto --device cuda --html p.html -o m", 1, words);
  expect_refused("cv t.csv --target y --device cuda -o m.csv", 1, words);
  expect_refused("imitate t.csv --device cuda -o m", 1, words);
  expect_refused("sweep t.csv --target y --grid width=4,8 --device cuda -o s", 1, words);
  expect_refused("reproduce fig-equivariant --quick --device cuda --jobs j -o r", 1, words);
}

TEST_F(CliDevice, what_cannot_go_with_a_device_is_one_line) {
  expect_refused(fit + "--device gpu -o m", 2, {"--device", "cpu, cuda, auto"});
  expect_refused("sweep t.csv --target y --grid width=4,8 --device auto -o s", 1,
                 {"--device of a sweep needs cpu or cuda"});
  expect_refused("reproduce fig-equivariant --quick --device auto -o r", 2, {"--device", "cpu, cuda"});
  expect_refused(fit + "--device cuda --validation t.csv -o m", 2,
                 {"--validation", "--device cuda", "--device cpu or auto"});
  expect_refused("fit t.csv --target y --model ridge --device cuda -o m", 2,
                 {"--device cuda is for models that are trained; ridge has a closed form"});
}

TEST_F(CliDevice, the_cpu_is_taken_unless_told_and_automatic_says_what_it_took) {
  EXPECT_EQ(done(fit + "-o a").find("trained on"), std::string::npos);
  EXPECT_NE(done(fit + "--device auto -o b").find("trained on  the CPU"), std::string::npos);
  const json told = json::parse(done(fit + "--device cpu --json -o c"));
  EXPECT_EQ(told.at("trained_on"),
            (json{{"device", "cpu"}, {"name", nullptr}, {"networks_at_once", nullptr}}));
  EXPECT_EQ(read("a"), read("b"));
  EXPECT_EQ(read("a"), read("c"));
  const json closed = json::parse(done("fit t.csv --target y --model ridge --device auto --json -o d"));
  EXPECT_TRUE(closed.at("trained_on").is_null());
  done(fit + "--device auto --validation t.csv -o e");
}

TEST_F(CliDevice, a_comparison_says_where_networks_were_trained_and_keeps_it_in_its_advice) {
  const std::string cv = "cv t.csv --target y --models mlp --steps 20 --quiet ";
  const std::string text = done(cv + "--device auto");
  EXPECT_NE(text.find("Networks were trained on the CPU."), std::string::npos) << text;
  EXPECT_NE(text.find("--device auto"), std::string::npos) << text;
  EXPECT_EQ(done(cv).find("Networks were trained on"), std::string::npos);
  const json told = json::parse(done(cv + "--json"));
  EXPECT_EQ(told.at("models").at(0).at("trained_on").at("by_shell").at("around").at("device"), "cpu");
}

TEST_F(CliDevice, there_is_a_list_of_them) {
  const json listed = json::parse(done("list devices --json")).at("devices");
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed.at(0).at("name"), "cpu");
  EXPECT_EQ(listed.at(2).at("name"), "auto");
  const std::string cuda = listed.at(1).at("title");
  EXPECT_NE(cuda.find(device.missing.empty() ? device.name : device.missing), std::string::npos) << cuda;
}

}  // namespace
}  // namespace kedge
