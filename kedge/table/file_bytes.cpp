#include "kedge/table/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {
namespace {

[[noreturn]] void refuse(const std::string& path, int fault, const std::string& verb) {
  throw Error(verb, fmt::format("needed a file to read; found {}: {}; check the path", path,
                                std::generic_category().message(fault)));
}

std::string all_of(std::FILE* stream, size_t expected, const std::string& path, const std::string& verb) {
  // One byte more than expected, so that the end of a file of known size is met without growing.
  std::string bytes(std::max<size_t>(expected + 1, 1 << 16), '\0');
  size_t size = 0;
  while (true) {
    const size_t count = std::fread(bytes.data() + size, 1, bytes.size() - size, stream);
    size += count;
    if (size < bytes.size()) break;
    bytes.resize(2 * bytes.size());
  }
  if (std::ferror(stream)) refuse(path, errno, verb);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string file_bytes(const std::string& path, const std::string& verb) {
  if (path == "-") return all_of(stdin, 0, "standard input", verb);
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(path, errno, verb);
  std::error_code no_size;
  const uintmax_t size = std::filesystem::file_size(path, no_size);
  return all_of(file.get(), no_size ? 0 : static_cast<size_t>(size), path, verb);
}

}  // namespace kedge
