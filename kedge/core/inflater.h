#pragma once

// Inflater: what gzip compressed, made plain again, piece by piece. A build without zlib refuses it.

#include <memory>
#include <string>

namespace kedge {

class Inflater {
 public:
  /// `source` and `verb` are for errors.
  Inflater(std::string source, std::string verb);
  ~Inflater();

  /// Whether all that was fed has been used.
  bool is_hungry() const;
  void feed(std::string bytes);
  /// Writes at most `room` bytes and says how many. Throws Error on what is no gzip.
  size_t inflate(char* to, size_t room);
  /// To be called when there is nothing more to feed. Throws Error when something is missing.
  void require_whole() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kedge
