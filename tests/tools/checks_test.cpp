// tools/check_includes and tools/check_docs, run on small trees made for them.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace kedge {
namespace {

namespace fs = std::filesystem;

class Checks : public testing::Test {
 protected:
  Checks() {
    std::string pattern = (fs::temp_directory_path() / "kedge-checks-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    write("kedge/core/error.h", "");
    write("kedge/nn/ops.h",
          "#include \"kedge/core/error.h\"\n#include \"kedge/nn/adam.h\"\n#include <vector>\n");
  }
  ~Checks() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  /// What the tool prints, with its exit status in front.
  std::string run(const std::string& tool) const {
    FILE* pipe = ::popen((KEDGE_SOURCE_DIR "/tools/" + tool + " " + root_.string() + " 2>&1").c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    return std::to_string(WEXITSTATUS(::pclose(pipe))) + " " + text;
  }

  fs::path root_;
};

TEST_F(Checks, includes_that_go_up_the_order_pass) {
  write("kedge/predictor/fit.cpp", "#include \"kedge/predictor/predictor.h\"\n#include \"kedge/nn/ops.h\"\n");
  write("kedge/domains/tiles/tiles.h", "#include \"kedge/space/space.h\"\n");
  write("kedge/report/svg.cpp", "#include \"svg.h\"\n#include \"kedge/table/table.h\"\n");
  write("kedge/kedge.h", "#include \"kedge/experiments/experiment.h\"\n#include \"kedge/report/svg.h\"\n");
  EXPECT_EQ(run("check_includes"), "0 check_includes: ok (6 files)\n");
}

TEST_F(Checks, each_include_that_goes_down_the_order_is_one_line) {
  write("kedge/core/rng.h", "#pragma once\n  #  include <kedge/nn/train.h>\n");
  write("kedge/nn/train.h", "");
  write("kedge/predictor/predictor.h", "");
  write("kedge/nn/train.cpp",
        "#include \"kedge/predictor/predictor.h\"\n#include \"../core/error.h\"\n#include \"../kedge.h\"\n");
  write("kedge/kedge.h", "");
  const std::string text = run("check_includes");
  EXPECT_NE(text.find("1 kedge/core/rng.h:2: core may not include kedge/nn/train.h;"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nkedge/nn/train.cpp:1: nn may not include kedge/predictor/predictor.h;"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nkedge/nn/train.cpp:3: nn may not include kedge/kedge.h;"), std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST_F(Checks, domains_report_and_folders_without_a_place_are_held_to_their_own_rules) {
  write("kedge/nn/train.h", "");
  write("kedge/domains/grasp/grasp.cpp", "#include \"kedge/nn/train.h\"\n");
  write("kedge/report/page.cpp", "#include \"kedge/space/space.h\"\n");
  write("kedge/extras/more.h", "");
  write("kedge/core/rng.h", "#include \"cli/main.h\"\n");
  write("cli/main.h", "");
  const std::string text = run("check_includes");
  for (const std::string fault : {"grasp.cpp:1: domains may not", "page.cpp:1: report may not",
                                  "more.h: has no place", "rng.h:1: core may not include cli/main.h"}) {
    EXPECT_NE(text.find(fault), std::string::npos) << text;
  }
}

TEST_F(Checks, a_header_of_bare_formulas_is_open_to_every_room_and_a_fit_may_not_call_a_trial) {
  write("kedge/kernels/kernels.h", "#include \"kedge/nn/ops.h\"\n");
  EXPECT_EQ(run("check_includes").front(), '0');
  write("kedge/trials/fit.h", "#include \"kedge/predictor/fit.h\"\n");
  write("kedge/predictor/fit.h", "#include \"kedge/trials/fit.h\"\n");
  const std::string text = run("check_includes");
  EXPECT_NE(text.find("kedge/predictor/fit.h:1: predictor may not include kedge/trials/fit.h;"),
            std::string::npos)
      << text;
}

TEST_F(Checks, documents_that_name_what_exists_pass) {
  write("README.md",
        "[a](kedge/nn/ops.h#L3) [b](https://example.org/none) [c](#part) `kedge/core/`, `kedge/core/*.h`,\n"
        "`kedge/nn/ops.h:12`, `build/release/none`, `kedge/<folder>/x.h`, `nowhere/x`, `a/b`\n"
        "```\n`kedge/none.h` [d](none.md)\n```\n## Part\n[e](docs/page.md#one-more-part)\n");
  write("docs/page.md", "# One more: part\n[a](../README.md#part) [b](page.md) `kedge/core`\n");
  EXPECT_EQ(run("check_docs"), "0 check_docs: ok (4 files)\n");
}

TEST_F(Checks, links_between_documents_lead_to_pages_and_sections) {
  write("README.md", "# Part\n[a](docs/page.md#none) [b](#none)\n");
  write("docs/page.md", "# Page\n[a](README.md) [b](../README.md#none)\n");
  write("docs/other.md", "# Other\n");
  EXPECT_EQ(run("check_docs"),
            "1 README.md:2: docs/page.md has no section none\n"
            "README.md:2: README.md has no section none\n"
            "docs/page.md:2: docs/README.md does not exist\n"
            "docs/page.md:2: README.md has no section none\n"
            "docs/other.md: README.md has no link to it\n");
}

TEST_F(Checks, the_readme_is_short_and_lines_of_documents_fit) {
  const std::string fits(120, 'x'), wide(121, 'x');
  std::string readme = "[a](docs/page.md)\n" + fits + "\n| " + fits + " |\n";
  write("docs/page.md", wide + "\n| " + fits + " |\n");
  write("README.md", readme);
  EXPECT_EQ(run("check_docs"),
            "1 README.md:3: has 124 characters; at most 120 fit\n"
            "docs/page.md:1: has 121 characters; at most 120 fit\n");
  write("docs/page.md", "");
  readme = "[a](docs/page.md)\n" + std::string(118, '\n');
  write("README.md", readme);
  EXPECT_EQ(run("check_docs"), "0 check_docs: ok (4 files)\n");
  write("README.md", readme + "\n");
  EXPECT_EQ(run("check_docs"), "1 README.md: has 120 lines; at most 119 are read; move the rest to docs/\n");
}

TEST_F(Checks, each_dead_reference_is_one_line) {
  write("README.md",
        "[a](none.md)\n\n`kedge/none.h` and `cat kedge/core/*.cpp`\n\n[b]: docs/none.md\n<img "
        "src=\"none.svg\">\n");
  write("CHANGELOG.md", "![c](pictures/none.png)\n");
  EXPECT_EQ(run("check_docs"),
            "1 README.md:1: none.md does not exist\n"
            "README.md:5: docs/none.md does not exist\n"
            "README.md:6: none.svg does not exist\n"
            "README.md:3: kedge/none.h does not exist\n"
            "README.md:3: kedge/core/*.cpp does not exist\n"
            "CHANGELOG.md:1: pictures/none.png does not exist\n");
}

TEST_F(Checks, a_path_of_one_machine_is_a_fault_in_any_text_file) {
  const std::string home = std::string("/") + "home/";
  write("kedge/core/error.h", "// see https://example.org" + home + "x and $PREFIX" + home + "x\n");
  EXPECT_EQ(run("check_docs"), "0 check_docs: ok (2 files)\n");
  write("kedge/core/error.h", "\n// see " + home + "me/x.h\n");
  write("kedge/core/picture", fmt::format("{} {}me\n", '\0', home));
  EXPECT_EQ(run("check_docs"), "1 kedge/core/error.h:2: " + home + "me/x.h is a path of one machine\n");
}

}  // namespace
}  // namespace kedge
