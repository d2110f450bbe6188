#pragma once

// InputStream: the bytes of a file or of standard input, one piece after the other. What is compressed by
// gzip is told by its first bytes and inflated on the way.
//
// Law: the pieces, put together, are the file, or what gzip -d would make of it. A compressed file that is
// cut off or damaged is an Error, never a shorter text.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kedge {

class InputStream {
 public:
  /// "-" is standard input. Throws Error(`verb`) when it cannot be opened.
  InputStream(const std::string& path, const std::string& verb);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  /// Inflated text that is read as a whole is refused beyond this: a small file can inflate to any size.
  static constexpr uint64_t most_inflated = uint64_t{4} << 30;

  /// Up to `room` bytes; less only at the end, 0 after it. Throws Error.
  size_t read(char* to, size_t room);
  /// The next bytes, which the next read gives again; fewer than `count` at the end only.
  std::string_view peek(size_t count);
  /// All that is left. Throws Error when inflated text is longer than `most`.
  std::string read_rest(uint64_t most = most_inflated);

  /// What errors call it.
  const std::string& source() const { return source_; }
  bool is_compressed() const { return inflater_ != nullptr; }
  /// Bytes of the file, 0 where that is not known, and how many of them have been read.
  uint64_t size() const { return size_; }
  uint64_t position() const { return position_; }

 private:
  size_t read_file(char* to, size_t room);
  size_t inflate(char* to, size_t room);
  size_t read_plain(char* to, size_t room);

  std::string path_, verb_, source_;
  int number_ = -1;
  uint64_t size_ = 0, position_ = 0;
  std::string first_;   // read to tell what it is, not yet given
  std::string peeked_;  // inflated where need be
  std::unique_ptr<class Inflater> inflater_;
  bool at_end_ = false;
};

}  // namespace kedge
