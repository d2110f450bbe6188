#include "kedge/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <optional>
#include <streambuf>
#include <system_error>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

namespace fs = std::filesystem;

std::string reason(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail_write(const std::string& path, const std::string& what) {
  throw Error("write", fmt::format("{} cannot be written: {}", one_line(path), what));
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  /// The error of close(2), where some file systems report that the disk is full; 0 if none.
  int close() {
    const int number = std::exchange(number_, -1);
    return number >= 0 && ::close(number) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  int number_ = -1;
};

/// Buffers in front of a descriptor and remembers the first error, which std::ostream alone would lose.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int number) : number_(number) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  int sync() override {
    for (const char* from = pbase(); error_ == 0 && from < pptr();) {
      const ssize_t written = ::write(number_, from, static_cast<size_t>(pptr() - from));
      if (written > 0)
        from += written;
      else if (written == 0)
        error_ = EIO;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int number_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

void write_stream(const Descriptor& to, const std::string& path,
                  const std::function<void(std::ostream&)>& write) {
  DescriptorBuffer buffer(to.number());
  std::ostream out(&buffer);
  try {
    write(out);
  } catch (const Error&) {
    if (buffer.error() != 0) fail_write(path, reason(buffer.error()));
    throw;
  } catch (const std::exception& error) {
    fail_write(path, buffer.error() != 0 ? reason(buffer.error()) : one_line(error.what()));
  }
  out.flush();
  if (buffer.error() != 0) fail_write(path, reason(buffer.error()));
  if (!out) fail_write(path, "its content could not be made");
}

/// Where the bytes have to go: a place in a directory, or a descriptor of what cannot be replaced.
struct Destination {
  fs::path place;
  std::optional<Descriptor> direct;
};

Descriptor open_direct(const std::string& path, const fs::path& place) {
  std::error_code ignored;
  // Opening /proc/self/fd/N anew would lose its offset and its append mode, and fails for sockets.
  const std::string name = place.filename().string();
  const bool own = place.parent_path() == fs::canonical("/proc/self/fd", ignored) &&
                   name.find_first_not_of("0123456789") == std::string::npos && name.size() < 9;
  Descriptor to(own ? ::fcntl(std::stoi(name), F_DUPFD_CLOEXEC, 0)
                    : ::open(place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!to.is_open()) fail_write(path, reason(errno));
  return to;
}

Destination find_destination(const std::string& path) {
  if (path.empty()) throw Error("write", "a file name is needed; the path is empty");
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_write(path, "it is a directory; name a file in it");
  fs::path place = path;
  const int most_links = 40;
  for (int link = 0; link < most_links; ++link) {
    if (place.filename().empty()) fail_write(path, "a file name is needed");
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    std::error_code error;
    const fs::path real_folder = fs::canonical(folder, error);
    if (error) {
      fail_write(path, fmt::format("directory {}: {}", one_line(folder.string()), error.message()));
    }
    place = real_folder / place.filename();
    // Links in /proc stand for open files; what they name as their target may be no path at all.
    if (exists && place.string().starts_with("/proc/")) return {place, open_direct(path, place)};
    if (!fs::is_symlink(fs::symlink_status(place, error))) {
      if (exists && !S_ISREG(status.st_mode)) return {place, open_direct(path, place)};
      return {place, std::nullopt};
    }
    const fs::path target = fs::read_symlink(place, error);
    if (error) fail_write(path, error.message());
    place = real_folder / target;
  }
  fail_write(path, "its symbolic links go in a circle");
}

/// A new file beside the destination, removed again unless it was renamed.
class Temporary {
 public:
  Temporary(const std::string& path, const fs::path& folder) {
    const int most_attempts = 1000;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      // Not made of the destination's name, which may already be as long as a name can be.
      name_ = folder / fmt::format(".kedge-{}-{}.part", ::getpid(), attempt);
      file_ = Descriptor(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file_.is_open()) return;
      if (errno != EEXIST) break;
    }
    fail_write(path, fmt::format("no file can be made in {}: {}", one_line(folder.string()), reason(errno)));
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  Descriptor& file() { return file_; }

  bool rename_to(const fs::path& place) {
    if (::rename(name_.c_str(), place.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  fs::path name_;
  Descriptor file_;
};

/// Some file systems cannot sync; that is no failure of the write.
bool synced(int number) {
  return ::fsync(number) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

void replace(const std::string& path, const fs::path& place,
             const std::function<void(std::ostream&)>& write) {
  Temporary temporary(path, place.parent_path());
  write_stream(temporary.file(), path, write);
  struct stat old;
  if (::stat(place.c_str(), &old) == 0 && ::fchmod(temporary.file().number(), old.st_mode & 0777) != 0) {
    fail_write(path, reason(errno));
  }
  if (!synced(temporary.file().number())) fail_write(path, reason(errno));
  if (const int error = temporary.file().close()) fail_write(path, reason(error));
  if (!temporary.rename_to(place)) fail_write(path, reason(errno));

  // A directory that may be written but not read cannot be synced; its entry then reaches the disk in its own
  // time.
  const Descriptor folder(::open(place.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open() && !synced(folder.number())) {
    throw Error("write",
                fmt::format("{} was replaced, but its directory did not reach the disk: {}; check the disk",
                            one_line(path), reason(errno)));
  }
}

std::string read_all(const Descriptor& from, size_t expected, int& error) {
  std::string bytes;
  size_t size = 0;
  const size_t least = 1 << 16;
  // One byte more than expected, so that the end of a regular file is seen without growing.
  bytes.resize(expected + 1);
  while (true) {
    if (size == bytes.size()) bytes.resize(2 * size + least);
    const ssize_t got = ::read(from.number(), bytes.data() + size, bytes.size() - size);
    if (got > 0) size += static_cast<size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      error = got < 0 ? errno : 0;
      bytes.resize(size);
      return bytes;
    }
  }
}

}  // namespace

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  Destination destination = find_destination(path);
  if (!destination.direct) return replace(path, destination.place, write);
  write_stream(*destination.direct, path, write);
  if (const int error = destination.direct->close()) fail_write(path, reason(error));
}

void require_writable(const std::string& path) {
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    // Not opened to see: closing a pipe again would tell its reader that all has been written.
    if (::access(path.c_str(), W_OK) != 0) fail_write(path, reason(errno));
    return;
  }
  const Destination destination = find_destination(path);
  if (!destination.direct) Temporary(path, destination.place.parent_path());
}

std::string read_file(const std::string& path, const std::string& verb) {
  if (path.empty()) throw Error(verb, "a file name is needed; the path is empty");
  const auto fail = [&](const std::string& what) {
    throw Error(verb, fmt::format("{} cannot be read: {}", one_line(path), what));
  };
  const Descriptor from(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!from.is_open()) fail(errno == ENOENT ? "there is no such file; check the path" : reason(errno));
  struct stat status;
  if (::fstat(from.number(), &status) != 0) fail(reason(errno));
  if (S_ISDIR(status.st_mode)) fail("it is a directory; name a file in it");
  std::string bytes;
  int error = 0;
  try {
    bytes = read_all(from, S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size) : 0, error);
  } catch (const std::exception&) {
    fail("it does not fit into memory");
  }
  if (error != 0) fail(reason(error));
  return bytes;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace kedge
