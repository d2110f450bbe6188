// Completion scripts, in the shells that read them, and manual pages.

#include <cstdlib>

#include "tests/cli/run_kedge.h"

namespace kedge {
namespace {

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

class CliCompletion : public RunKedge {
 protected:
  /// What a script of this shell prints, run in the working directory; nothing may go wrong.
  std::string run(const std::string& shell, const std::string& script) const {
    write("../script", script);
    const std::string command =
        "cd '" + (folder_ / "work").string() + "' && " + shell + " ../script >../out 2>../err";
    EXPECT_EQ(std::system(command.c_str()), 0) << slurp(folder_ / "err");
    EXPECT_EQ(slurp(folder_ / "err"), "");
    return slurp(folder_ / "out");
  }

  /// The words that bash offers for the last of `words`, in one line.
  std::string bash(const std::string& words) const {
    std::string text =
        run("bash", done("completion bash") + "\nCOMP_WORDS=(kedge " + words +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_kedge\necho \"${COMPREPLY[*]}\"\n"
                        "complete -p kedge >/dev/null\n");
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
};

TEST_F(CliCompletion, bash_completes_commands_flags_and_values) {
  if (!has_program("bash")) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(bash("f"), "fit");
  EXPECT_EQ(bash("re"), "reproduce report");
  EXPECT_EQ(bash("--v"), "--version");
  EXPECT_EQ(bash("fit --le"), "--learning-rate");
  EXPECT_EQ(bash("fit t.csv --fourier ''"), "on off auto");
  EXPECT_EQ(bash("fit t.csv --fourier = o"), "on off");
  EXPECT_EQ(bash("fit t.csv --model bi"), "bilinear bilinear-direct");
  EXPECT_EQ(bash("fit t.csv --preset pap"), "paper");
  EXPECT_EQ(bash("sample sawt"), "sawtooth");
  EXPECT_EQ(bash("list mod"), "models");
  EXPECT_EQ(bash("help pre"), "predict");
  EXPECT_EQ(bash("fit t.csv --steps ''"), "");
  EXPECT_EQ(bash("man --he"), "") << "hidden commands stay hidden";
}

TEST_F(CliCompletion, bash_completes_files_where_files_are_read_or_written) {
  if (!has_program("bash")) GTEST_SKIP() << "there is no bash";
  write("train.csv", "");
  write("two words.csv", "");
  EXPECT_EQ(bash("fit tr"), "train.csv");
  EXPECT_EQ(bash("fit tw"), "two words.csv");
  EXPECT_EQ(bash("predict m.kedge tr"), "train.csv");
  EXPECT_EQ(bash("predict m.kedge q.csv -o tr"), "train.csv");
  EXPECT_EQ(bash("fit t.csv --model tr"), "");
}

TEST_F(CliCompletion, zsh_reads_its_script) {
  const std::string script = done("completion zsh");
  EXPECT_TRUE(script.starts_with("#compdef kedge\n"));
  EXPECT_NE(script.find("'fit:Fit a model to a table and write it to a file'"), std::string::npos);
  EXPECT_NE(script.find(":on|off|auto:(on off auto)'"), std::string::npos);
  EXPECT_NE(script.find("'(-o --output)'{-o,--output}'[Model file to write]:MODEL:_files'"),
            std::string::npos);
  if (!has_program("zsh")) GTEST_SKIP() << "there is no zsh";
  EXPECT_EQ(run("zsh -f -n", script), "");
}

TEST_F(CliCompletion, fish_reads_its_script_and_completes) {
  const std::string script = done("completion fish");
  EXPECT_NE(script.find("complete -c kedge -n __fish_use_subcommand -f -a fit -d 'Fit a model"),
            std::string::npos);
  EXPECT_NE(script.find("-l fourier -x -a 'on off auto' -d"), std::string::npos);
  if (!has_program("fish")) GTEST_SKIP() << "there is no fish";
  EXPECT_EQ(run("env HOME=.. fish --no-config",
                script + "complete -C 'kedge fit --fourier o' | string replace -r '\\t.*' ''\n"),
            "off\non\n");
}

TEST_F(CliCompletion, every_command_has_a_manual_page_that_groff_finds_no_fault_with) {
  done("man pages");
  std::vector<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(path("pages")))
    pages.push_back(entry.path().filename().string());
  EXPECT_EQ(pages.size(), 17u);
  const std::string fit = read("pages/kedge-fit.1");
  for (const std::string part :
       {".SH NAME\nkedge\\-fit \\- fit a model to a table and write it to a file\n", ".SH SYNOPSIS\n",
        ".SH ARGUMENTS\n", ".SS Training\n", ".SH EXAMPLES\n", "\\fB\\-\\-fourier\\fR \\fIon|off|auto\\fR"})
    EXPECT_NE(fit.find(part), std::string::npos) << part;
  if (!has_program("groff")) GTEST_SKIP() << "there is no groff";
  EXPECT_EQ(run("sh", "for page in pages/*; do groff -man -ww -z -Tutf8 $page; done"), "");
}

TEST_F(CliCompletion, a_manual_page_shows_the_texts_of_the_help) {
  if (!has_program("groff")) GTEST_SKIP() << "there is no groff";
  done("man pages");
  const std::string shown =
      run("sh", "groff -man -Tascii -P-c -P-b -P-u pages/kedge-fit.1 | tr -s ' \\n' ' '");
  for (const std::string words :
       {"--target COLS", "Columns to predict, with commas between", "One of , + = \\ in a column",
        "kedge fit train.csv --target y -o model.kedge", "EXIT STATUS"})
    EXPECT_NE(shown.find(words), std::string::npos) << words << "\n" << shown;
}

}  // namespace
}  // namespace kedge
