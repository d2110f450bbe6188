// What the emulated device of a command line is like, as its environment says: KEDGE_EMULATED_MEMORY, in bytes;
// KEDGE_EMULATED_MISSING, where it is set to anything there is no device; KEDGE_EMULATED_LAUNCHES, the device is lost
// at the last of so many.

#include <cstdlib>

#include "block.h"

namespace emulation {
namespace {

size_t number(const char* name, size_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

const bool is_set = [] {
  Device& own = device();
  own.is_there = std::getenv("KEDGE_EMULATED_MISSING") == nullptr;
  own.memory = number("KEDGE_EMULATED_MEMORY", own.memory);
  own.launches_left = number("KEDGE_EMULATED_LAUNCHES", own.launches_left);
  return true;
}();

}  // namespace
}  // namespace emulation
