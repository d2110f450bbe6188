#include "kedge/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <sstream>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kedge/core/code_points.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_suffix = ".part";

std::string reason(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail_write(const std::string& path, const std::string& what) {
  throw Error("write", fmt::format("{} cannot be written: {}", one_line(path), what));
}

struct OpenFile {
  int number;          ///< of the descriptor; negative when it could not be opened
  fs::path temporary;  ///< when not empty, this name is removed at the end

  explicit OpenFile(int opened, fs::path to_remove = {}) : number(opened), temporary(std::move(to_remove)) {}
  OpenFile(const OpenFile&) = delete;
  ~OpenFile() {
    // In this order: once it is closed its lock is gone, and somebody else may take the name.
    if (!temporary.empty()) ::unlink(temporary.c_str());
    if (number >= 0) ::close(number);
  }
};

struct Destination {
  fs::path place;   ///< without links on the way to it
  bool is_special;  ///< cannot be replaced: a pipe, a device, an open descriptor
};

Destination find_destination(const std::string& path) {
  if (path.empty()) throw Error("write", "a file name is needed; the path is empty");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail_write(path, "it is a directory; name a file in it");
  fs::path place = path;
  for (int links = 0; links < 40; ++links) {
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    place = fs::canonical(folder, error) / place.filename();
    if (error)
      fail_write(path, fmt::format("directory {}: {}{}", one_line(folder.string()), error.message(),
                                   error == std::errc::no_such_file_or_directory ? "; make it first" : ""));
    // Links in /proc stand for open files; what they name as their target may be no path at all.
    const bool is_open_file = fs::exists(status) && place.string().starts_with("/proc/");
    if (is_open_file || !fs::is_symlink(fs::symlink_status(place, error)))
      return {place, is_open_file || (fs::exists(status) && !fs::is_regular_file(status))};
    place = place.parent_path() / fs::read_symlink(place, error);
    if (error) fail_write(path, error.message());
  }
  fail_write(path, "its symbolic links go in a circle");
}

OpenFile open_special(const fs::path& place) {
  // Opening /proc/self/fd/N anew would lose its offset and its append mode, and fails for sockets.
  std::error_code ignored;
  const std::string name = place.filename().string();
  const bool is_own = place.parent_path() == fs::canonical("/proc/self/fd", ignored) &&
                      name.find_first_not_of("0123456789") == std::string::npos && name.size() < 9;
  return OpenFile(is_own ? ::fcntl(std::stoi(name), F_DUPFD_CLOEXEC, 0)
                         : ::open(place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

void write_all(const std::string& path, int number, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    if (written == 0 || (written < 0 && errno != EINTR)) fail_write(path, reason(written == 0 ? EIO : errno));
  }
}

/// Temporary files of this host begin so. Not made of the destination's name, which may already be as long
/// as a name can be.
std::string temporary_prefix() {
  char host[65] = {};
  ::gethostname(host, sizeof host - 1);
  std::string name = host;
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format(".kedge-{}-", name);
}

/// Whether a name is that of a temporary file of this host. One of a host whose name only begins like ours is
/// not.
bool is_temporary(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(temporary_suffix)) return false;
  name.remove_prefix(prefix.size());
  name.remove_suffix(temporary_suffix.size());
  return name.find_first_not_of("0123456789-") == name.npos && std::count(name.begin(), name.end(), '-') == 1;
}

/// Whether `name` still stands for the open file.
bool is_named(int number, const fs::path& name) {
  struct stat open {
  }, named{};
  return ::fstat(number, &open) == 0 && ::lstat(name.c_str(), &named) == 0 && S_ISREG(open.st_mode) &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Removes the temporary files of processes that are gone. Each holds a lock on its file, which the system
/// lets go when it ends: unlike a process number, a lock is never taken over by another and is known to all
/// containers of a host. Files of other hosts are left, since some network file systems keep locks to a host.
void remove_left_over(const fs::path& folder) {
  const std::string prefix = temporary_prefix();
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_temporary(name, prefix)) continue;
    const OpenFile file(::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number >= 0 && ::flock(file.number, LOCK_EX | LOCK_NB) == 0 &&
        is_named(file.number, entry->path()))
      ::unlink(entry->path().c_str());
  }
}

OpenFile make_temporary(const std::string& path, const fs::path& folder) {
  remove_left_over(folder);
  const std::string prefix = temporary_prefix();
  for (int attempt = 0;; ++attempt) {
    const fs::path name = folder / fmt::format("{}{}-{}{}", prefix, ::getpid(), attempt, temporary_suffix);
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number < 0) {
      if (errno == EEXIST) continue;
      fail_write(path,
                 fmt::format("no file can be made in {}: {}", one_line(folder.string()), reason(errno)));
    }
    // Where there are no locks, nobody can take one and remove the file.
    const bool is_ours = ::flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (is_ours && is_named(number, name)) return OpenFile(number, name);
    // Somebody took it for left over between two calls, and removes it.
    ::close(number);
  }
}

