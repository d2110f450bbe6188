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

  /// What bash offers for the last word of each line, a line each.
  std::vector<std::string> bash(const std::vector<std::string>& lines) const {
    std::string script = done("completion bash") + "\ncomplete -p kedge >/dev/null\n";
    for (const std::string& words : lines)
      script += "COMP_WORDS=(kedge " + words +
                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\nCOMPREPLY=()\n_kedge\necho \"${COMPREPLY[*]}\"\n";
    return lines_of(run("bash", script));
  }

  void expect_bash(const std::vector<std::pair<std::string, std::string>>& lines_and_offers) const {
    std::vector<std::string> lines, offers;
    for (const auto& [line, offer] : lines_and_offers) {
      lines.push_back(line);
      offers.push_back(offer);
    }
    EXPECT_EQ(bash(lines), offers);
  }
};

TEST_F(CliCompletion, bash_completes_commands_flags_and_values) {
  if (!has_program("bash")) GTEST_SKIP() << "there is no bash";
  expect_bash({{"f", "fit"},
               {"re", "reproduce report"},
               {"--v", "--version"},
               {"fit --le", "--learning-rate"},
               {"fit t.csv --fourier ''", "on off auto"},
               {"fit t.csv --fourier = o", "on off"},
               {"fit t.csv --model bi", "bilinear bilinear-direct bilinear-ridge"},
               {"fit t.csv --preset pap", "paper"},
               {"sample sawt", "sawtooth"},
               {"list mod", "models"},
               {"help pre", "predict"},
               {"fit t.csv --steps ''", ""}});
}

TEST_F(CliCompletion, bash_completes_files_where_files_are_read_or_written) {
  if (!has_program("bash")) GTEST_SKIP() << "there is no bash";
  write("train.csv", "");
  write("two words.csv", "");
  expect_bash({{"fit tr", "train.csv"},
               {"fit tw", "two words.csv"},
               {"predict m.kedge tr", "train.csv"},
               {"predict m.kedge q.csv -o tr", "train.csv"},
               {"fit t.csv --model tr", ""}});
}

TEST_F(CliCompletion, leaves_hidden_commands_hidden) {
  for (const std::string shell : {"bash", "zsh", "fish"})
    EXPECT_EQ(done("completion " + shell).find("manual pages"), std::string::npos) << shell;
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
  EXPECT_EQ(pages.size(), 19u);
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
