#pragma once

// The real program, run in a directory of its own.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kedge {

struct Ran {
  int code = 0;
  std::string out, err;
};

class RunKedge : public testing::Test {
 protected:
  RunKedge() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kedge-cli-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(folder_ / "work");
  }
  ~RunKedge() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / "work" / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return slurp(path(name)); }

  /// Names of the files in the working directory, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "work"))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Runs `kedge arguments` through the shell, so that redirections and pipes may follow. `environment` is
  /// set for it, as in "COLUMNS=80".
  Ran kedge(const std::string& arguments, const std::string& environment = "") const {
    const std::string command = "cd " + (folder_ / "work").string() + " && { ( " + environment +
                                " '" KEDGE_BINARY "' " + arguments + " ) ; } >../out 2>../err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "out"), slurp(folder_ / "err")};
  }

  /// The same, for what must succeed.
  std::string done(const std::string& arguments, const std::string& environment = "") const {
    const Ran ran = kedge(arguments, environment);
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.err;
    return ran.out;
  }

  /// Runs `kedge arguments` without a shell and interrupts it (Ctrl-C) when its standard error says `seen`.
  Ran interrupted(const std::vector<std::string>& arguments, const std::string& seen) const {
    return signalled(SIGINT, arguments, seen);
  }

  /// How a program begins: with a signal ignored, and with a terminal as its standard input or with nothing.
  struct Begin {
    int ignored = 0;
    bool at_terminal = false;
  };

  /// Runs `kedge arguments` without a shell and sends it `signal` when its standard error says `seen`; at a
  /// terminal SIGINT is Ctrl-C.
  Ran signalled(int signal, const std::vector<std::string>& arguments, const std::string& seen,
                Begin begin = {0, false}) const {
    const auto when = [&] { return slurp(folder_ / "err").find(seen) != std::string::npos; };
    return signalled_when(when, signal, arguments, begin);
  }

  /// The same as soon as `when` says so.
  template <class When>
  Ran signalled_when(const When& when, int signal, const std::vector<std::string>& arguments,
                     Begin begin = {0, false}) const {
    std::vector<const char*> argv = {"kedge"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    const std::string out = folder_ / "out", err = folder_ / "err";
    std::filesystem::remove(err);
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_TRUE(::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
    const std::string in = begin.at_terminal ? ::ptsname(terminal) : "/dev/null";
    const pid_t child = ::fork();
    if (child == 0) {
      if (begin.ignored != 0) ::signal(begin.ignored, SIG_IGN);
      // The first terminal that a session opens is its own, and sends it the signal of Ctrl-C.
      if (begin.at_terminal) ::setsid();
      ::dup2(::open(in.c_str(), O_RDONLY), STDIN_FILENO);
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
      ::execv(KEDGE_BINARY, const_cast<char**>(argv.data()));
      ::_exit(99);
    }
    int status = 0;
    bool has_ended = false;
    while (!when() && !(has_ended = ::waitpid(child, &status, WNOHANG) == child)) ::usleep(10000);
    if (!has_ended) {
      if (begin.at_terminal && signal == SIGINT)
        EXPECT_EQ(::write(terminal, "\x03", 1), 1);
      else
        ::kill(child, signal);
      EXPECT_EQ(::waitpid(child, &status, 0), child);
    }
    ::close(terminal);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
  }

  static std::string slurp(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace kedge