/// Writes to an open file, and keeps the first fault.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(int number) : number_(number), bytes_(1 << 16) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  int fault() const { return fault_; }

 protected:
  int sync() override {
    for (const char* from = pbase(); from != pptr() && fault_ == 0;) {
      const ssize_t written = ::write(number_, from, static_cast<size_t>(pptr() - from));
      if (written > 0) from += written;
      if (written == 0 || (written < 0 && errno != EINTR)) fault_ = written == 0 ? EIO : errno;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return fault_ == 0 ? 0 : -1;
  }
  int overflow(int c) override {
    if (sync() != 0) return traits_type::eof();
    return c == traits_type::eof() ? 0 : sputc(static_cast<char>(c));
  }

 private:
  int number_;
  int fault_ = 0;
  std::vector<char> bytes_;
};

using Write = std::function<void(std::ostream&)>;

/// Calls `write` and makes an Error of whatever goes wrong in it.
void write_content(const std::string& path, const Write& write, std::ostream& content) {
  try {
    write(content);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail_write(path, one_line(error.what()));
  }
  if (!content.flush()) fail_write(path, "its content could not be made");
}

void replace(const std::string& path, const fs::path& place, const Write& write) {
  OpenFile file = make_temporary(path, place.parent_path());
  FileBuffer buffer(file.number);
  std::ostream content(&buffer);
  try {
    write_content(path, write, content);
  } catch (const Error&) {
    if (buffer.fault() != 0) fail_write(path, reason(buffer.fault()));
    throw;
  }
  std::error_code error;
  if (fs::exists(place, error))
    fs::permissions(file.temporary, fs::status(place, error).permissions() & fs::perms::all, error);
  // Synced before it is renamed, so that a crash never leaves a file with half of its content. Some file
  // systems cannot sync.
  if (!error && ::fsync(file.number) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS)
    error.assign(errno, std::generic_category());
  if (!error) fs::rename(file.temporary, place, error);
  if (error) fail_write(path, error.message());
  file.temporary.clear();
}

}  // namespace

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const Destination destination = find_destination(path);
  if (!destination.is_special) return replace(path, destination.place, write);
  std::ostringstream content;
  write_content(path, write, content);
  const OpenFile file = open_special(destination.place);
  if (file.number < 0) fail_write(path, reason(errno));
  write_all(path, file.number, content.view());
}

void require_writable(const std::string& path) {
  const Destination destination = find_destination(path);
  if (!destination.is_special) {
    make_temporary(path, destination.place.parent_path());
  } else if (::access(destination.place.c_str(), W_OK) != 0) {
    // Not opened to see: closing a pipe again would tell its reader that all has been written.
    fail_write(path, reason(errno));
  }
}

std::string read_failure(const std::string& path, int code) {
  return fmt::format("{} cannot be read: {}", path == "-" ? "standard input" : one_line(path), reason(code));
}

int open_to_read(const std::string& path, const std::string& verb) {
  if (path.empty()) throw Error(verb, "a file name is needed; the path is empty");
  const int number =
      path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (number < 0) throw Error(verb, read_failure(path, errno) + "; check the path");
  std::error_code ignored;
  if (path != "-" && fs::is_directory(path, ignored)) {
    ::close(number);
    throw Error(verb, fmt::format("{} cannot be read: it is a directory; name a file in it", one_line(path)));
  }
  return number;
}

std::string read_file(const std::string& path, const std::string& verb) {
  const OpenFile file(open_to_read(path, verb));
  std::error_code error;
  const uintmax_t expected = fs::file_size(path, error);
  // One byte more than expected, so that the end of a file of known size is met without growing.
  std::string bytes(error ? 1 << 16 : expected + 1, '\0');
  size_t size = 0;
  while (const ssize_t got = ::read(file.number, bytes.data() + size, bytes.size() - size)) {
    if (got > 0) size += static_cast<size_t>(got);
    if (got < 0 && errno != EINTR) throw Error(verb, read_failure(path, errno));
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

std::string one_line(std::string text) { return without_controls(text, "?"); }

}  // namespace kedge
