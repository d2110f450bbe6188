#include "kedge/core/input_stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/inflater.h"

namespace kedge {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr size_t piece_bytes = 1 << 18;

}  // namespace

InputStream::InputStream(const std::string& path, const std::string& verb)
    : path_(path),
      verb_(verb),
      source_(path == "-" ? "standard input" : path),
      number_(open_to_read(path, verb)) {
  struct stat facts {};
  if (::fstat(number_, &facts) == 0 && S_ISREG(facts.st_mode)) size_ = static_cast<uint64_t>(facts.st_size);
  try {
    first_.resize(piece_bytes);
    first_.resize(read_file(first_.data(), first_.size()));
    if (first_.starts_with(gzip_magic)) inflater_ = std::make_unique<Inflater>(one_line(source_), verb);
  } catch (...) {
    ::close(number_);
    throw;
  }
}

InputStream::~InputStream() { ::close(number_); }

size_t InputStream::read_file(char* to, size_t room) {
  size_t got = 0;
  while (got < room) {
    const ssize_t count = ::read(number_, to + got, room - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(verb_, read_failure(path_, errno));
    if (count == 0) break;
    got += static_cast<size_t>(count);
  }
  position_ += got;
  return got;
}

size_t InputStream::inflate(char* to, size_t room) {
  size_t made = 0;
  while (made < room && !at_end_) {
    if (inflater_->is_hungry()) {
      if (first_.empty()) {
        first_.resize(piece_bytes);
        first_.resize(read_file(first_.data(), first_.size()));
      }
      at_end_ = first_.empty();
      if (at_end_)
        inflater_->require_whole();
      else
        inflater_->feed(std::exchange(first_, {}));
    }
    if (!at_end_) made += inflater_->inflate(to + made, room - made);
  }
  return made;
}

size_t InputStream::read_plain(char* to, size_t room) {
  const size_t given = std::min(room, first_.size());
  std::copy_n(first_.data(), given, to);
  first_.erase(0, given);
  return given + read_file(to + given, room - given);
}

size_t InputStream::read(char* to, size_t room) {
  const size_t given = std::min(room, peeked_.size());
  std::copy_n(peeked_.data(), given, to);
  peeked_.erase(0, given);
  return given + (inflater_ ? inflate(to + given, room - given) : read_plain(to + given, room - given));
}

std::string_view InputStream::peek(size_t count) {
  std::string more(count, '\0');
  more.resize(read(more.data(), count));
  peeked_.insert(0, more);
  return std::string_view(peeked_).substr(0, count);
}

std::string InputStream::read_rest(uint64_t most) {
  std::string bytes;
  size_t used = 0;
  // One byte more than the file has, so that its end is met without growing.
  bytes.resize(inflater_ || size_ < piece_bytes ? piece_bytes : size_ + 1);
  for (;;) {
    const size_t got = read(bytes.data() + used, bytes.size() - used);
    used += got;
    if (inflater_ && used > most)
      throw Error(verb_,
                  fmt::format("{}: needed at most {} bytes after decompression; found more; inflate it "
                              "with gzip -d and take fewer rows",
                              one_line(source_), most));
    if (used < bytes.size()) break;
    bytes.resize(2 * bytes.size());
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace kedge
