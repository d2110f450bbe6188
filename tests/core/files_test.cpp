#include "kedge/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kedge/core/error.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "kedge-files-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  fs::path folder_;
};

void write_text(const std::string& path, const std::string& text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no Error";
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST_F(Files, what_was_written_is_read_back_and_nothing_else_is_left) {
  std::string large(3'000'000, 'x');
  large[1'234'567] = '\0';
  for (const std::string& text : {std::string(), std::string("a\nb"), large}) {
    write_text(path("file"), text);
    EXPECT_TRUE(read_file(path("file"), "load") == text);
    EXPECT_EQ(names(), std::vector<std::string>{"file"});
  }
}

TEST_F(Files, a_reader_sees_the_old_content_until_the_new_is_whole) {
  write_text(path("file"), "old");
  write_atomically(path("file"), [&](std::ostream& out) {
    out << "new" << std::flush;
    EXPECT_EQ(read_file(path("file"), "load"), "old");
  });
  EXPECT_EQ(read_file(path("file"), "load"), "new");
}

TEST_F(Files, an_exception_while_writing_keeps_the_old_file_and_leaves_no_other) {
  write_text(path("file"), "old");
  const auto fail_with = [&](auto exception) {
    write_atomically(path("file"), [&](std::ostream& out) {
      out << std::string(1'000'000, 'x');
      throw exception;
    });
  };
  EXPECT_EQ(error_of([&] { fail_with(Error("csv", "no rows")); }), "[csv] no rows");
  EXPECT_EQ(error_of([&] { fail_with(std::runtime_error("two\nlines")); }),
            "[write] " + path("file") + " cannot be written: two?lines");
  EXPECT_THROW(fail_with(42), int);
  EXPECT_EQ(read_file(path("file"), "load"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, a_stream_that_the_writer_leaves_failed_is_an_error) {
  const std::string text = error_of(
      [&] { write_atomically(path("file"), [](std::ostream& out) { out.setstate(std::ios::failbit); }); });
  EXPECT_EQ(text, "[write] " + path("file") + " cannot be written: its content could not be made");
  EXPECT_TRUE(names().empty());
}

TEST_F(Files, a_full_disk_keeps_the_old_file_and_leaves_no_other) {
  write_text(path("file"), "old");
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlim_t before = limit.rlim_cur;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = 100'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string text = error_of([&] { write_text(path("file"), std::string(300'000, 'x')); });
  limit.rlim_cur = before;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(text, "[write] " + path("file") + " cannot be written: File too large");
  EXPECT_EQ(read_file(path("file"), "load"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, a_full_device_is_an_error) {
  EXPECT_EQ(error_of([] { write_text("/dev/full", "x"); }),
            "[write] /dev/full cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, a_place_that_cannot_hold_a_file_is_an_error_that_says_why) {
  write_text(path("file"), "x");
  EXPECT_EQ(error_of([&] { write_text(folder_.string(), "x"); }),
            "[write] " + folder_.string() + " cannot be written: it is a directory; name a file in it");
  EXPECT_EQ(error_of([&] { write_text(path("none/file"), "x"); }),
            "[write] " + path("none/file") + " cannot be written: directory " + path("none") +
                ": No such file or directory; make it first");
  EXPECT_NE(error_of([&] { write_text(path("none/"), "x"); }).find("cannot be written"), std::string::npos);
  EXPECT_NE(error_of([&] { write_text(path("file/file"), "x"); }).find("Not a directory"), std::string::npos);
  EXPECT_NE(error_of([&] { write_text(path(std::string(300, 'n')), "x"); }).find("File name too long"),
            std::string::npos);
  EXPECT_EQ(error_of([] { write_text("", "x"); }), "[write] a file name is needed; the path is empty");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, what_is_not_permitted_is_an_error) {
  write_text(path("secret"), "x");
  ::chmod(path("secret").c_str(), 0);
  ::chmod(folder_.c_str(), 0555);
  const uid_t before = ::geteuid();
  const uid_t nobody = 65534;
  if (before == 0 && ::seteuid(nobody) != 0) GTEST_SKIP() << "root may do everything";
  const std::string write_error = error_of([&] { write_text(path("file"), "x"); });
  const std::string read_error = error_of([&] { read_file(path("secret"), "load"); });
  ASSERT_EQ(::seteuid(before), 0);
  ::chmod(folder_.c_str(), 0755);
  EXPECT_EQ(write_error, "[write] " + path("file") + " cannot be written: no file can be made in " +
                             fs::canonical(folder_).string() + ": Permission denied");
  EXPECT_EQ(read_error, "[load] " + path("secret") + " cannot be read: Permission denied; check the path");
  EXPECT_EQ(names(), std::vector<std::string>{"secret"});
}

TEST_F(Files, the_longest_name_can_be_written) {
  const std::string longest(255, 'n');
  write_text(path(longest), "x");
  EXPECT_EQ(names(), std::vector<std::string>{longest});
}

TEST_F(Files, a_symbolic_link_stays_and_its_target_is_replaced) {
  fs::create_directory(path("inner"));
  write_text(path("inner/target"), "old");
  fs::create_symlink("inner/target", path("second"));
  fs::create_symlink("second", path("first"));
  write_text(path("first"), "new");
  EXPECT_EQ(read_file(path("inner/target"), "load"), "new");
  EXPECT_EQ(fs::read_symlink(path("first")), "second");
  EXPECT_EQ(fs::read_symlink(path("second")), "inner/target");

  fs::create_symlink("inner/fresh", path("dangling"));
  write_text(path("dangling"), "x");
  EXPECT_EQ(read_file(path("inner/fresh"), "load"), "x");

  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(error_of([&] { write_text(path("circle"), "x"); }),
            "[write] " + path("circle") + " cannot be written: its symbolic links go in a circle");
}

TEST_F(Files, a_new_file_honours_the_umask_and_a_replaced_one_keeps_its_permissions) {
  const mode_t before = ::umask(027);
  write_text(path("fresh"), "x");
  write_text(path("secret"), "x");
  ::chmod(path("secret").c_str(), 0600);
  write_text(path("secret"), "y");
  ::umask(before);
  EXPECT_EQ(mode_of(path("fresh")), 0640u);
  EXPECT_EQ(mode_of(path("secret")), 0600u);
}

TEST_F(Files, a_pipe_is_written_directly) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read_file(pipe, "load"); });
  write_text(pipe, std::string(200'000, 'x'));
  reader.join();
  EXPECT_EQ(received, std::string(200'000, 'x'));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// What `kedge ... --out /dev/stdout >> log` does: the log must neither be replaced nor overwritten.
TEST_F(Files, an_open_descriptor_is_appended_to_where_it_stands) {
  write_text(path("log"), "first ");
  const int log = ::open(path("log").c_str(), O_WRONLY | O_APPEND);
  write_text("/dev/fd/" + std::to_string(log), "second ");
  ASSERT_EQ(::write(log, "third", 5), 5);
  ::close(log);
  EXPECT_EQ(read_file(path("log"), "load"), "first second third");
}

TEST_F(Files, a_socket_behind_a_link_is_written_as_the_descriptor_it_is) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  fs::create_symlink("/dev/fd/" + std::to_string(ends[0]), path("link"));
  write_text(path("link"), "text");
  ::close(ends[0]);
  char received[8];
  EXPECT_EQ(::read(ends[1], received, sizeof received), 4);
  ::close(ends[1]);
}

TEST_F(Files, writers_of_one_path_at_once_leave_one_whole_content) {
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'e'; ++c) {
    writers.emplace_back([this, c] {
      for (int i = 0; i < 20; ++i) write_text(path("file"), std::string(100'000, c));
    });
  }
  for (auto& writer : writers) writer.join();
  const std::string text = read_file(path("file"), "load");
  ASSERT_EQ(text.size(), 100'000u);
  EXPECT_EQ(text, std::string(100'000, text[0]));
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, what_cannot_be_read_is_an_error_that_says_why) {
  EXPECT_EQ(error_of([&] { read_file(path("none"), "load"); }),
            "[load] " + path("none") + " cannot be read: No such file or directory; check the path");
  EXPECT_EQ(error_of([&] { read_file(folder_.string(), "csv"); }),
            "[csv] " + folder_.string() + " cannot be read: it is a directory; name a file in it");
  EXPECT_EQ(error_of([] { read_file("", "load"); }), "[load] a file name is needed; the path is empty");
  EXPECT_NE(error_of([&] { read_file(path("two\nlines"), "load"); }).find("two?lines"), std::string::npos);
}

TEST_F(Files, a_file_whose_size_is_not_known_beforehand_is_read_whole) {
  EXPECT_NE(read_file("/proc/self/status", "load").find("Name:"), std::string::npos);
  EXPECT_EQ(read_file("/dev/null", "load"), "");
}

TEST_F(Files, a_full_disk_is_named_even_when_the_writer_complains_itself) {
  const std::string error = error_of([&] {
    write_atomically("/dev/full", [](std::ostream& out) {
      out << "content";
      if (!out.flush()) throw Error("csv", "the stream failed");
    });
  });
  EXPECT_NE(error.find("/dev/full"), std::string::npos) << error;
  EXPECT_NE(error.find("No space left"), std::string::npos) << error;
}

TEST_F(Files, what_can_be_written_is_known_before_and_nothing_is_left_by_asking) {
  require_writable(path("new"));
  EXPECT_EQ(names(), std::vector<std::string>{});
  write_text(path("old"), "old");
  require_writable(path("old"));
  require_writable("/dev/null");
  EXPECT_EQ(read_file(path("old"), "test"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"old"});
  EXPECT_NE(error_of([&] { require_writable(path("none/file")); }).find("No such file"), std::string::npos);
  EXPECT_NE(error_of([&] { require_writable(folder_.string()); }).find("directory"), std::string::npos);
  EXPECT_NE(error_of([&] { require_writable(""); }).find("empty"), std::string::npos);
}

/// A process that writes into the folder and meets a limit of file sizes in the middle: it is killed, or it
/// waits for ever.
enum class AtLimit { dies, waits };

pid_t write_in_child(const std::string& path, AtLimit at_limit) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const rlimit core{0, 0}, one_block{1024, 1024};
  ::setrlimit(RLIMIT_CORE, &core);
  ::setrlimit(RLIMIT_FSIZE, &one_block);
  ::signal(
      SIGXFSZ, at_limit == AtLimit::dies ? SIG_DFL : [](int) {
        while (true) ::pause();
      });
  write_text(path, std::string(10000, 'x'));
  ::_exit(0);
}

TEST_F(Files, what_a_killed_writer_left_is_removed_by_the_next_write) {
  write_text(path("model"), "old");
  int status = 0;
  const pid_t child = write_in_child(path("model"), AtLimit::dies);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(names().size(), 2u) << "the writer left nothing, so nothing is tested";
  EXPECT_EQ(read_file(path("model"), "test"), "old");
  write_text(path("other"), "new");
  EXPECT_EQ(names(), (std::vector<std::string>{"model", "other"}));
}

TEST_F(Files, what_a_living_writer_has_begun_stays) {
  const pid_t child = write_in_child(path("model"), AtLimit::waits);
  // Its first kilobyte is written before it waits.
  const auto begun = [&] {
    const std::vector<std::string> found = names();
    std::error_code none;
    return !found.empty() && fs::file_size(folder_ / found.front(), none) == 1024;
  };
  while (!begun()) {
    ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it ended before it had begun";
    ::usleep(1000);
  }
  const std::string begun_name = names().front();
  write_text(path("other"), "new");
  require_writable(path("another"));
  EXPECT_EQ(names(), (std::vector<std::string>{begun_name, "other"}));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(names(), (std::vector<std::string>{begun_name, "other"}));
  write_text(path("other"), "newer");
  EXPECT_EQ(names(), (std::vector<std::string>{"other"}));
}

TEST_F(Files, of_other_hosts_and_names_are_left_alone) {
  char host[65] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  const std::vector<std::string> foreign = {".kedge-another.host.example-12-0.part",
                                            ".kedge-" + std::string(host) + "-1-12-0.part",
                                            ".kedge-12-0.part", "model.part"};
  for (const std::string& name : foreign) write_text(path(name), "x");
  write_text(path("model"), "new");
  EXPECT_EQ(names().size(), foreign.size() + 1);
}

}  // namespace
}  // namespace kedge
