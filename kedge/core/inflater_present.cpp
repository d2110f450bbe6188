#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/inflater.h"

namespace kedge {

struct Inflater::Inside {
  std::string source, verb, fed = {};
  z_stream stream{};
  bool ended = false;  // a file may hold several streams, one after the other
};

Inflater::Inflater(std::string source, std::string verb)
    : inside_(std::make_unique<Inside>(Inside{.source = std::move(source), .verb = std::move(verb)})) {
  constexpr int gzip_window = 15 + 16;
  if (inflateInit2(&inside_->stream, gzip_window) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(&inside_->stream); }

bool Inflater::is_hungry() const { return inside_->stream.avail_in == 0; }

void Inflater::feed(std::string bytes) {
  Inside& s = *inside_;
  s.fed = std::move(bytes);
  s.stream.next_in = reinterpret_cast<Bytef*>(s.fed.data());
  s.stream.avail_in = static_cast<uInt>(s.fed.size());
}

size_t Inflater::inflate(char* to, size_t room) {
  Inside& s = *inside_;
  if (s.ended) {
    inflateReset(&s.stream);
    s.ended = false;
  }
  const auto most = static_cast<uInt>(std::min<size_t>(room, std::numeric_limits<uInt>::max()));
  s.stream.next_out = reinterpret_cast<Bytef*>(to);
  s.stream.avail_out = most;
  const int status = ::inflate(&s.stream, Z_NO_FLUSH);
  s.ended = status == Z_STREAM_END;
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
    throw Error(
        s.verb,
        fmt::format("{}: needed what gzip compressed; found damaged bytes; copy the file again", s.source));
  return most - s.stream.avail_out;
}

void Inflater::require_whole() const {
  if (!inside_->ended)
    throw Error(inside_->verb,
                fmt::format("{}: needed all that gzip compressed; found the file cut off; copy "
                            "it again",
                            inside_->source));
}

}  // namespace kedge
