#pragma once

// What the fuzzers share. Each is a function of any bytes: they are read and obey the reader's laws, or are
// an Error. Anything else ends the fuzzer, which is a finding.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kedge/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace kedge {

inline std::string_view text_of(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

inline void require(bool law) {
  if (!law) std::abort();
}

/// What `read` gives; false when it refuses the text.
template <class Read, class Value>
bool reads(const Read& read, Value& value) {
  try {
    value = read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// For texts that are written as they are read: what was read is written and read again, and is then written
/// the same.
template <class Read, class Write>
int require_round_trip(const Read& read, const Write& write, std::string_view text) {
  std::string written;
  if (reads([&] { return write(read(std::string(text))); }, written))
    require(write(read(written)) == written);
  return 0;
}

}  // namespace kedge
