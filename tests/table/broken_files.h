#pragma once

// What the tests of file readers share: catching an Error, and breaking a valid file at random.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/core/error.h"
#include "kedge/core/rng.h"

namespace kedge {

/// The text of the Error that `action` throws, or "" when it throws none; any other exception gets through.
template <class Action>
std::string error_text(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// `text` after one to four random edits: a byte overwritten, inserted or removed, or a stretch repeated. A
/// vector has no NUL behind its end, so that sanitizers see a read past it.
inline std::vector<char> mutated(std::string text, std::string_view likely_bytes, Rng& rng) {
  const auto edits = 1 + rng.below(4);
  for (uint64_t edit = 0; edit < edits && !text.empty(); ++edit) {
    const size_t place = rng.below(text.size());
    const char byte = rng.below(2) == 0 ? likely_bytes[rng.below(likely_bytes.size())]
                                        : static_cast<char>(static_cast<unsigned char>(rng.below(256)));
    switch (rng.below(4)) {
      case 0:
        text[place] = byte;
        break;
      case 1:
        text.insert(place, 1, byte);
        break;
      case 2:
        text.erase(place, 1 + rng.below(8));
        break;
      default:
        text.insert(rng.below(text.size()), text.substr(place, rng.below(20)));
    }
  }
  return {text.begin(), text.end()};
}

}  // namespace kedge
